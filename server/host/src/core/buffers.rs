//! The open documents as the loop keeps them: their text, who opened them, and how each came to be
//! what it is, so that an edit computed on an older version can be moved to the present one.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use text::{Edit, PositionEncoding, Text};
use workspace::{Changed, Document, DocumentUri, Documents, Snapshot, SyncError};

use super::door::{Door, DoorId};
use super::event::Sync;

/// An edit that is older than this many changes asks the model to read again.
const HISTORY: usize = 2_000;

#[derive(Default)]
pub struct Buffers {
    documents: Documents,
    owners: HashMap<DocumentUri, Owner>,
}

struct Owner {
    door: Arc<Door>,
    /// `(version before, change)`, oldest first; empty after a change that was not incremental.
    history: VecDeque<(i32, Edit)>,
}

/// What a message did to a document.
pub enum Synced {
    Changed {
        uri: DocumentUri,
        edit: Edit,
    },
    /// The text may differ from the editor's until it sends all of it.
    OutOfStep {
        uri: DocumentUri,
        error: SyncError,
    },
    Other,
}

impl Buffers {
    pub fn snapshot(&self) -> Snapshot {
        self.documents.snapshot()
    }

    pub fn owner(&self, uri: &DocumentUri) -> Option<&Arc<Door>> {
        self.owners.get(uri).map(|owner| &owner.door)
    }

    /// Applies one message of the editor.
    pub fn sync(&mut self, door: &Arc<Door>, sync: Sync) -> Synced {
        match sync {
            Sync::Open { uri, language, version, text } => {
                self.documents.open(uri.clone(), language, version, &text);
                self.owners.insert(uri, Owner { door: door.clone(), history: VecDeque::new() });
                Synced::Other
            }
            Sync::Change { uri, version, changes } => {
                let before = self.version(&uri);
                let changed = self.documents.change(&uri, version, changes, door.encoding());
                self.note(uri, before, changed)
            }
            Sync::Save { uri, text } => {
                let before = self.version(&uri);
                match self.documents.save(&uri, text.as_deref()) {
                    Ok(Some(edit)) => self.note(uri, before, Ok(Changed { edit, skipped: 0 })),
                    _ => Synced::Other,
                }
            }
            Sync::Close { uri } => {
                if let Err(error) = self.documents.close(&uri) {
                    tracing::warn!(%error, "the editor closed what was not open");
                }
                self.owners.remove(&uri);
                Synced::Other
            }
        }
    }

    fn version(&self, uri: &DocumentUri) -> Option<i32> {
        self.snapshot().by_uri(uri).map(|document| document.version)
    }

    fn note(
        &mut self,
        uri: DocumentUri,
        before: Option<i32>,
        changed: Result<Changed, SyncError>,
    ) -> Synced {
        match changed {
            Ok(Changed { edit, skipped }) => {
                if skipped > 0 {
                    tracing::debug!(uri = uri.as_str(), skipped, "the editor left out versions");
                }
                if let (Some(owner), Some(before)) = (self.owners.get_mut(&uri), before) {
                    owner.history.push_back((before, edit.clone()));
                    if owner.history.len() > HISTORY {
                        owner.history.pop_front();
                    }
                }
                Synced::Changed { uri, edit }
            }
            Err(error) => {
                if let Some(owner) = self.owners.get_mut(&uri) {
                    owner.history.clear();
                }
                Synced::OutOfStep { uri, error }
            }
        }
    }

    /// Takes the whole text, as the editor sent it. `None` when that document is closed by now.
    pub fn replace(&mut self, uri: &DocumentUri, version: i32, text: &str) -> Option<Edit> {
        let edit = self.documents.replace(uri, version, text).ok();
        if let Some(owner) = self.owners.get_mut(uri) {
            owner.history.clear();
        }
        edit
    }

    /// Forgets what a client had open when it left.
    pub fn forget(&mut self, door: DoorId) {
        let left = self.owners.iter().filter(|(_, owner)| owner.door.id == door);
        let left: Vec<_> = left.map(|(uri, _)| uri.clone()).collect();
        for uri in left {
            self.owners.remove(&uri);
            // It was open a moment ago, so closing it cannot fail.
            let _ = self.documents.close(&uri);
        }
    }

    /// Moves an edit from the version it was computed on to the present one. `None` when the same
    /// place changed meanwhile, or the way from there to here is not known.
    pub fn rebase(
        &self,
        document: &Document,
        version: i32,
        base: &Text,
        edit: &Edit,
    ) -> Option<Edit> {
        if document.version == version || document.text == *base {
            return Some(edit.clone());
        }
        let history = &self.owners.get(&document.uri)?.history;
        let mut later = history.iter().skip_while(|(before, _)| *before != version).peekable();
        later.peek()?;
        later.try_fold(edit.clone(), |edit, (_, change)| edit.rebase(change).ok())
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
