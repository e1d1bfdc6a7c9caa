//! The protocol's own shapes, only as large as they are used.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) character: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Range {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

impl From<text::Position> for Position {
    fn from(position: text::Position) -> Position {
        Position { line: position.line, character: position.column }
    }
}

impl From<Position> for text::Position {
    fn from(position: Position) -> text::Position {
        text::Position { line: position.line, column: position.character }
    }
}

/// Where a definition or a reference is, in either of its spellings.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Location {
    Plain {
        uri: String,
        range: Range,
    },
    #[serde(rename_all = "camelCase")]
    Link {
        target_uri: String,
        /// The whole item is `targetRange`; this is its name.
        target_selection_range: Range,
    },
}

/// One thing or several.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    Many(Vec<T>),
    One(T),
}

impl<T> OneOrMany<T> {
    pub(super) fn into_vec(self) -> Vec<T> {
        match self {
            OneOrMany::Many(many) => many,
            OneOrMany::One(one) => vec![one],
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Hover {
    pub(super) contents: OneOrMany<Marked>,
}

/// `MarkupContent` and both kinds of `MarkedString`.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Marked {
    Text(String),
    Code { language: String, value: String },
    Markup { value: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Symbol {
    #[serde(rename_all = "camelCase")]
    Nested {
        name: String,
        kind: u32,
        range: Range,
        selection_range: Range,
        #[serde(default)]
        children: Option<Vec<Symbol>>,
    },
    #[serde(rename_all = "camelCase")]
    Flat {
        name: String,
        kind: u32,
        #[serde(default)]
        container_name: Option<String>,
        location: SymbolLocation,
    },
}

/// Symbols of the workspace may leave the place in the file for later.
#[derive(Deserialize)]
pub(super) struct SymbolLocation {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) range: Option<Range>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkspaceEdit {
    #[serde(default)]
    pub(super) changes: Option<serde_json::Map<String, Value>>,
    #[serde(default)]
    pub(super) document_changes: Option<Vec<DocumentChange>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum DocumentChange {
    #[serde(rename_all = "camelCase")]
    Edit { text_document: Identifier, edits: Vec<TextEdit> },
    /// Creates, moves or deletes a file.
    File { kind: String },
}

#[derive(Deserialize)]
pub(super) struct Identifier {
    pub(super) uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextEdit {
    pub(super) range: Range,
    pub(super) new_text: String,
}

#[derive(Deserialize)]
pub(super) struct Diagnostic {
    pub(super) range: Range,
    #[serde(default)]
    pub(super) severity: Option<u32>,
    #[serde(default)]
    pub(super) code: Option<Code>,
    #[serde(default)]
    pub(super) source: Option<String>,
    pub(super) message: Message,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Code {
    Number(i64),
    Text(String),
    /// An old spelling: the code with a link to its description.
    Linked {
        value: Value,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Message {
    Text(String),
    Markup { value: String },
}
