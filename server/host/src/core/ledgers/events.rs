//! What sessions tell their clients about hunks: one event, written for each client on its own.

use std::collections::{BTreeMap, HashMap};

use protocol::EventBody;
use protocol::event::{HunkAdded, HunkResolved, HunkUpdated, HunksMoved, MovedHunk};
use protocol::review::Hunk;

use text::{HunkNo, HunkState, Ledger};
use workspace::DocumentUri;

use super::super::buffers::Buffers;
use super::client_ranges::{ClientRanges, ClientText, Receiver, SentRange};
use super::{Ledgers, wire};

/// Something a session should tell its clients.
#[derive(Clone, Debug)]
pub struct HunkNews {
    pub session: String,
    pub event: HunkEvent,
}

/// An event about hunks, before it is known who receives it.
#[derive(Clone, Debug)]
pub enum HunkEvent {
    Changed {
        what: News,
        hunk: Box<Hunk>,
        ranges: ClientRanges,
    },
    /// Hunks of one file that look as before and are elsewhere.
    Moved {
        uri: String,
        hunks: Vec<(String, ClientRanges)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    Added,
    Updated,
    Resolved,
}

impl HunkEvent {
    pub fn is_added(&self) -> bool {
        matches!(self, Self::Changed { what: News::Added, .. })
    }

    /// Roughly how many bytes it holds.
    pub fn weight(&self) -> usize {
        match self {
            Self::Changed { hunk, .. } => {
                size_of::<Hunk>() + hunk.old_text.len() + hunk.new_text.len()
            }
            Self::Moved { hunks, .. } => hunks.len() * size_of::<(String, ClientRanges)>(),
        }
    }

    /// The hunk that came or changed, as a client has it.
    pub fn hunk(&self, receiver: Receiver) -> Option<Hunk> {
        match self {
            Self::Changed { hunk, ranges, .. } => Some(placed(hunk, ranges, receiver)),
            Self::Moved { .. } => None,
        }
    }

    /// The event as a client gets it.
    pub fn body(&self, receiver: Receiver) -> EventBody {
        match self {
            Self::Changed { what, hunk, ranges } => {
                let hunk = placed(hunk, ranges, receiver);
                match what {
                    News::Added => HunkAdded { hunk }.into(),
                    News::Updated => HunkUpdated { hunk }.into(),
                    News::Resolved => HunkResolved { hunk }.into(),
                }
            }
            Self::Moved { uri, hunks } => moved(uri, hunks, receiver).into(),
        }
    }
}

fn placed(hunk: &Hunk, ranges: &ClientRanges, receiver: Receiver) -> Hunk {
    let mut hunk = hunk.clone();
    let SentRange { uri, version, range } = ranges.of(receiver);
    if let Some(uri) = uri {
        uri.clone_into(&mut hunk.uri);
    }
    (hunk.version, hunk.range) = (version, range);
    hunk
}

fn moved(uri: &str, hunks: &[(String, ClientRanges)], receiver: Receiver) -> HunksMoved {
    let (mut uri, mut version) = (uri.to_owned(), None);
    let mut moved = Vec::with_capacity(hunks.len());
    for (id, ranges) in hunks {
        let sent = ranges.of(receiver);
        if let Some(own) = sent.uri {
            own.clone_into(&mut uri);
        }
        version = sent.version;
        moved.push(MovedHunk { id: id.clone(), range: sent.range });
    }
    HunksMoved { uri, version, hunks: moved }
}

impl Ledgers {
    /// Whether something happened to hunks that clients are told when the typing pauses.
    pub fn has_typed_in(&self) -> bool {
        !self.typed_in.is_empty() || self.range_updates.is_waiting()
    }

    /// The typing paused: what it did to hunks becomes news.
    pub fn settle(&mut self) {
        let typed_in = std::mem::take(&mut self.typed_in);
        for (key, _) in &typed_in {
            let key = DocumentUri::new(key);
            if let Some(entry) = self.files.get_mut(&key).filter(|entry| !entry.follows_disk()) {
                entry.keep(&self.store, &key, None);
            }
        }
        let typed_in = typed_in.into_iter();
        self.news.extend(typed_in.map(|(key, no)| (DocumentUri::new(&key), no, News::Updated)));
        self.range_updates.settle();
    }

    /// A client that had another text of this file changed it: hunks are elsewhere there.
    pub fn copy_changed(&mut self, uri: &DocumentUri) {
        let key = self.key(uri);
        if self.files.contains_key(&key) {
            self.range_updates.note(&key);
        }
    }

    /// A client of this session may have missed where its hunks went.
    pub fn resend_ranges(&mut self, session: &str) {
        let has_some = |ledger: &Ledger| {
            let mut hunks = ledger.hunks();
            hunks.any(|hunk| hunk.state == HunkState::Pending && hunk.author.session == session)
        };
        let keys = self.files().filter(|(_, ledger)| has_some(ledger));
        let keys: Vec<_> = keys.map(|(key, _)| key.clone()).collect();
        keys.iter().for_each(|key| self.range_updates.resend(key));
    }

    /// A client was told of hunks in an answer.
    pub fn record_ranges(&mut self, key: &DocumentUri, hunks: &[HunkNo], buffers: &Buffers) {
        let clients = self.client_texts(key, buffers);
        let Some(entry) = self.files.get(key) else { return };
        for (no, range) in entry.ledger.pending_ranges() {
            if hunks.contains(&no) {
                self.range_updates.record(
                    key,
                    no,
                    ClientRanges::new(entry.ledger.text(), &range, &clients),
                );
            }
        }
    }

    /// What sessions should tell their clients.
    pub fn take_news(&mut self, buffers: &Buffers) -> Vec<HunkNews> {
        let mut clients: HashMap<DocumentUri, Vec<ClientText>> = HashMap::new();
        let mut news = Vec::new();
        for (key, no, what) in std::mem::take(&mut self.news) {
            let texts =
                clients.entry(key.clone()).or_insert_with(|| self.client_texts(&key, buffers));
            news.extend(self.changed(&key, no, what, texts));
        }
        for key in self.range_updates.take_due() {
            news.extend(self.moved(&key, buffers));
        }
        news
    }

    fn changed(
        &mut self,
        key: &DocumentUri,
        no: HunkNo,
        what: News,
        clients: &[ClientText],
    ) -> Option<HunkNews> {
        let ledger = self.ledger(key)?;
        let view = ledger.view(no)?;
        let ranges = ClientRanges::new(ledger.text(), &view.range, clients);
        let nobody = self.client_text(key, Receiver::INTERNAL, None);
        let hunk = Box::new(wire::viewed(ledger, key, ledger.hunk(no)?, view, &nobody));
        self.range_updates.record(key, no, ranges.clone());
        let session = hunk.session_id.clone();
        Some(HunkNews { session, event: HunkEvent::Changed { what, hunk, ranges } })
    }

    fn moved(&mut self, key: &DocumentUri, buffers: &Buffers) -> Vec<HunkNews> {
        let clients = self.client_texts(key, buffers);
        let uri = self.open_as(key).unwrap_or(key).as_str().to_owned();
        let Some(entry) = self.files.get(key) else { return Vec::new() };
        let ledger = &entry.ledger;
        let pending = ledger.pending_ranges().into_iter();
        let now =
            pending.map(|(no, range)| (no, ClientRanges::new(ledger.text(), &range, &clients)));
        let mut by_session: BTreeMap<String, Vec<(String, ClientRanges)>> = BTreeMap::new();
        for (no, ranges) in self.range_updates.replace(key, now) {
            let Some(hunk) = ledger.hunk(no) else { continue };
            let of_session = by_session.entry(hunk.author.session.clone()).or_default();
            of_session.push((wire::id(key, no), ranges));
        }
        let news = by_session.into_iter().map(|(session, hunks)| HunkNews {
            session,
            event: HunkEvent::Moved { uri: uri.clone(), hunks },
        });
        news.collect()
    }
}
