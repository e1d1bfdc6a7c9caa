//! `textDocument/codeLens`: accept and reject, right above each change of the agent.

use std::sync::Arc;

use protocol::lsp::{Position, Range};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use workspace::DocumentUri;

use super::code_action::Command;
use super::execute_command as commands;
use crate::core::door::Door;
use crate::core::ledgers::Receiver;
use crate::core::rpc::Reply;
use crate::core::state::State;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    text_document: Named,
}

#[derive(Deserialize)]
struct Named {
    uri: String,
}

#[derive(Serialize)]
struct Lens {
    range: Range,
    command: Command,
}

pub fn handle(state: &mut State, door: &Arc<Door>, params: Params, reply: Reply) {
    let uri = DocumentUri::new(&params.text_document.uri);
    let pending = state.ledgers.pending(&uri, Receiver::from(&**door), &state.buffers);
    let mut lenses = Vec::new();
    if pending.len() > 1 {
        let all = json!({ "uri": uri.as_str() });
        let accept = format!("Bowline: {} changes: accept all", pending.len());
        lenses.push(lens(0, accept, commands::ACCEPT, all.clone()));
        lenses.push(lens(0, "reject all".to_owned(), commands::REJECT, all));
    }
    for hunk in pending {
        let (line, this) = (hunk.range.start.line, json!({ "hunkIds": [hunk.id] }));
        lenses.push(lens(line, "Accept".to_owned(), commands::ACCEPT, this.clone()));
        lenses.push(lens(line, "Reject".to_owned(), commands::REJECT, this));
    }
    reply.ok(&lenses);
}

fn lens(line: u32, title: String, command: &'static str, argument: Value) -> Lens {
    let at = Position { line, character: 0 };
    let command = Command { title, command, arguments: [argument] };
    Lens { range: Range { start: at, end: at }, command }
}
