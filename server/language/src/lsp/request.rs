//! A question as a request of the protocol.

use std::path::Path;

use serde_json::{Value, json};
use text::{PositionEncoding, Text};
use workspace::DocumentUri;

use super::wire;
use crate::{At, Query};

/// The method and parameters that ask this; `text` is what the asked file says.
pub fn request(
    query: &Query,
    text: &Text,
    encoding: PositionEncoding,
) -> Result<(&'static str, Value), String> {
    let at = |at: &At| place(at, text, encoding);
    Ok(match query {
        Query::Definition(place) => ("textDocument/definition", at(place)?),
        Query::References(place) => {
            let mut params = at(place)?;
            // A reader of "all uses" wants to see where it is declared as well.
            params["context"] = json!({ "includeDeclaration": true });
            ("textDocument/references", params)
        }
        Query::Hover(place) => ("textDocument/hover", at(place)?),
        Query::Symbols { path } => ("textDocument/documentSymbol", document(path)?),
        Query::WorkspaceSymbols { name, .. } => ("workspace/symbol", json!({ "query": name })),
        Query::Rename { at: place, to } => {
            if to.trim().is_empty() {
                return Err("The new name is empty; say what to rename it to.".into());
            }
            let mut params = at(place)?;
            params["newName"] = json!(to);
            ("textDocument/rename", params)
        }
        Query::Diagnostics { path } => ("textDocument/diagnostic", document(path)?),
    })
}

/// Asks whether something can be renamed; its answer is judged by [`super::prepared`].
pub fn prepare_rename(
    at: &At,
    text: &Text,
    encoding: PositionEncoding,
) -> Result<(&'static str, Value), String> {
    Ok(("textDocument/prepareRename", place(at, text, encoding)?))
}

fn place(at: &At, text: &Text, encoding: PositionEncoding) -> Result<Value, String> {
    let mut params = document(&at.path)?;
    params["position"] = json!(position(at, text, encoding)?);
    Ok(params)
}

fn document(path: &Path) -> Result<Value, String> {
    Ok(json!({ "textDocument": { "uri": uri(path)?.as_str() } }))
}

pub(crate) fn uri(path: &Path) -> Result<DocumentUri, String> {
    DocumentUri::from_path(path)
        .ok_or_else(|| format!("{} is no absolute path; give one.", path.display()))
}

/// A place that the text does not have is refused: asked at the nearest one, the server would
/// answer about something else.
fn position(at: &At, text: &Text, encoding: PositionEncoding) -> Result<wire::Position, String> {
    let shown = at.path.display();
    let (Some(line), Some(column)) = (at.line.checked_sub(1), at.column.checked_sub(1)) else {
        return Err("Lines and columns count from 1; ask again with those.".into());
    };
    let lines = text.len_lines();
    if line as usize >= lines {
        return Err(format!("{shown} has {lines} lines, so there is no line {}.", at.line));
    }
    let asked = text::Position { line, column };
    let offset = text.offset(asked, PositionEncoding::Utf32).map_err(|_| {
        let content = text.line(line as usize).unwrap_or_default();
        let content = content.trim_end_matches(['\r', '\n']);
        format!(
            "Line {} of {shown} has {} characters, so there is no column {}.",
            at.line,
            content.chars().count(),
            at.column
        )
    })?;
    Ok(text.position(offset, encoding).into())
}
