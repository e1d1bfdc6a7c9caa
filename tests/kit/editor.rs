//! The part of an editor that keeps documents: real buffers, versions, and edits that are refused
//! when their version is not the buffer's.

mod batch;
mod buffer;
mod fault;
mod typist;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub use batch::Batch;
pub use buffer::Buffer;
pub use fault::Fault;
pub use typist::Typist;

use crate::profile::Encoding;

pub struct Editor {
    encoding: Encoding,
    buffers: BTreeMap<String, Buffer>,
    /// Why every edit is refused, if it is.
    pub refuses: Option<&'static str>,
    /// What goes wrong with the next edit.
    pub fault: Option<Fault>,
    /// Somebody who types around every edit.
    pub typist: Option<Typist>,
    /// What the user types at the very moment the next edit arrives.
    typed_first: Option<(String, String, String)>,
}

/// What an edit request did.
pub struct Applied {
    pub applied: bool,
    pub reason: Option<String>,
    /// `textDocument/didChange` for each document that changed.
    pub changes: Vec<Value>,
    /// The change is told before the answer, whatever the editor usually does.
    pub(crate) changes_first: bool,
    pub(crate) versions: BTreeMap<String, i32>,
}

impl Editor {
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            buffers: BTreeMap::new(),
            refuses: None,
            fault: None,
            typist: None,
            typed_first: None,
        }
    }

    pub fn text(&self, uri: &str) -> &str {
        &self.buffer(uri).text
    }

    pub fn version(&self, uri: &str) -> i32 {
        self.buffer(uri).version
    }

    /// Where a piece of the text is, as this editor says it.
    pub fn range(&self, uri: &str, piece: &str) -> Value {
        self.buffer(uri).range(piece, self.encoding)
    }

    fn buffer(&self, uri: &str) -> &Buffer {
        self.buffers.get(uri).unwrap_or_else(|| panic!("{uri} is not open"))
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) -> Value {
        self.buffers.insert(uri.to_owned(), Buffer { text: text.to_owned(), version: 1 });
        let document = json!({ "uri": uri, "languageId": "plaintext", "version": 1, "text": text });
        json!({ "textDocument": document })
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.buffers.remove(uri);
    }

    /// The user selects the first `old` and types `new`.
    pub(crate) fn replace(&mut self, uri: &str, old: &str, new: &str) -> Value {
        let encoding = self.encoding;
        let buffer = self.buffers.get_mut(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        let at = buffer.text.find(old).unwrap_or_else(|| panic!("{old:?} in {:?}", buffer.text));
        buffer.splice(uri, at..at + old.len(), new, encoding)
    }

    /// The user types at a byte range.
    pub fn splice(&mut self, uri: &str, range: std::ops::Range<usize>, new: &str) -> Value {
        let encoding = self.encoding;
        let buffer = self.buffers.get_mut(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        buffer.splice(uri, range, new, encoding)
    }

    /// Some changes of a document, made since its text was `before`, as one `didChange`.
    pub fn batch(&self, batch: Batch, uri: &str, before: &str, changes: &[Value]) -> Value {
        batch.merge(uri, before, self.buffer(uri), changes, self.encoding)
    }

    /// The text of a range, as this editor counts.
    pub fn text_of(&self, uri: &str, range: &Value) -> &str {
        let buffer = self.buffer(uri);
        let at = |point: &Value| buffer.offset(point, self.encoding);
        &buffer.text[at(&range["start"])..at(&range["end"])]
    }

    pub fn is_open(&self, uri: &str) -> bool {
        self.buffers.contains_key(uri)
    }

    /// The text becomes another one, and nobody tells the server: a bug of the editor.
    pub fn drift(&mut self, uri: &str, text: &str) -> i32 {
        let buffer = self.buffers.get_mut(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        text.clone_into(&mut buffer.text);
        buffer.version += 1;
        buffer.version
    }

    /// When the next edit arrives, the user has just replaced `old` by `new`.
    pub fn type_before_next_edit(&mut self, uri: &str, old: &str, new: &str) {
        self.typed_first = Some((uri.to_owned(), old.to_owned(), new.to_owned()));
    }

    /// The document that a workspace edit is for.
    pub fn edited(&self, edit: &Value) -> String {
        documents(edit).remove(0).0
    }

    /// Carries a workspace edit out: all of it, or nothing.
    pub fn apply(&mut self, edit: &Value) -> Applied {
        let mut changes = Vec::new();
        if let Some((uri, old, new)) = self.typed_first.take() {
            changes.push(self.replace(&uri, &old, &new));
        }
        let documents = documents(edit);
        let mut typist = self.typist.take();
        if let (Some(typist), Some((uri, version, edits))) = (&mut typist, documents.first()) {
            // Who is told no version cannot refuse: typing at that moment would be everybody's bug.
            if version.is_some() {
                changes.extend(typist.before(uri, edits, self));
            }
        }
        let mut reason = self.refuses.map(str::to_owned);
        for (uri, version, _) in &documents {
            match self.buffers.get(uri) {
                None => reason = Some(format!("{uri} is not open")),
                Some(buffer) if version.is_some_and(|version| version != buffer.version) => {
                    reason = Some("the document changed".to_owned());
                }
                Some(_) => {}
            }
        }
        let mut applied = reason.is_none() && !documents.is_empty();
        let fault = if applied { self.fault.take() } else { None };
        let mut versions = BTreeMap::new();
        if applied {
            for (uri, _, edits) in documents {
                let edits = fault.map_or(edits.clone(), |fault| fault.spoil(edits));
                let buffer = self.buffers.get_mut(&uri).unwrap();
                if !edits.is_empty() {
                    let mut change = buffer.apply(&uri, &edits, self.encoding);
                    if fault == Some(Fault::Mixes) {
                        let typed = buffer.splice(&uri, 0..0, "«typed»", self.encoding);
                        buffer.version -= 1;
                        let typed = typed["contentChanges"][0].clone();
                        change["contentChanges"].as_array_mut().unwrap().push(typed);
                    }
                    changes.push(change);
                }
                versions.insert(uri, buffer.version);
            }
        }
        if let Some(typist) = &mut typist {
            changes.extend(
                versions
                    .keys()
                    .cloned()
                    .collect::<Vec<_>>()
                    .iter()
                    .flat_map(|uri| typist.after(uri, self)),
            );
        }
        self.typist = typist;
        if let Some(fault) = fault.filter(|fault| !fault.says_applied()) {
            applied = false;
            reason = Some(format!("{fault:?}"));
        }
        let changes_first = fault == Some(Fault::ChangesFirst);
        Applied { applied, reason, changes, changes_first, versions }
    }
}

/// Both shapes of a workspace edit: `(uri, version, edits)`.
fn documents(edit: &Value) -> Vec<(String, Option<i32>, Vec<Value>)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let versioned = list(&edit["documentChanges"]).into_iter().map(|change| {
        let document = &change["textDocument"];
        let version = document["version"].as_i64().and_then(|version| i32::try_from(version).ok());
        let uri = document["uri"].as_str().expect("an edit of a text").to_owned();
        (uri, version, list(&change["edits"]))
    });
    let plain = edit["changes"].as_object().cloned().unwrap_or_default();
    let plain = plain.into_iter().map(|(uri, edits)| (uri, None, list(&edits)));
    versioned.chain(plain).collect()
}
