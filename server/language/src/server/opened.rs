//! The documents a server has open, and how it learns what they say.
//!
//! Versions are ours alone and never used twice, also not for a document that was closed and opened
//! again: whatever a server says about an older version can always be told from the newest.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use text::{PositionEncoding, Text, common_ends};
use workspace::DocumentUri;

use super::capabilities::{Capabilities, Sync};
use super::verdict::Verdict;
use crate::lsp::uri;

/// More documents than this nobody works on at once, and each costs the server memory.
pub(super) const MOST_OPEN: usize = 50;

#[derive(Debug, Default)]
pub(super) struct Opened {
    documents: HashMap<PathBuf, Document>,
    last_version: i32,
}

/// One open document, as the server has it.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: DocumentUri,
    pub(super) version: i32,
    pub(super) text: Text,
    pub(super) verdict: Verdict,
}

impl Opened {
    pub(super) fn get(&self, path: &Path) -> Option<&Document> {
        self.documents.get(path)
    }

    pub(super) fn get_mut(&mut self, path: &Path) -> Option<&mut Document> {
        self.documents.get_mut(path)
    }

    /// The documents the server was asked for a report about, and has not answered.
    pub(super) fn awaited_reports(&self) -> Vec<(PathBuf, i32)> {
        let awaited = self.documents.iter().filter(|(_, document)| document.verdict.asking);
        awaited.map(|(path, document)| (path.clone(), document.version)).collect()
    }

    pub(super) fn paths(&self) -> BTreeSet<PathBuf> {
        self.documents.keys().cloned().collect()
    }

    /// What every open document says.
    pub(super) fn texts(&self) -> HashMap<PathBuf, Text> {
        let texts = self.documents.iter();
        texts.map(|(path, document)| (path.clone(), document.text.clone())).collect()
    }

    /// Brings the server to this text, with the notifications that `send` takes.
    pub(super) fn bring(
        &mut self,
        path: &Path,
        text: &Text,
        language: &str,
        capabilities: &Capabilities,
        send: &mut dyn FnMut(&str, Value),
    ) -> Result<(), String> {
        let Some(document) = self.documents.get_mut(path) else {
            return self.open(path, text, language, send);
        };
        if document.text == *text {
            return Ok(());
        }
        let Capabilities { encoding, sync, .. } = capabilities;
        let change = match sync {
            Sync::Reopen => {
                self.close(path, send);
                return self.open(path, text, language, send);
            }
            Sync::Full => json!({ "text": text.to_string() }),
            Sync::Incremental => difference(&document.text, text, *encoding),
        };
        self.last_version += 1;
        document.version = self.last_version;
        document.text = text.clone();
        document.verdict.outdate();
        let identifier = json!({ "uri": document.uri.as_str(), "version": document.version });
        let params = json!({ "textDocument": identifier, "contentChanges": [change] });
        send("textDocument/didChange", params);
        Ok(())
    }

    fn open(
        &mut self,
        path: &Path,
        text: &Text,
        language: &str,
        send: &mut dyn FnMut(&str, Value),
    ) -> Result<(), String> {
        let uri = uri(path)?;
        if self.documents.len() >= MOST_OPEN {
            // The one that was changed longest ago.
            let oldest = self.documents.iter().min_by_key(|(_, document)| document.version);
            if let Some(oldest) = oldest.map(|(path, _)| path.clone()) {
                self.close(&oldest, send);
            }
        }
        self.last_version += 1;
        let version = self.last_version;
        let params = json!({ "textDocument": {
            "uri": uri.as_str(), "languageId": language, "version": version, "text": text.to_string(),
        }});
        let document = Document { uri, version, text: text.clone(), verdict: Verdict::default() };
        self.documents.insert(path.to_owned(), document);
        send("textDocument/didOpen", params);
        Ok(())
    }

    pub(super) fn close(&mut self, path: &Path, send: &mut dyn FnMut(&str, Value)) {
        if let Some(document) = self.documents.remove(path) {
            let params = json!({ "textDocument": { "uri": document.uri.as_str() } });
            send("textDocument/didClose", params);
        }
    }
}

/// The one change that makes a text of another: everything between what they have in common.
fn difference(old: &Text, new: &Text, encoding: PositionEncoding) -> Value {
    let (head, tail) = common_ends(old, new);
    // A place between `\r` and `\n` has no name, and a `\r` that loses or gets its `\n` changes
    // how many lines there are: such a pair is replaced whole.
    let start =
        if splits_newline(old, head) || splits_newline(new, head) { head - 1 } else { head };
    let cut =
        splits_newline(old, old.len_bytes() - tail) || splits_newline(new, new.len_bytes() - tail);
    let tail = if cut { tail - 1 } else { tail };
    let end = old.len_bytes() - tail;
    let position = |offset: usize| {
        let text::Position { line, column } = old.position(offset, encoding);
        json!({ "line": line, "character": column })
    };
    let inserted = new.slice(start..new.len_bytes() - tail).unwrap_or_default();
    json!({ "range": { "start": position(start), "end": position(end) }, "text": inserted })
}

fn splits_newline(text: &Text, offset: usize) -> bool {
    offset > 0 && text.slice(offset - 1..offset + 1).is_some_and(|pair| pair == "\r\n")
}

#[cfg(test)]
mod tests;
