//! What a yes is about. A yes for one thing is none for another, so what was agreed to is compared
//! with what is about to happen, value by value.

use std::path::{Path, PathBuf};

use policy::Subject;
use serde_json::Value;

use crate::tool::Preview;

/// Everything about a call that a yes depends on.
#[derive(Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) input: Value,
    /// Which files, after links; which command, in which folder, inside or outside of the sandbox.
    pub(super) subjects: Vec<Subject>,
    pub(super) changes: Vec<Change>,
    /// What the tool itself adds, such as the programs a command would start.
    pub(super) identity: Vec<String>,
}

/// What happens to one file: which text goes and which comes. Where in the file does not matter,
/// since that moves while the user types elsewhere.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    path: PathBuf,
    creates: bool,
    splices: Vec<(String, String)>,
}

/// The changes a preview shows. Compares texts, which takes a moment for large ones.
pub(super) fn changes(preview: &Preview) -> Vec<Change> {
    let Preview::Edit { path, old, new, others, .. } = preview else { return Vec::new() };
    let others = others.iter().map(|other| change(&other.path, other.old.as_deref(), &other.new));
    std::iter::once(change(path, old.as_deref(), new)).chain(others).collect()
}

fn change(path: &Path, old: Option<&str>, new: &str) -> Change {
    let before = old.unwrap_or_default();
    let splices = text::diff(before, new)
        .splices()
        .iter()
        .map(|splice| {
            // With the lines around it: the same word in another line is another change.
            let head = before.get(..splice.range.start).unwrap_or_default();
            let tail = before.get(splice.range.end..).unwrap_or_default();
            let start = head.rfind('\n').map_or(0, |at| at + 1);
            let end = splice.range.end + tail.find('\n').unwrap_or(tail.len());
            let gone = before.get(start..end).unwrap_or_default();
            (gone.to_owned(), splice.text.clone())
        })
        .collect();
    Change { path: path.to_owned(), creates: old.is_none(), splices }
}
