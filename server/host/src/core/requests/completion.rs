//! `textDocument/completion`: commands, files and agents in the prompt of a chat document.

use std::sync::Arc;

use protocol::complete::{CompleteParams, CompleteResult, CompletionItem, CompletionKind};
use protocol::lsp::{Position, Range, TextEdit};
use serde::{Deserialize, Serialize};
use workspace::DocumentUri;

use super::complete;
use crate::core::chat::is_chat;
use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcResult};
use crate::core::state::State;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    text_document: Named,
    position: Position,
}

#[derive(Deserialize)]
struct Named {
    uri: String,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct List {
    is_incomplete: bool,
    items: Vec<Item>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    label: String,
    kind: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    filter_text: String,
    text_edit: TextEdit,
}

pub fn handle(state: &mut State, door: &Arc<Door>, params: Params, reply: Reply) {
    let uri = DocumentUri::new(&params.text_document.uri);
    let snapshot = state.buffers.snapshot();
    let Some(document) = snapshot.by_uri(&uri).filter(|_| is_chat(&uri)) else {
        return reply.ok(&List::default());
    };
    let at = params.position;
    let line = |number: u32| document.text.line(number as usize).unwrap_or_default();
    let content = line(at.line);
    let Some((mark, words)) = quoted(&content) else { return reply.ok(&List::default()) };
    // Only the first line of a prompt can be a command.
    let first = at.line.checked_sub(1).is_none_or(|above| !line(above).starts_with('>'));
    let before = complete::count(&content[..mark], door.encoding());
    let Some(offset) = at.character.checked_sub(before) else {
        return reply.ok(&List::default());
    };
    let session_id = match state.own_session(door, document.path.as_deref()) {
        Ok(session) => Some(session),
        Err(error) => return reply.err(error),
    };
    let text = if first { words.to_owned() } else { words.replacen('/', " ", 1) };
    let place = Place { line: at.line, before };
    let inner = Reply::new(move |result| answer(place, result, reply));
    complete::handle(state, door, CompleteParams { text, offset, session_id }, inner);
}

/// The words of a quoted line, and where they begin.
fn quoted(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end_matches(['\r', '\n']);
    let words = line.strip_prefix('>')?;
    let words = words.strip_prefix(' ').unwrap_or(words);
    Some((line.len() - words.len(), words))
}

/// Kinds of items as the standard numbers them.
const MODULE: u8 = 9;
const KEYWORD: u8 = 14;
const FILE: u8 = 17;
const REFERENCE: u8 = 18;
const FOLDER: u8 = 19;

struct Place {
    line: u32,
    /// What stands before the words.
    before: u32,
}

fn answer(place: Place, result: RpcResult, reply: Reply) {
    let found = match result {
        Ok(raw) => serde_json::from_str::<CompleteResult>(raw.get()).unwrap_or_default(),
        Err(error) => return reply.err(error),
    };
    let items = found.items.into_iter().map(|item| place.item(item)).collect();
    // Files are matched anew with every letter, and a session that has just begun learns more.
    reply.ok(&List { is_incomplete: true, items });
}

impl Place {
    fn item(&self, item: CompletionItem) -> Item {
        let position = |units: u32| Position { line: self.line, character: self.before + units };
        let kind = match item.kind {
            CompletionKind::Command => KEYWORD,
            CompletionKind::Agent => MODULE,
            CompletionKind::Folder => FOLDER,
            CompletionKind::File => FILE,
            _ => REFERENCE,
        };
        let range = Range { start: position(item.start), end: position(item.end) };
        Item {
            kind,
            detail: item.detail,
            filter_text: item.insert_text.clone(),
            label: item.label,
            text_edit: TextEdit { range, new_text: item.insert_text },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_prompt() {
        assert_eq!(quoted("> /co\n"), Some((2, "/co")));
        assert_eq!(quoted(">@x"), Some((1, "@x")));
        assert_eq!(quoted("/co"), None);
    }
}
