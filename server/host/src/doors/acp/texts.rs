//! The client's texts. It has some, and never says which: each is asked for when somebody looks, and
//! what was got is remembered, so that a change can be computed, checked and believed.
//!
//! For the core this is an editor: it gives texts with versions, takes edits of exactly such a version
//! and says what became of them. A write is checked twice: nothing is written over a text that is not
//! the one the edit was made for, and what the client has afterwards is read back.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::editor::{
    EditorApplyParams, EditorApplyResult, EditorTextParams, EditorTextResult,
};
use protocol::lsp::{DocumentChange, TextDocumentEdit};
use text::{Position, PositionEncoding, Text};
use tokio::sync::Mutex;
use workspace::{
    Change, DocumentUri, Documents, Expected, ReadError, Snapshot, View, WriteOptions,
};

use super::client::{read_file, write_file};
use super::peer::Peer;
use crate::core::{Event, RpcError, Sync};

/// So many texts are remembered; the one that was not looked at for longest goes.
const MOST: usize = 256;

/// One thing at a time: between reading a text and writing it nobody else may act on it.
#[derive(Default)]
pub(super) struct Texts(Mutex<Known>);

#[derive(Default)]
struct Known {
    documents: Documents,
    /// The one looked at last is the last.
    looked_at: VecDeque<DocumentUri>,
}

impl Texts {
    /// What the client has now.
    pub(super) async fn text(
        &self,
        peer: &Peer,
        params: EditorTextParams,
    ) -> Result<EditorTextResult, RpcError> {
        let uri = DocumentUri::new(&params.uri);
        let path = path_of(&uri)?;
        let mut known = self.0.lock().await;
        // A folder or a picture is nothing to ask a client for.
        let exists = is_on_disk(&path).await?;
        let text = match read_file(peer, &path).await {
            Ok(text) => text,
            Err(_) if !exists => {
                known.forget(&uri);
                return Err(RpcError::new(RpcError::NOT_THERE, "There is no such file."));
            }
            Err(error) => return Err(error),
        };
        let version = known.take(&uri, &text);
        for old in known.too_many() {
            let (door, sync) = (peer.door.clone(), Sync::Close { uri: old });
            peer.core.send(Event::Sync { door, sync }).await;
        }
        Ok(EditorTextResult { version, text })
    }

    /// Changes one document.
    pub(super) async fn apply(
        &self,
        peer: &Arc<Peer>,
        params: EditorApplyParams,
    ) -> Result<EditorApplyResult, RpcError> {
        let [DocumentChange::Edit(edit)] = params.edit.document_changes.as_slice() else {
            return Ok(refused("only edits of one file can be made in this client"));
        };
        let uri = DocumentUri::new(&edit.text_document.uri);
        let path = path_of(&uri)?;
        let mut known = self.0.lock().await;
        let is_new = !known.has(&uri);
        let now = match read_file(peer, &path).await {
            Ok(now) => now,
            // It is to be made; what others made meanwhile was found just now.
            Err(_) if is_new && !is_on_disk(&path).await? => String::new(),
            Err(error) => return Ok(refused(&error.message)),
        };
        if is_new {
            known.documents.open(uri.clone(), String::new(), 0, "");
        }
        let before = known.text(&uri);
        if before != *now.as_str() {
            let version = known.take(&uri, &now);
            let change = Change { range: None, text: now };
            changed(peer, &uri, version, vec![change]).await;
            return Ok(refused("its text has changed meanwhile"));
        }
        let (changes, version) = (changes(edit), known.version(&uri) + 1);
        let changed_text = known.documents.change(&uri, version, changes.clone(), ENCODING);
        if changed_text.is_err() {
            known.forget(&uri);
            return Ok(refused("the edit does not fit its text"));
        }
        let wanted = known.text(&uri).to_string();
        if let Err(reason) = put(peer, &path, &before, &wanted, is_new).await {
            known.restore(&uri, &before);
            if is_new {
                known.forget(&uri);
                let (door, sync) = (peer.door.clone(), Sync::Close { uri });
                peer.core.send(Event::Sync { door, sync }).await;
            }
            return Ok(refused(&reason));
        }
        // What it has now is what counts, whatever it said.
        let got = read_file(peer, &path).await.unwrap_or_else(|_| wanted.clone());
        let version = known.take(&uri, &got);
        let changes = match got == wanted {
            true => changes,
            false => vec![Change { range: None, text: got }],
        };
        let is_saved = is_saved(&path, known.text(&uri)).await;
        drop(known);
        changed(peer, &uri, version, changes).await;
        if is_saved {
            let (door, sync) = (peer.door.clone(), Sync::Save { uri, text: None });
            peer.core.send(Event::Sync { door, sync }).await;
        }
        Ok(EditorApplyResult { applied: true, versions: None, reason: None })
    }
}

const ENCODING: PositionEncoding = PositionEncoding::Utf8;

impl Known {
    fn has(&self, uri: &DocumentUri) -> bool {
        self.documents.snapshot().by_uri(uri).is_some()
    }

    fn text(&self, uri: &DocumentUri) -> Text {
        let snapshot = self.documents.snapshot();
        snapshot.by_uri(uri).map(|document| document.text.clone()).unwrap_or_default()
    }

    fn version(&self, uri: &DocumentUri) -> i32 {
        self.documents.snapshot().by_uri(uri).map_or(0, |document| document.version)
    }

    /// Remembers a text and gives its version: another one only when the text is another.
    fn take(&mut self, uri: &DocumentUri, text: &str) -> i32 {
        self.looked_at.retain(|known| known != uri);
        self.looked_at.push_back(uri.clone());
        let version = self.version(uri);
        if !self.has(uri) {
            self.documents.open(uri.clone(), String::new(), 1, text);
            return 1;
        }
        if self.text(uri) == *text {
            return version;
        }
        // It is open, so replacing its text cannot fail.
        let _ = self.documents.replace(uri, version + 1, text);
        version + 1
    }

    /// As it was, under the version that it had.
    fn restore(&mut self, uri: &DocumentUri, text: &Text) {
        let version = self.version(uri) - 1;
        let _ = self.documents.replace(uri, version, &text.to_string());
    }

    fn forget(&mut self, uri: &DocumentUri) {
        self.looked_at.retain(|known| known != uri);
        let _ = self.documents.close(uri);
    }

    fn too_many(&mut self) -> Vec<DocumentUri> {
        let more = self.looked_at.len().saturating_sub(MOST);
        let old: Vec<_> = self.looked_at.drain(..more).collect();
        for uri in &old {
            let _ = self.documents.close(uri);
        }
        old
    }
}

async fn changed(peer: &Peer, uri: &DocumentUri, version: i32, changes: Vec<Change>) {
    let (door, uri) = (peer.door.clone(), uri.clone());
    peer.core.send(Event::Sync { door, sync: Sync::Change { uri, version, changes } }).await;
}

/// All in terms of the text before, so the last one comes first.
fn changes(edit: &TextDocumentEdit) -> Vec<Change> {
    let mut edits: Vec<_> = edit.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.range.start.line, edit.range.start.character)));
    let position = |at: protocol::lsp::Position| Position { line: at.line, column: at.character };
    let changes = edits.into_iter().map(|edit| Change {
        range: Some(position(edit.range.start)..position(edit.range.end)),
        text: edit.new_text.clone(),
    });
    changes.collect()
}

/// Through the client where it writes; else on the disk, where nothing is unsaved in the client.
async fn put(
    peer: &Peer,
    path: &Path,
    before: &Text,
    text: &str,
    is_new: bool,
) -> Result<(), String> {
    if peer.capabilities().fs.write_text_file {
        return write_file(peer, path, text).await.map_err(|error| error.message);
    }
    let (path, before, text) = (path.to_owned(), before.clone(), text.to_owned());
    let written = tokio::task::spawn_blocking(move || {
        let options = |expected| WriteOptions { expected: Some(expected), create_parents: true };
        if is_new {
            let format = text::Format { encoding: text::Encoding::Utf8, newline: text::Newline::Lf };
            let written =
                workspace::write_text(&path, &text, &format, &options(Expected::Absent));
            return written.map(drop).map_err(|error| error.to_string());
        }
        let view = View::new(Snapshot::default());
        let file = view.read(&path).map_err(|error| error.to_string())?;
        if workspace::common_base(&path, &before).text != before {
            return Err("it has unsaved changes there, and the client takes no edits".to_owned());
        }
        let expected = Expected::Text(file.fingerprint());
        let written = workspace::write_text(&path, &text, &file.format, &options(expected));
        written.map(drop).map_err(|error| error.to_string())
    });
    written.await.unwrap_or_else(|error| Err(error.to_string()))
}

fn refused(reason: &str) -> EditorApplyResult {
    EditorApplyResult { applied: false, versions: None, reason: Some(reason.to_owned()) }
}

fn path_of(uri: &DocumentUri) -> Result<PathBuf, RpcError> {
    uri.to_path().ok_or_else(|| RpcError::failed("Only files have a text in this client."))
}

/// An error for what is there and has no text.
async fn is_on_disk(path: &Path) -> Result<bool, RpcError> {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || View::new(Snapshot::default()).read(&path));
    match read.await {
        Ok(Ok(_)) => Ok(true),
        Ok(Err(ReadError::NotFound { .. })) => Ok(false),
        Ok(Err(error)) => Err(RpcError::failed(error.to_string())),
        Err(error) => Err(RpcError::new(RpcError::INTERNAL, error.to_string())),
    }
}

/// Whether the disk says the same.
async fn is_saved(path: &Path, text: Text) -> bool {
    let path = path.to_owned();
    let same = move || {
        let exists = View::new(Snapshot::default()).exists(&path).unwrap_or(false);
        exists && workspace::common_base(&path, &text).text == text
    };
    tokio::task::spawn_blocking(same).await.unwrap_or(false)
}
