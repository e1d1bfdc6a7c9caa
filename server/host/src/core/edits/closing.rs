//! Edits whose documents were closed before the receipt came.
//!
//! The editor may have saved the document with the edit in it, or thrown it away. It tells of
//! neither, but the file does.

use text::Text;
use tools::{EditError, Edited};
use workspace::{DocumentUri, Snapshot, View};

use super::pending::{Answered, Pending};
use super::receipt::{Deviation, Verdict};
use super::{Edits, Ended, name};
use crate::core::event::{CoreHandle, Event};

/// An edit that waits for what the file says.
pub(super) struct Closing {
    pending: Pending,
    /// How the ledger knew the document.
    key: DocumentUri,
}

impl Edits {
    /// The document was closed: the file decides about what was under way. `key` is how the
    /// ledger knew it.
    pub fn closed(&mut self, uri: &DocumentUri, key: &DocumentUri) -> Vec<Ended> {
        let mut ended = Vec::new();
        for (id, pending) in self.take(uri) {
            match pending.answer {
                // Surely not applied: whoever asked may look again where the text is now.
                Answered::Refused(_) => ended.push(pending.ended(None, None)),
                Answered::NotYet | Answered::Applied => {
                    read_later(&self.core, id, key);
                    self.closing.insert(id, Closing { pending, key: key.clone() });
                }
            }
        }
        ended
    }

    /// The document was opened anew with this text, which decides.
    pub fn reopened(&mut self, uri: &DocumentUri, key: &DocumentUri, text: &Text) -> Vec<Ended> {
        let pending = self.take(uri).into_iter().map(|(_, pending)| pending);
        pending
            .map(|pending| Closing { pending, key: key.clone() }.decide(Some(text.clone())))
            .collect()
    }

    /// What the file of a closed document says is known; nothing when it cannot be read.
    pub fn file_read(&mut self, id: u64, text: Option<Text>) -> Option<Ended> {
        Some(self.closing.remove(&id)?.decide(text))
    }

    fn take(&mut self, uri: &DocumentUri) -> Vec<(u64, Pending)> {
        let of_document = self.pending.iter().filter(|(_, pending)| pending.uri == *uri);
        let ids: Vec<_> = of_document.map(|(id, _)| *id).collect();
        ids.into_iter().filter_map(|id| Some((id, self.pending.remove(&id)?))).collect()
    }
}

impl Closing {
    fn decide(self, text: Option<Text>) -> Ended {
        let Closing { mut pending, key } = self;
        let found = text.as_ref().map(|text| pending.sent.verdict_on(text));
        let mut ended = match (found, &text) {
            (Some(Verdict::Applied(found)), Some(text)) => {
                let deviation = found.deviation().map(Deviation::sentence);
                let edited = Edited { text: text.clone(), version: None, deviation, own: None };
                pending.found_in_file(found, Ok(edited))
            }
            _ if matches!(pending.answer, Answered::Refused(_)) => pending.ended(None, None),
            _ => {
                let error = EditError::Unexpected { path: name(&pending.uri) };
                pending.ended(None, Some(Err(error)))
            }
        };
        (ended.key, ended.text) = (Some(key), text);
        ended
    }
}

fn read_later(core: &CoreHandle, edit: u64, key: &DocumentUri) {
    let (core, path) = (core.clone(), key.to_path());
    tokio::spawn(async move {
        let read = move || View::new(Snapshot::default()).read(&path?).ok();
        let file = tokio::task::spawn_blocking(read).await.ok().flatten();
        core.send(Event::ClosedFileRead { edit, text: file.map(|file| file.text) }).await;
    });
}
