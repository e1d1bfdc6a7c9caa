//! `textDocument/hover`: what a change of the agent replaced, for editors that show it nowhere else.

use std::sync::Arc;

use protocol::lsp::{Position, Range};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::DocumentUri;

use crate::core::door::Door;
use crate::core::ledgers::Receiver;
use crate::core::rpc::Reply;
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

#[derive(Serialize)]
struct Hover {
    contents: Markup,
    range: Range,
}

#[derive(Serialize)]
struct Markup {
    kind: &'static str,
    value: String,
}

pub fn handle(state: &mut State, door: &Arc<Door>, params: Params, reply: Reply) {
    let uri = DocumentUri::new(&params.text_document.uri);
    let line = params.position.line;
    let pending = state.ledgers.pending(&uri, Receiver::from(&**door), &state.buffers);
    let here = pending.iter().find(|hunk| touches(&hunk.range, line));
    match here {
        Some(hunk) => {
            let diff = text::unified(&hunk.old_text, &hunk.new_text, 0);
            let fence = fence(&diff);
            let value = format!("Changed by Bowline:\n\n{fence}diff\n{diff}\n{fence}");
            let contents = Markup { kind: "markdown", value };
            reply.ok(&Hover { contents, range: hunk.range });
        }
        None => reply.ok(&Value::Null),
    }
}

fn touches(range: &Range, line: u32) -> bool {
    let last = if range.end.character == 0 && range.end.line > range.start.line {
        range.end.line - 1
    } else {
        range.end.line
    };
    (range.start.line..=last).contains(&line)
}

/// Longer than any in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}
