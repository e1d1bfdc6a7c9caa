//! Symbols of a file and of the workspace.

use std::path::Path;

use serde_json::Value;
use workspace::DocumentUri;

use super::not_understood;
use super::place::Reader;
use super::wire;
use crate::Symbol;

/// Symbols of one file, in the server's order, each before those that lie in it.
pub(super) fn of_document(
    value: Value,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Result<Vec<Symbol>, String> {
    let mut symbols = Vec::new();
    add(read(value)?, Some(path), None, 0, reader, &mut symbols);
    Ok(symbols)
}

pub(super) fn of_workspace(value: Value, reader: &mut Reader<'_>) -> Result<Vec<Symbol>, String> {
    let mut symbols = Vec::new();
    add(read(value)?, None, None, 0, reader, &mut symbols);
    Ok(symbols)
}

fn read(value: Value) -> Result<Vec<wire::Symbol>, String> {
    let symbols: Option<Vec<wire::Symbol>> =
        serde_json::from_value(value).map_err(|error| not_understood("symbols", error))?;
    Ok(symbols.unwrap_or_default())
}

/// Only as deep as the JSON was, and its reader has a limit.
fn add(
    found: Vec<wire::Symbol>,
    path: Option<&Path>,
    container: Option<&str>,
    depth: u32,
    reader: &mut Reader<'_>,
    symbols: &mut Vec<Symbol>,
) {
    for symbol in found {
        match symbol {
            wire::Symbol::Nested { name, kind, range, selection_range, children } => {
                // Only one that says which file it is in can be outside of a file's own list.
                let Some(path) = path else { continue };
                // From its name to its end: the name is where one can ask more about it.
                let range = wire::Range { start: selection_range.start, end: range.end };
                let place = reader.place(path.to_owned(), range);
                let container = container.map(str::to_owned);
                let kind = word(kind).to_owned();
                symbols.push(Symbol { name: name.clone(), kind, container, depth, place });
                let children = children.unwrap_or_default();
                add(children, Some(path), Some(&name), depth + 1, reader, symbols);
            }
            wire::Symbol::Flat { name, kind, container_name, location } => {
                let Some(path) = DocumentUri::new(&location.uri).to_path() else { continue };
                let start = wire::Position { line: 0, character: 0 };
                let range = location.range.unwrap_or(wire::Range { start, end: start });
                let container = container_name.filter(|container| !container.is_empty());
                let place = reader.place(path, range);
                let kind = word(kind).to_owned();
                symbols.push(Symbol { name, kind, container, depth: 0, place });
            }
        }
    }
}

/// The protocol's kinds of symbols, by their numbers from 1.
const KINDS: [&str; 26] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum member",
    "struct",
    "event",
    "operator",
    "type parameter",
];

fn word(kind: u32) -> &'static str {
    let index = usize::try_from(kind).ok().and_then(|kind| kind.checked_sub(1));
    index.and_then(|index| KINDS.get(index)).copied().unwrap_or("symbol")
}
