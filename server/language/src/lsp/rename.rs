//! What a rename would change, file by file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use workspace::DocumentUri;

use super::not_understood;
use super::place::{Reader, exact};
use super::wire::{DocumentChange, TextEdit, WorkspaceEdit};
use crate::FileEdit;

const NOTHING: &str = "The language server finds nothing to rename at this place; point at a name.";

/// Whether the answer to [`super::prepare_rename`] lets the rename go on; the error says why not.
pub fn prepared(value: &Value) -> Result<(), String> {
    let refused =
        value.is_null() || value.get("defaultBehavior").is_some_and(|default| default == false);
    if refused { Err(NOTHING.to_owned()) } else { Ok(()) }
}

pub(super) fn edits(value: Value, reader: &mut Reader<'_>) -> Result<Vec<FileEdit>, String> {
    let bad = |error| not_understood("changes", error);
    match &value {
        Value::Null => return Err(NOTHING.to_owned()),
        Value::Object(_) => {}
        // A list would be read as the fields in their order.
        _ => return Err(not_understood("changes", "they are no object")),
    }
    let edit: WorkspaceEdit = serde_json::from_value(value).map_err(bad)?;
    let mut by_file: BTreeMap<PathBuf, Vec<TextEdit>> = BTreeMap::new();
    let mut add = |uri: &str, edits: Vec<TextEdit>| {
        let path = DocumentUri::new(uri).to_path().ok_or_else(|| {
            format!(
                "The rename would change {}, which is no file here; rename by hand.",
                uri.escape_debug()
            )
        })?;
        by_file.entry(path).or_default().extend(edits);
        Ok::<_, String>(())
    };
    // A server that sends both means the same by both, and the second says more.
    if let Some(changes) = edit.document_changes {
        for change in changes {
            match change {
                DocumentChange::Edit { text_document, edits } => add(&text_document.uri, edits)?,
                DocumentChange::File { kind } => {
                    return Err(format!(
                        "The rename would also {} files; do it by hand, step by step.",
                        kind.escape_debug()
                    ));
                }
            }
        }
    } else {
        for (uri, edits) in edit.changes.unwrap_or_default() {
            add(&uri, serde_json::from_value(edits).map_err(bad)?)?;
        }
    }
    let files = by_file.into_iter().filter(|(_, edits)| !edits.is_empty());
    files.map(|(path, edits)| file(path, edits, reader)).collect()
}

fn file(path: PathBuf, edits: Vec<TextEdit>, reader: &mut Reader<'_>) -> Result<FileEdit, String> {
    let encoding = reader.encoding;
    let shown = path.display().to_string();
    let Some(text) = reader.text(&path) else {
        return Err(format!("The rename would change {shown}, which cannot be read."));
    };
    let mut placed = Vec::with_capacity(edits.len());
    for TextEdit { range, new_text } in edits {
        let place = exact(&path, text, range, encoding).map_err(|error| {
            format!("The language server's rename does not fit {shown} ({error}); ask again.")
        })?;
        placed.push((place, new_text));
    }
    // The order of several insertions at one place is theirs, so the sort must be stable.
    placed.sort_by_key(|(place, _)| (place.start, place.end));
    let overlap = placed.windows(2).any(|pair| match pair {
        [(first, _), (second, _)] => second.start < first.end,
        _ => false,
    });
    if overlap {
        return Err(format!(
            "The language server's rename changes the same text of {shown} twice; rename by hand."
        ));
    }
    Ok(FileEdit { path, edits: placed })
}
