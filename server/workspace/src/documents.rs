//! What the editor has open.
//!
//! One owner, the main loop, calls these functions in the order of the wire. Nothing here touches
//! the disk or waits. A change either applies whole or not at all, and a document that may differ
//! from what the user sees is marked until the client sends its full text: better to say so than to
//! write into the wrong line.

use std::ops::Range;

use text::{CannotApply, Edit, OutsideText, Position, PositionEncoding, Splice, Text};

use crate::document::Document;
use crate::overlay::Base;
use crate::snapshot::Snapshot;
use crate::uri::DocumentUri;

/// The open documents. Readers get a [`Snapshot`].
#[derive(Debug, Default)]
pub struct Documents {
    /// Shared with the snapshots handed out, and copied on the first write after that.
    current: Snapshot,
}

/// One change of a document, as the client sends it. Without a range it is the whole new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub range: Option<Range<Position>>,
    pub text: String,
}

/// A change that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// From the text before to the text after, all changes of the message as one.
    pub edit: Edit,
    /// The changes of the message, each on the result of the one before, where there are several.
    pub steps: Vec<Edit>,
    /// How many versions the client left out. That is allowed, and worth a line in the log.
    pub skipped: u32,
}

/// Why nothing was applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyncError {
    #[error("{uri} is not open; open it before changing it")]
    NotOpen { uri: DocumentUri },
    #[error("change {index} of {uri} does not fit: {cause}; send the full text")]
    OutsideText { uri: DocumentUri, index: usize, cause: OutsideText },
    #[error(
        "{uri} is at version {have}, and a change says {got}; send the full text with a newer one"
    )]
    StaleVersion { uri: DocumentUri, have: i32, got: i32 },
    #[error("{uri} is out of step since an earlier change that did not fit; send the full text")]
    OutOfSync { uri: DocumentUri },
    #[error("the changes of {uri} do not follow each other: {cause}; send the full text")]
    Broken { uri: DocumentUri, cause: CannotApply },
}

impl Documents {
    /// Opens a document. One that is known is replaced: the client has the last word.
    pub fn open(&mut self, uri: DocumentUri, language: String, version: i32, text: &str) {
        let document = Document::new(uri, language, version, Text::from(text));
        self.current.insert(document);
    }

    /// Opens a document whose text could not be read. Until the whole text comes, it can neither be
    /// read nor changed.
    pub fn open_unread(&mut self, uri: DocumentUri) {
        let mut document = Document::new(uri, String::new(), i32::MIN, Text::default());
        (document.in_sync, document.unread) = (false, true);
        self.current.insert(document);
    }

    /// A message about a document may have been lost, so its text may differ from the editor's.
    pub fn lose(&mut self, uri: &DocumentUri) {
        if let Ok(document) = self.document(uri) {
            document.in_sync = false;
        }
    }

    /// Applies the changes in order, each on the result of the one before, or none of them.
    ///
    /// After an error the document is out of sync: its text stays as it was and says so to readers
    /// until it is replaced or opened again, or a change brings the whole text.
    pub fn change(
        &mut self,
        uri: &DocumentUri,
        version: i32,
        changes: Vec<Change>,
        encoding: PositionEncoding,
    ) -> Result<Changed, SyncError> {
        let document = self.document(uri)?;
        let outcome = apply(document, version, changes, encoding);
        match &outcome {
            Ok((text, changed)) => {
                document.advance(text.clone(), removed(&changed.edit));
                document.version = version;
                document.dirty = true;
                (document.in_sync, document.unread) = (true, false);
            }
            Err(_) => document.in_sync = false,
        }
        outcome.map(|(_, changed)| changed)
    }

    /// Takes the whole text, for instance as the answer to a request for it. Any version will do.
    pub fn replace(
        &mut self,
        uri: &DocumentUri,
        version: i32,
        text: &str,
    ) -> Result<Edit, SyncError> {
        let document = self.document(uri)?;
        let edit = whole(&document.text, text);
        if document.text != *text {
            document.advance(Text::from(text), removed(&edit));
            document.dirty = true;
        }
        document.version = version;
        (document.in_sync, document.unread) = (true, false);
        Ok(edit)
    }

    /// The client saved the document. When it sends the text along and ours differs, ours was
    /// wrong: the edit that put it right is returned.
    pub fn save(
        &mut self,
        uri: &DocumentUri,
        text: Option<&str>,
    ) -> Result<Option<Edit>, SyncError> {
        let document = self.document(uri)?;
        let edit = match text {
            Some(text) if document.text != *text => {
                let edit = whole(&document.text, text);
                document.advance(Text::from(text), removed(&edit));
                Some(edit)
            }
            _ => None,
        };
        if text.is_some() {
            (document.in_sync, document.unread) = (true, false);
        }
        document.claim();
        Ok(edit)
    }

    /// Takes what [`crate::common_base`] found for a document that was opened or saved. What the
    /// document has gone past since changes nothing, nor does one that is closed by now.
    pub fn set_base(&mut self, uri: &DocumentUri, base: Base) {
        if let Ok(document) = self.document(uri) {
            document.confirm(base);
        }
    }

    /// The editor says whether a document has unsaved changes. When it has none, the file says the
    /// same, however it came to that.
    pub fn set_dirty(&mut self, uri: &DocumentUri, dirty: bool) {
        let Ok(document) = self.document(uri) else { return };
        match dirty {
            true => document.dirty = true,
            false if document.dirty => document.claim(),
            false => {}
        }
    }

    /// Forgets a document; from now on its file is what is on the disk.
    pub fn close(&mut self, uri: &DocumentUri) -> Result<(), SyncError> {
        if self.current.remove(uri) {
            return Ok(());
        }
        Err(SyncError::NotOpen { uri: uri.clone() })
    }

    /// Whether the client must send the full text of this document.
    pub fn needs_resync(&self, uri: &DocumentUri) -> bool {
        self.current.by_uri(uri).is_some_and(|document| !document.in_sync)
    }

    /// Everything that is open, as it is now. It costs one counter, and the next change one copy of
    /// the list of documents, not of their text.
    pub fn snapshot(&self) -> Snapshot {
        self.current.clone()
    }

    fn document(&mut self, uri: &DocumentUri) -> Result<&mut Document, SyncError> {
        self.current.by_uri_mut(uri).ok_or_else(|| SyncError::NotOpen { uri: uri.clone() })
    }
}

fn apply(
    document: &Document,
    version: i32,
    changes: Vec<Change>,
    encoding: PositionEncoding,
) -> Result<(Text, Changed), SyncError> {
    let uri = &document.uri;
    if version <= document.version {
        let have = document.version;
        return Err(SyncError::StaleVersion { uri: uri.clone(), have, got: version });
    }
    let skipped = version.abs_diff(document.version) - 1;
    let mut text = document.text.clone();
    let mut in_sync = document.in_sync;
    let mut edit = Edit::identity(text.len_bytes());
    let several = changes.len() > 1;
    let mut steps = Vec::new();
    for (index, change) in changes.into_iter().enumerate() {
        let next = match change.range {
            None => {
                in_sync = true;
                whole(&text, &change.text)
            }
            Some(_) if !in_sync => return Err(SyncError::OutOfSync { uri: uri.clone() }),
            Some(range) => {
                let bytes = text
                    .range(range, encoding)
                    .map_err(|cause| SyncError::OutsideText { uri: uri.clone(), index, cause })?;
                splice(&text, bytes, change.text).map_err(broken(uri))?
            }
        };
        text.apply(&next).map_err(broken(uri))?;
        edit = Edit::compose(&edit, &next).map_err(broken(uri))?;
        if several {
            steps.push(next);
        }
    }
    if !in_sync {
        return Err(SyncError::OutOfSync { uri: uri.clone() });
    }
    Ok((text, Changed { edit, steps, skipped }))
}

/// How many bytes of the old text an edit takes away.
fn removed(edit: &Edit) -> usize {
    edit.splices().iter().map(|splice| splice.range.len()).sum()
}

/// Only what differs: an editor that always sends everything must not look like one whose user
/// rewrote everything, or no edit could be moved over its changes.
fn whole(old: &Text, new: &str) -> Edit {
    text::diff(&old.to_string(), new)
}

/// The range comes from the text itself, so it always makes an edit; an error keeps the types true.
fn splice(old: &Text, range: Range<usize>, new: String) -> Result<Edit, CannotApply> {
    let len = old.len_bytes();
    let end = range.end;
    Edit::new(len, vec![Splice::new(range, new)])
        .map_err(|_| CannotApply::LengthMismatch { expected: len, found: end })
}

fn broken(uri: &DocumentUri) -> impl Fn(CannotApply) -> SyncError + '_ {
    |cause| SyncError::Broken { uri: uri.clone(), cause }
}

#[cfg(test)]
mod tests;
