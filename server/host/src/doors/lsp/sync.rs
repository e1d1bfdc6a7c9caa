//! The editor's text notifications, taken out of LSP's types.

use serde::Deserialize;
use serde_json::value::RawValue;
use text::Position;
use workspace::{Change, DocumentUri};

use crate::core::Sync;

// Own structs instead of LSP's: they are read on every key press, and need none of the rest.

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidOpen {
    text_document: Item,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    uri: String,
    #[serde(default)]
    language_id: String,
    version: i32,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: Versioned,
    content_changes: Vec<ContentChange>,
}

#[derive(Deserialize)]
struct Versioned {
    uri: String,
    version: i32,
}

#[derive(Deserialize)]
struct ContentChange {
    range: Option<Range>,
    text: String,
}

#[derive(Deserialize)]
struct Range {
    start: Point,
    end: Point,
}

#[derive(Deserialize)]
struct Point {
    line: u32,
    character: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidSave {
    text_document: Named,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidClose {
    text_document: Named,
}

#[derive(Deserialize)]
struct Named {
    uri: String,
}

/// `None` when the notification is about something else.
pub(super) fn parse(method: &str, params: Option<&RawValue>) -> Option<serde_json::Result<Sync>> {
    let params = params.map_or("null", RawValue::get);
    let sync = match method {
        "textDocument/didOpen" => serde_json::from_str(params).map(opened),
        "textDocument/didChange" => serde_json::from_str(params).map(changed),
        "textDocument/didSave" => serde_json::from_str::<DidSave>(params).map(|saved| Sync::Save {
            uri: DocumentUri::new(&saved.text_document.uri),
            text: saved.text,
        }),
        "textDocument/didClose" => serde_json::from_str::<DidClose>(params)
            .map(|closed| Sync::Close { uri: DocumentUri::new(&closed.text_document.uri) }),
        _ => return None,
    };
    Some(sync)
}

fn opened(opened: DidOpen) -> Sync {
    let Item { uri, language_id, version, text } = opened.text_document;
    Sync::Open { uri: DocumentUri::new(&uri), language: language_id, version, text }
}

fn changed(changed: DidChange) -> Sync {
    let Versioned { uri, version } = changed.text_document;
    let position = |point: Point| Position { line: point.line, column: point.character };
    let changes = changed.content_changes.into_iter().map(|change| Change {
        range: change.range.map(|range| position(range.start)..position(range.end)),
        text: change.text,
    });
    Sync::Change { uri: DocumentUri::new(&uri), version, changes: changes.collect() }
}
