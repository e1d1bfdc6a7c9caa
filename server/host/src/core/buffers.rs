//! The open documents as the loop keeps them: their text, who opened them, and how each came to be
//! what it is, so that an edit computed on an older version can be moved to the present one.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use text::{Bias, Edit, PositionEncoding, Text};
use workspace::{Base, Changed, Document, DocumentUri, Documents, Snapshot, SyncError};

use super::beside::Beside;
use super::door::{Door, DoorId};
use super::event::{Computed, Sync};

/// An edit that is older than this many changes asks the model to read again.
const HISTORY: usize = 2_000;
/// Editors that send the whole text with every change would fill the memory otherwise.
const HISTORY_BYTES: usize = 4 * 1024 * 1024;
/// A position may belong to a text that is so many changes old; ropes share what is the same.
const OLD_TEXTS: usize = 64;

#[derive(Default)]
pub struct Buffers {
    documents: Documents,
    owners: HashMap<DocumentUri, Owner>,
    /// What others than the owner have open.
    beside: Beside,
    openings: u64,
}

struct Owner {
    door: Arc<Door>,
    /// Tells this opening from an earlier one of the same file.
    opened: u64,
    history: History,
    /// The newest version the editor spoke of, also in changes that did not fit.
    newest: i32,
    /// The editor has been asked for its text, or the user told; once is enough.
    resyncing: bool,
}

/// The changes of a document, oldest first.
#[derive(Default)]
struct History {
    changes: VecDeque<Made>,
    bytes: usize,
}

struct Made {
    /// The version it was made on.
    before: i32,
    /// The text of that version, for as long as somebody may speak of positions in it.
    text: Option<Text>,
    change: Edit,
    /// The session whose agent made it; nobody's is the user's.
    by: Option<String>,
}

impl History {
    fn push(&mut self, before: i32, text: Text, change: Edit) {
        self.bytes += weight(&change);
        self.changes.push_back(Made { before, text: Some(text), change, by: None });
        if let Some(old) = self.changes.len().checked_sub(OLD_TEXTS + 1) {
            self.changes[old].text = None;
        }
        while self.changes.len() > HISTORY || self.bytes > HISTORY_BYTES {
            let Some(oldest) = self.changes.pop_front() else { break };
            self.bytes -= weight(&oldest.change);
        }
    }

    fn since(&self, version: i32) -> impl Iterator<Item = &Made> {
        self.changes.iter().skip_while(move |made| made.before != version)
    }
}

fn weight(edit: &Edit) -> usize {
    let splices = edit.splices().iter().map(|splice| size_of_val(splice) + splice.text.len());
    size_of::<Edit>() + splices.sum::<usize>()
}

/// What a message did to a document.
pub enum Synced {
    Changed {
        uri: DocumentUri,
        edit: Edit,
        /// The changes it was told as, where there are several.
        steps: Vec<Edit>,
    },
    /// The text may differ from the editor's until it sends all of it.
    OutOfStep {
        uri: DocumentUri,
        error: SyncError,
    },
    /// Opened anew or closed: what was under way for the old text is void.
    Reset {
        uri: DocumentUri,
    },
    Other,
}

/// What became of a whole text that the editor was asked for.
pub enum Replaced {
    Done(Edit),
    /// The editor has changed it again since; it must be asked once more.
    TooOld,
    /// Closed, or opened anew.
    Gone,
}

impl Buffers {
    pub fn snapshot(&self) -> Snapshot {
        self.documents.snapshot()
    }

    pub fn owner(&self, uri: &DocumentUri) -> Option<&Arc<Door>> {
        self.owners.get(uri).map(|owner| &owner.door)
    }

    /// Everybody who has a document open, with their own text of it; first the one whose text counts.
    pub fn all_of(&self, uri: &DocumentUri) -> Vec<(Arc<Door>, Document)> {
        let snapshot = self.snapshot();
        let counts = self.owner(uri).cloned().zip(snapshot.by_uri(uri).cloned());
        counts.into_iter().chain(self.beside.all_of(uri)).collect()
    }

    /// Applies one message of the editor.
    pub fn sync(&mut self, door: &Arc<Door>, sync: Sync) -> Synced {
        let owner = self.owners.get(sync.uri());
        if owner.is_some_and(|owner| owner.door.id != door.id) {
            self.beside.sync(door, sync);
            return Synced::Other;
        }
        match sync {
            Sync::Open { uri, language, version, text } => {
                self.documents.open(uri.clone(), language, version, &text);
                self.openings += 1;
                let owner = Owner {
                    door: door.clone(),
                    opened: self.openings,
                    history: History::default(),
                    newest: version,
                    resyncing: false,
                };
                self.owners.insert(uri.clone(), owner);
                Synced::Reset { uri }
            }
            Sync::Change { uri, version, changes } => {
                let before = self.present(&uri);
                if let Some(owner) = self.owners.get_mut(&uri) {
                    owner.newest = owner.newest.max(version);
                }
                let changed = self.documents.change(&uri, version, changes, door.encoding());
                self.note(uri, before, changed)
            }
            Sync::Save { uri, text } => {
                let before = self.present(&uri);
                match self.documents.save(&uri, text.as_deref()) {
                    Ok(Some(edit)) => {
                        let changed = Changed { edit, steps: Vec::new(), skipped: 0 };
                        self.note(uri, before, Ok(changed))
                    }
                    _ => Synced::Other,
                }
            }
            Sync::Close { uri } => {
                if let Err(error) = self.documents.close(&uri) {
                    tracing::warn!(%error, "the editor closed what was not open");
                }
                self.owners.remove(&uri);
                Synced::Reset { uri }
            }
        }
    }

    /// A document was opened with a text that could not be read. Says whether that is news.
    pub fn open_unread(&mut self, door: &Arc<Door>, uri: DocumentUri) -> bool {
        let owner = self.owners.get(&uri);
        if owner.is_some_and(|owner| owner.door.id != door.id) || self.is_unread(&uri) {
            return false;
        }
        self.documents.open_unread(uri.clone());
        self.openings += 1;
        let owner = Owner {
            door: door.clone(),
            opened: self.openings,
            history: History::default(),
            newest: i32::MIN,
            resyncing: true,
        };
        self.owners.insert(uri, owner);
        true
    }

    /// Whether the file is open in an editor with a text that could not be read.
    pub fn is_unread(&self, uri: &DocumentUri) -> bool {
        self.snapshot().by_uri(uri).is_some_and(|document| document.unread)
    }

    /// A message of this client was lost, about this document or about any: its texts may differ from
    /// ours. Returns those for which that is news, with their openings.
    pub fn lose(&mut self, door: DoorId, only: Option<&DocumentUri>) -> Vec<(DocumentUri, u64)> {
        self.beside.lose(door);
        let mut lost = Vec::new();
        for (uri, owner) in &mut self.owners {
            if owner.door.id != door || only.is_some_and(|only| only != uri) {
                continue;
            }
            self.documents.lose(uri);
            if !owner.resyncing {
                owner.history = History::default();
                owner.resyncing = true;
                lost.push((uri.clone(), owner.opened));
            }
        }
        lost
    }

    /// What the disk says about the document, as of when it was opened or saved.
    pub fn set_base(&mut self, uri: &DocumentUri, base: Base) {
        self.documents.set_base(uri, base);
    }

    /// What the editor says about unsaved changes.
    pub fn set_dirty(&mut self, uri: &DocumentUri, dirty: bool) {
        self.documents.set_dirty(uri, dirty);
    }

    /// The change of a document that was followed by so many `later` ones is the work of a
    /// session's agent.
    pub fn claim(&mut self, uri: &DocumentUri, later: usize, session: &str) {
        let Some(owner) = self.owners.get_mut(uri) else { return };
        if let Some(change) = owner.history.changes.iter_mut().rev().nth(later) {
            change.by = Some(session.to_owned());
        }
    }

    /// What a client opened last, of all it has open.
    pub fn latest_of(&self, door: DoorId) -> Option<DocumentUri> {
        let own = self.owners.iter().filter(|(_, owner)| owner.door.id == door);
        own.max_by_key(|(_, owner)| owner.opened).map(|(uri, _)| uri.clone())
    }

    /// Which opening of the document this is.
    pub fn opened(&self, uri: &DocumentUri) -> Option<u64> {
        self.owners.get(uri).map(|owner| owner.opened)
    }

    pub fn version(&self, uri: &DocumentUri) -> Option<i32> {
        self.snapshot().by_uri(uri).map(|document| document.version)
    }

    fn present(&self, uri: &DocumentUri) -> Option<(i32, Text)> {
        self.snapshot().by_uri(uri).map(|document| (document.version, document.text.clone()))
    }

    /// The text of a version that a document had a short while ago, and how it changed since.
    pub fn since(&self, uri: &DocumentUri, version: i32) -> Option<(Text, Vec<&Edit>)> {
        let mut changes = self.owners.get(uri)?.history.since(version).peekable();
        let text = changes.peek()?.text.clone()?;
        Some((text, changes.map(|made| &made.change).collect()))
    }

    fn note(
        &mut self,
        uri: DocumentUri,
        before: Option<(i32, Text)>,
        changed: Result<Changed, SyncError>,
    ) -> Synced {
        match changed {
            Ok(Changed { edit, steps, skipped }) => {
                if skipped > 0 {
                    tracing::debug!(uri = uri.as_str(), skipped, "the editor left out versions");
                }
                if let (Some(owner), Some((version, text))) = (self.owners.get_mut(&uri), before) {
                    owner.history.push(version, text, edit.clone());
                    owner.resyncing = false;
                }
                Synced::Changed { uri, edit, steps }
            }
            Err(error) => match self.owners.get_mut(&uri) {
                Some(owner) if !owner.resyncing => {
                    owner.history = History::default();
                    owner.resyncing = true;
                    Synced::OutOfStep { uri, error }
                }
                // Known already, or about something that is not open at all.
                _ => {
                    tracing::debug!(%error, "a change did not fit");
                    Synced::Other
                }
            },
        }
    }

    /// Takes the whole text, as the editor sent it for the opening that asked.
    pub fn replace(
        &mut self,
        uri: &DocumentUri,
        opened: u64,
        version: i32,
        text: &str,
    ) -> Replaced {
        let Some(owner) = self.owners.get_mut(uri).filter(|owner| owner.opened == opened) else {
            return Replaced::Gone;
        };
        if version < owner.newest {
            return Replaced::TooOld;
        }
        owner.newest = version;
        owner.resyncing = false;
        owner.history = History::default();
        self.documents.replace(uri, version, text).map_or(Replaced::Gone, Replaced::Done)
    }

    /// A document was closed: another client that has it open too, and its text.
    pub fn heir(&mut self, uri: &DocumentUri) -> Option<(Arc<Door>, Sync)> {
        if self.owners.contains_key(uri) { None } else { self.beside.heir(uri) }
    }

    /// Forgets what a client had open when it left; returns what that was.
    pub fn forget(&mut self, door: DoorId) -> Vec<DocumentUri> {
        self.beside.forget(door);
        let left = self.owners.iter().filter(|(_, owner)| owner.door.id == door);
        let left: Vec<_> = left.map(|(uri, _)| uri.clone()).collect();
        for uri in &left {
            self.owners.remove(uri);
            // It was open a moment ago, so closing it cannot fail.
            let _ = self.documents.close(uri);
        }
        left
    }

    /// Moves an edit of a session from the version it was computed on to the present one. An error
    /// says where in the present text somebody changed the same place, as far as that is known. Of
    /// the user's typing only the very bytes count; two agents on one line do not know what the
    /// other meant by it.
    pub fn rebase(
        &self,
        document: &Document,
        computed: &Computed,
        session: Option<&str>,
    ) -> Result<Edit, usize> {
        let Computed { version, base, edit } = computed;
        if document.text == *base {
            return Ok(edit.clone());
        }
        // Versions may start anew when a file is reopened, so the way is walked with the text.
        let first = edit.splices().first().map_or(0, |splice| splice.range.start);
        let mut text = base.clone();
        let mut moved = Ok(edit.clone());
        let owner = self.owners.get(&document.uri).ok_or(first)?;
        for Made { change, by, .. } in owner.history.since(*version) {
            let another = by.is_some() && by.as_deref() != session;
            let shared = moved.as_ref().ok().filter(|_| another);
            let shared = shared.and_then(|edit| edit.shares_line(change, &text));
            if text.apply(change).is_err() {
                break;
            }
            moved = match moved.map(|edit| edit.rebase(change)) {
                Ok(Ok(_)) if shared.is_some() => {
                    Err(change.map_offset(shared.unwrap_or_default(), Bias::Before))
                }
                Ok(Ok(edit)) => Ok(edit),
                Ok(Err(overlap)) => Err(change.map_offset(overlap.range.start, Bias::Before)),
                Err(at) => Err(change.map_offset(at, Bias::Before)),
            };
        }
        if text == document.text {
            return moved;
        }
        // The way is not known, but both ends are.
        let change = text::diff(&base.to_string(), &document.text.to_string());
        let overlapped =
            |overlap: text::Overlap| change.map_offset(overlap.range.start, Bias::Before);
        edit.rebase(&change).map_err(overlapped)
    }
}

/// The edit in the shape and coordinates of the editor.
pub fn text_edits(
    edit: &Edit,
    text: &Text,
    encoding: PositionEncoding,
) -> Vec<protocol::lsp::TextEdit> {
    let position = |offset| {
        let position = text.position(offset, encoding);
        protocol::lsp::Position { line: position.line, character: position.column }
    };
    let edits = edit.splices().iter().map(|splice| protocol::lsp::TextEdit {
        range: protocol::lsp::Range {
            start: position(splice.range.start),
            end: position(splice.range.end),
        },
        new_text: splice.text.clone(),
    });
    edits.collect()
}
