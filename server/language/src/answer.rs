//! What comes back.

use std::path::PathBuf;

use crate::finding::Finding;

/// A stretch of a file; lines and columns from one, columns in characters, `end` not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub start: (u32, u32),
    pub end: (u32, u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// A word for people: `function`, `class`.
    pub kind: String,
    /// The symbol it lies in.
    pub container: Option<String>,
    pub depth: u32,
    pub place: Place,
}

/// What a rename would do to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    pub path: PathBuf,
    /// Each replaces its place by its text; they do not overlap.
    pub edits: Vec<(Place, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Places(Vec<Place>),
    /// Text, as the server wrote it; empty when there is nothing to say.
    Hover(String),
    Symbols(Vec<Symbol>),
    Edits(Vec<FileEdit>),
    /// `verified` says that the findings are about the text as it is now.
    Diagnostics {
        findings: Vec<Finding>,
        verified: bool,
    },
}

impl Answer {
    /// Whether there is nothing in it. That nothing is wrong is something.
    pub fn is_empty(&self) -> bool {
        match self {
            Answer::Places(places) => places.is_empty(),
            Answer::Hover(text) => text.is_empty(),
            Answer::Symbols(symbols) => symbols.is_empty(),
            Answer::Edits(edits) => edits.is_empty(),
            Answer::Diagnostics { .. } => false,
        }
    }
}
