//! `bowline.edit` and `bowline.document`: inline edits of a selection. Who does not say what to do
//! is asked, or has said it in a comment above.

use std::sync::Arc;

use protocol::edit::{EditInline, EditInlineParams};
use protocol::lsp::VersionedDocument;
use protocol::{Request as _, lsp};
use serde::Deserialize;
use serde_json::Value;
use workspace::DocumentUri;

use super::{Selection, instruction};
use crate::core::door::Door;
use crate::core::event::Event;
use crate::core::requests::edit_inline;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;

const DOCUMENT: &str = "Document this: add the comments that the language and this file use for \
    documentation, saying what a reader needs to know. Leave the code itself as it is.";

#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(flatten)]
    selection: Selection,
    instruction: Option<String>,
}

pub(super) fn run(state: &mut State, door: &Arc<Door>, wanted: Wanted, reply: Reply) {
    let Wanted { selection, instruction } = wanted;
    let said = instruction.filter(|said| !said.trim().is_empty());
    match said.or_else(|| comment_above(state, &selection)) {
        Some(instruction) => {
            edit_inline::handle(state, door, params(state, selection, instruction), reply);
        }
        None if door.profile().message_request => {
            // The text may change while the user chooses; the version says whether it did.
            let params = params(state, selection, String::new());
            reply.ok(&Value::Null);
            ask(state, door, params);
        }
        None => {
            let message = "`instruction` is needed: say what to do with the selection.";
            reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
    }
}

pub(super) fn document(state: &mut State, door: &Arc<Door>, selection: Selection, reply: Reply) {
    let params = params(state, selection, DOCUMENT.to_owned());
    edit_inline::handle(state, door, params, reply);
}

fn params(state: &State, selection: Selection, instruction: String) -> EditInlineParams {
    let Selection { uri, version, range } = selection;
    let version = version.or_else(|| state.buffers.version(&DocumentUri::new(&uri)));
    let text_document = VersionedDocument { uri, version };
    EditInlineParams { text_document, range, instruction, session_id: None }
}

fn comment_above(state: &State, selection: &Selection) -> Option<String> {
    let snapshot = state.buffers.snapshot();
    let document = snapshot.by_uri(&DocumentUri::new(&selection.uri))?;
    let lsp::Range { start, .. } = selection.range;
    let above = document.text.line(start.line.checked_sub(1)? as usize)?;
    instruction::in_comment(&above)
}

/// Goes on when the user has chosen.
fn ask(state: &State, door: &Arc<Door>, mut params: EditInlineParams) {
    let (core, door) = (state.core.clone(), door.clone());
    tokio::spawn(async move {
        let Some(instruction) = instruction::ask(&door).await else { return };
        params.instruction = instruction;
        let Ok(params) = serde_json::value::to_raw_value(&params) else { return };
        let asker = door.clone();
        let reply = Reply::new(move |result| {
            if let Err(error) = result {
                asker.show_message(&error.message);
            }
        });
        let (method, params) = (EditInline::METHOD.to_owned(), Some(params));
        core.send(Event::Request { door, method, params, reply }).await;
    });
}
