//! One document, as an editor has it. Positions are counted here in the plainest way there is, so
//! that the server's counting is checked and not repeated.

use std::ops::Range;

use serde_json::{Value, json};

use crate::profile::Encoding;

#[derive(Clone, Debug)]
pub struct Buffer {
    pub text: String,
    pub version: i32,
}

impl Buffer {
    /// Where the first such piece is.
    pub fn range(&self, piece: &str, encoding: Encoding) -> Value {
        let at = self.text.find(piece).unwrap_or_else(|| panic!("{piece:?} in {:?}", self.text));
        let start = position(&self.text, at, encoding);
        json!({ "start": start, "end": position(&self.text, at + piece.len(), encoding) })
    }

    /// Types, and says so as `didChange`.
    pub fn splice(
        &mut self,
        uri: &str,
        range: Range<usize>,
        new: &str,
        encoding: Encoding,
    ) -> Value {
        let start = position(&self.text, range.start, encoding);
        let end = position(&self.text, range.end, encoding);
        self.text.replace_range(range, new);
        self.version += 1;
        let change = json!({ "range": { "start": start, "end": end }, "text": new });
        did_change(uri, self.version, &[change])
    }

    /// The byte of a position.
    pub fn offset(&self, position: &Value, encoding: Encoding) -> usize {
        offset(&self.text, position, encoding)
    }

    /// Text edits of one version, told as changes one after the other.
    pub fn apply(&mut self, uri: &str, edits: &[Value], encoding: Encoding) -> Value {
        let range = |edit: &Value| {
            let at = |point: &Value| offset(&self.text, point, encoding);
            at(&edit["range"]["start"])..at(&edit["range"]["end"])
        };
        let mut splices: Vec<_> =
            edits.iter().map(|edit| (range(edit), edit["newText"].as_str().unwrap())).collect();
        // From the end, so that the places of the others stay what they are.
        splices.sort_by_key(|(range, _)| range.start);
        let mut changes = Vec::new();
        for (range, new) in splices.into_iter().rev() {
            let start = position(&self.text, range.start, encoding);
            let end = position(&self.text, range.end, encoding);
            self.text.replace_range(range, new);
            changes.push(json!({ "range": { "start": start, "end": end }, "text": new }));
        }
        self.version += 1;
        did_change(uri, self.version, &changes)
    }
}

pub fn did_change(uri: &str, version: i32, changes: &[Value]) -> Value {
    json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes })
}

/// Where each line starts; lines end at `\n`, `\r\n` and a lone `\r`.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        if ends {
            starts.push(at + 1);
        }
    }
    starts
}

fn units(c: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => c.len_utf8(),
        Encoding::Utf16 => c.len_utf16(),
        Encoding::Utf32 => 1,
    }
}

pub(super) fn position(text: &str, offset: usize, encoding: Encoding) -> Value {
    let starts = line_starts(text);
    let line = starts.iter().rposition(|start| *start <= offset).unwrap();
    let before = &text[starts[line]..offset];
    let column: usize = before.chars().map(|c| units(c, encoding)).sum();
    json!({ "line": line, "character": column })
}

fn offset(text: &str, position: &Value, encoding: Encoding) -> usize {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let start = line_starts(text)[number(&position["line"])];
    let mut left = number(&position["character"]);
    let mut at = start;
    for c in text[start..].chars() {
        if left == 0 {
            break;
        }
        left = left.checked_sub(units(c, encoding)).expect("a position between characters");
        at += c.len_utf8();
    }
    assert_eq!(left, 0, "a position past the end of the text");
    at
}
