//! The ledgers of the files the agent changed, kept in step with the text: in the editor while a
//! file is open there, on the disk otherwise.
//!
//! The loop owns them. A ledger is read from the store when its file is opened or asked about, by a
//! thread that may wait; until it has been, changes of that file wait.

mod align;
mod client_ranges;
mod entry;
mod events;
mod follow;
mod intent;
mod range_updates;
mod wire;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use protocol::review::Hunk;
use text::{Author, Bias, Edit, HunkNo, HunkState, Ledger, Overlap, Step, Text};
use workspace::DocumentUri;

use super::buffers::Buffers;
use super::door::DoorId;
use super::edits::Landed;
use super::event::Purpose;
use crate::store::{LedgerStore, StoredLedger};
pub use client_ranges::{ClientText, Receiver};
use entry::Entry;
pub use events::{HunkEvent, HunkNews, News};
use range_updates::RangeUpdates;
pub use wire::{id as hunk_id, is_of, parse as parse_id};

/// So many decided hunks of a file can still be rewound.
const DECIDED: usize = 500;
/// So many ledgers of files that are not open are at hand.
const CLOSED: usize = 128;

pub struct Ledgers {
    store: Arc<LedgerStore>,
    files: HashMap<DocumentUri, Entry>,
    /// What is open, by the editor's name for it.
    open: HashMap<DocumentUri, Open>,
    /// What changed since it was last asked for.
    news: Vec<(DocumentUri, HunkNo, News)>,
    /// Hunks that somebody typed in; told when the typing pauses.
    typed_in: BTreeSet<(String, HunkNo)>,
    range_updates: RangeUpdates,
    /// Which session changed which file, as far as the store has been told.
    noted: BTreeSet<(String, String)>,
}

struct Open {
    /// The file behind all links: how ledgers are found. The editor's own name until it is known.
    key: DocumentUri,
    loading: bool,
    /// What the document said when it was opened or saved last; only until the agent changes it.
    saved: Text,
}

impl Ledgers {
    pub fn new(store: Arc<LedgerStore>) -> Self {
        let (files, open) = (HashMap::new(), HashMap::new());
        let (news, typed_in, noted) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        Self { store, files, open, news, typed_in, range_updates: RangeUpdates::default(), noted }
    }

    pub fn store(&self) -> &Arc<LedgerStore> {
        &self.store
    }

    /// The editor opened a document. Its ledger is looked for, unless it is at hand.
    pub fn opened(&mut self, uri: &DocumentUri, now: &Text) {
        self.closed(uri);
        if self.files.contains_key(uri) {
            return self.found(uri, uri.clone(), None, now);
        }
        self.open
            .insert(uri.clone(), Open { key: uri.clone(), loading: true, saved: Text::default() });
    }

    /// What was looked for when the document was opened is known.
    pub fn found(
        &mut self,
        uri: &DocumentUri,
        key: DocumentUri,
        stored: Option<StoredLedger>,
        now: &Text,
    ) {
        self.loaded(&key, stored);
        self.follow_editor(&key, now);
        self.align(&key, now);
        if let Some(entry) = self.files.get_mut(&key) {
            entry.remember_saved();
        }
        self.open.insert(uri.clone(), Open { key, loading: false, saved: now.clone() });
    }

    /// An editor has a file open with this text: the disk does not count any more.
    pub fn follow_editor(&mut self, key: &DocumentUri, now: &Text) {
        let Some(entry) = self.files.get_mut(key) else { return };
        if entry.follow_editor(now) {
            let pending = entry.ledger.hunks().filter(|hunk| hunk.state == HunkState::Pending);
            let name = key.as_str();
            self.typed_in.extend(pending.map(|hunk| (name.to_owned(), hunk.no)));
        }
    }

    pub fn closed(&mut self, uri: &DocumentUri) {
        if let Some(open) = self.open.remove(uri)
            && let Some(entry) = self.files.get_mut(&open.key)
        {
            entry.unsaved = false;
            entry.was_open = true;
            entry.keep(&self.store, &open.key, None);
        }
    }

    pub fn saved(&mut self, uri: &DocumentUri, now: &Text) {
        let key = self.key(uri);
        if let Some(open) = self.open.get_mut(uri) {
            open.saved = now.clone();
        }
        if let Some(entry) = self.files.get_mut(&key) {
            entry.unsaved = false;
            entry.remember_saved();
            entry.keep(&self.store, &key, None);
        }
    }

    pub fn is_loading(&self, uri: &DocumentUri) -> bool {
        self.open.get(uri).is_some_and(|open| open.loading)
    }

    pub fn is_loaded(&self, key: &DocumentUri) -> bool {
        self.files.contains_key(key)
    }

    /// How many steps the ledger of a file has taken in this life.
    pub fn revision(&self, key: &DocumentUri) -> Option<u64> {
        self.files.get(key).map(|entry| entry.revision)
    }

    /// Whether the agent changed this buffer since it was last saved.
    pub fn is_unsaved(&self, uri: &DocumentUri) -> bool {
        self.files.get(&self.key(uri)).is_some_and(|entry| entry.unsaved)
    }

    /// How the ledger knows a document of the editor.
    pub fn key(&self, uri: &DocumentUri) -> DocumentUri {
        self.open.get(uri).map_or_else(|| uri.clone(), |open| open.key.clone())
    }

    /// The editor's name of a file that it has open.
    pub fn open_as(&self, key: &DocumentUri) -> Option<&DocumentUri> {
        self.open.iter().find(|(_, open)| open.key == *key).map(|(uri, _)| uri)
    }

    /// Forgets ledgers of files that are not open, when there are many: the store has them.
    pub fn forget_some(&mut self) {
        let closed = self.files.iter().filter(|(key, entry)| {
            entry.is_kept() && !self.open.values().any(|open| open.key == **key)
        });
        let closed: Vec<_> = closed.map(|(key, _)| key.clone()).collect();
        let too_many = closed.len().saturating_sub(CLOSED);
        for key in closed.iter().take(too_many) {
            self.files.remove(key);
            self.range_updates.forget(key);
        }
    }

    /// A ledger came from the store. One that is known already is newer.
    pub fn loaded(&mut self, key: &DocumentUri, stored: Option<StoredLedger>) {
        let Some(stored) = stored else { return };
        self.files.entry(key.clone()).or_insert_with(|| Entry::stored(stored));
        self.fold(key);
    }

    /// Forgets the oldest decisions of a file that has many: their text stays as it is.
    fn fold(&mut self, key: &DocumentUri) {
        let Some(ledger) = self.ledger(key) else { return };
        let decided = ledger.hunks().filter(|hunk| hunk.state != HunkState::Pending);
        let decided: Vec<_> = decided.map(|hunk| hunk.no).collect();
        let too_many = decided.len().saturating_sub(DECIDED);
        if too_many > 0 {
            self.step(key, Step::Fold { hunks: decided[..too_many].to_vec() });
        }
    }

    /// What switching hunks would do to the text of a document; else the byte where its editor has
    /// another text than the ledger knows.
    pub fn preview(
        &self,
        uri: &DocumentUri,
        hunks: &[HunkNo],
        active: bool,
        now: &Text,
    ) -> Result<Edit, usize> {
        let Some(ledger) = self.ledger(&self.key(uri)) else {
            return Ok(Edit::identity(now.len_bytes()));
        };
        let switch = ledger.preview(hunks, active);
        if ledger.text() == now {
            return Ok(switch);
        }
        // A command changed the file, and the editor has not read it yet.
        let behind = text::diff(&ledger.text().to_string(), &now.to_string());
        let overlapped = |overlap: Overlap| behind.map_offset(overlap.range.start, Bias::Before);
        switch.rebase(&behind).map_err(overlapped)
    }

    pub fn ledger(&self, key: &DocumentUri) -> Option<&Ledger> {
        self.files.get(key).map(|entry| &entry.ledger)
    }

    pub fn files(&self) -> impl Iterator<Item = (&DocumentUri, &Ledger)> {
        self.files.iter().map(|(key, entry)| (key, &entry.ledger))
    }

    /// What happened while an edit of ours was under way, and what `purpose` makes of our part.
    pub fn landed(&mut self, key: &DocumentUri, landed: &[Landed], purpose: &Purpose, now: &Text) {
        for part in landed {
            match (part, purpose) {
                (Landed::Foreign(edit), _) => {
                    self.foreign(key, edit);
                }
                (Landed::Own { before, edit }, Purpose::Agent(author)) => {
                    self.agent(key, Some(before), edit, author);
                }
                (Landed::Own { .. }, Purpose::Switch { hunks, active }) => {
                    self.step(key, Step::Switch { hunks: hunks.clone(), active: *active });
                }
                (Landed::Own { edit, .. }, Purpose::Foreign) => {
                    // What a command wrote is in the ledger already; now the editor has it too.
                    let ahead =
                        self.files.get_mut(key).map(|entry| std::mem::take(&mut entry.ahead));
                    if ahead == Some(false) {
                        self.step(key, Step::Foreign { edit: edit.clone() });
                    }
                }
            }
        }
        if let Some(entry) = self.files.get_mut(key) {
            entry.unsaved |= self.open.values().any(|open| open.key == *key);
            // Whatever the editor had not read yet, the ledger is about its text from here on.
            entry.ahead = false;
        }
        self.align(key, now);
    }

    /// A file was written that an editor opened meanwhile: it may have read the text before.
    pub fn written(&mut self, key: &DocumentUri, now: &Text) {
        self.align(key, now);
        let open = self.open_as(key).is_some();
        if let Some(entry) = self.files.get_mut(key) {
            entry.ahead = open;
        }
    }

    /// The agent changed a file; `before` is `None` for one it made.
    pub fn agent(
        &mut self,
        key: &DocumentUri,
        before: Option<&Text>,
        edit: &Edit,
        author: &Author,
    ) {
        let creates = before.is_none();
        let before = before.cloned().unwrap_or_default();
        if self.files.contains_key(key) {
            self.align(key, &before);
        } else {
            self.add_file(key, before);
        }
        self.note(&author.session, key);
        self.step(key, Step::Agent { edit: edit.clone(), author: author.clone(), creates });
    }

    fn note(&mut self, session: &str, key: &DocumentUri) {
        if self.noted.insert((session.to_owned(), key.as_str().to_owned())) {
            self.store.note(session, key);
        }
    }

    /// The agent changes a file for the first time.
    fn add_file(&mut self, key: &DocumentUri, before: Text) {
        let open = self.open.values_mut().find(|open| open.key == *key);
        let saved = open.map(|open| Ledger::new(std::mem::take(&mut open.saved)));
        self.files.insert(key.clone(), Entry::new(Ledger::new(before), saved));
    }

    /// A command of the agent changed a file on the disk. Its editor, if it has one, will show that
    /// when it looks at the disk again; until then the ledger is ahead of it.
    pub fn rewritten(&mut self, key: &DocumentUri, before: &Text, after: &Text, author: &Author) {
        // Somebody of ours wrote it while the command ran: it is in the ledger under that name.
        let known = self.ledger(key).map(Ledger::text);
        if known.is_some_and(|known| known == after) {
            return;
        }
        if known.is_some_and(|known| known != before) {
            return self.align(key, after);
        }
        let edit = text::diff(&before.to_string(), &after.to_string());
        self.agent(key, Some(before), &edit, author);
        let open = self.open_as(key).is_some();
        if let Some(entry) = self.files.get_mut(key) {
            entry.ahead = open;
        }
    }

    /// Carries out a step and keeps it. `false` when it does not fit.
    pub fn step(&mut self, key: &DocumentUri, step: Step) -> bool {
        let Some(entry) = self.files.get_mut(key) else { return false };
        let applied = match entry.ledger.apply(&step) {
            Ok(applied) => applied,
            Err(error) => {
                tracing::warn!(%error, file = key.as_str(), "a step does not fit the ledger");
                return false;
            }
        };
        entry.revision += 1;
        let is_pending = |hunk: &text::Hunk| hunk.state == HunkState::Pending;
        if !applied.edit.is_empty() && entry.ledger.hunks().any(is_pending) {
            self.range_updates.note(key);
        }
        match step {
            Step::Foreign { edit } => entry.join(edit, &self.store, key),
            step => entry.keep(&self.store, key, Some(step)),
        }
        self.news.extend(applied.made.into_iter().map(|no| (key.clone(), no, News::Added)));
        for no in applied.touched {
            let resolved =
                entry.ledger.hunk(no).is_some_and(|hunk| hunk.state != HunkState::Pending);
            if resolved {
                self.news.push((key.clone(), no, News::Resolved));
            } else {
                self.typed_in.insert((key.as_str().to_owned(), no));
            }
        }
        true
    }

    /// Takes hunks out, or puts them back, in a file that was just written that way.
    pub fn switch(&mut self, key: &DocumentUri, hunks: &[HunkNo], active: bool) {
        self.step(key, Step::Switch { hunks: hunks.to_vec(), active });
    }

    /// Makes some lines of a hunk a hunk of their own.
    pub fn split(
        &mut self,
        key: &DocumentUri,
        hunk: HunkNo,
        lines: Vec<Range<usize>>,
    ) -> Result<Vec<HunkNo>, String> {
        let entry = self.files.get_mut(key).ok_or("There is no such change.")?;
        let step = Step::Split { hunk, lines };
        let applied = entry.ledger.apply(&step).map_err(|error| error.to_string())?;
        entry.keep(&self.store, key, Some(step));
        self.news.extend(applied.made.iter().map(|no| (key.clone(), *no, News::Added)));
        self.news.push((key.clone(), hunk, News::Updated));
        Ok(applied.made)
    }

    /// Marks hunks, which changes no text.
    pub fn mark(&mut self, key: &DocumentUri, hunks: &[HunkNo], state: HunkState) {
        self.step(key, Step::Mark { hunks: hunks.to_vec(), state });
    }

    /// The text of a file as the client has it that is sent something.
    pub fn client_text(
        &self,
        key: &DocumentUri,
        receiver: Receiver,
        buffers: Option<&Buffers>,
    ) -> ClientText {
        let open = buffers.and_then(|buffers| {
            let texts = self.client_texts_where(key, buffers, |door| receiver.is(door));
            texts.into_iter().next()
        });
        open.unwrap_or_else(|| {
            let uri = self.open_as(key).unwrap_or(key);
            ClientText::closed(receiver, uri.as_str().to_owned())
        })
    }

    /// The texts of all clients that have a file open.
    fn client_texts(&self, key: &DocumentUri, buffers: &Buffers) -> Vec<ClientText> {
        self.client_texts_where(key, buffers, |_| true)
    }

    fn client_texts_where(
        &self,
        key: &DocumentUri,
        buffers: &Buffers,
        is_wanted: impl Fn(DoorId) -> bool,
    ) -> Vec<ClientText> {
        let Some(ledger) = self.ledger(key) else { return Vec::new() };
        let names = self.open.iter().filter(|(_, open)| open.key == *key);
        let mut texts = Vec::new();
        for (uri, _) in names {
            for (door, document) in buffers.all_of(uri) {
                if is_wanted(door.id) {
                    let (receiver, name) = (Receiver::from(&*door), uri.as_str().to_owned());
                    let (version, now) = (document.version, ledger.text());
                    texts.push(ClientText::open(receiver, name, version, &document.text, now));
                }
            }
        }
        texts
    }

    /// A hunk as a client sees it.
    pub fn hunk(&self, key: &DocumentUri, no: HunkNo, client: &ClientText) -> Option<Hunk> {
        wire::hunk(self.ledger(key)?, key, no, client)
    }

    /// The hunks of a document that wait for review, from top to bottom.
    pub fn pending(&self, uri: &DocumentUri, receiver: Receiver, buffers: &Buffers) -> Vec<Hunk> {
        let key = self.key(uri);
        let Some(ledger) = self.ledger(&key) else { return Vec::new() };
        let client = self.client_text(&key, receiver, Some(buffers));
        let pending = ledger.hunks().filter(|hunk| hunk.state == HunkState::Pending);
        let pending = pending.filter_map(|hunk| self.hunk(&key, hunk.no, &client));
        let mut pending: Vec<_> = pending.collect();
        pending.sort_by_key(|hunk| (hunk.range.start, hunk.range.end));
        pending
    }
}
