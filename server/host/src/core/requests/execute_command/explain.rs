//! `bowline.explain` and `bowline.tests`: turns about a selection, in the client's own session.

use std::path::Path;
use std::sync::Arc;

use protocol::prompt::{Block, SelectionBlock};
use protocol::session::SessionPromptParams;
use workspace::DocumentUri;

use super::Selection;
use crate::core::door::Door;
use crate::core::inline::bytes;
use crate::core::requests::edit_inline::outside;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

const EXPLAIN: &str = "Explain the selected code: what it does, how, and what one has to know \
    before changing it. Change nothing.";
const TESTS: &str = "Write tests for the selected code, in the way and the place this project has \
    its tests, and run them.";

pub(super) fn run(state: &mut State, door: &Arc<Door>, selection: Selection, reply: Reply) {
    about(state, door, selection, EXPLAIN, reply);
}

pub(super) fn tests(state: &mut State, door: &Arc<Door>, selection: Selection, reply: Reply) {
    about(state, door, selection, TESTS, reply);
}

fn about(state: &mut State, door: &Arc<Door>, selection: Selection, wish: &str, reply: Reply) {
    let Selection { uri, range, .. } = selection;
    let named = DocumentUri::new(&uri);
    let snapshot = state.buffers.snapshot();
    let Some(document) = snapshot.by_uri(&named) else {
        return reply.err(RpcError::failed(format!("{uri} is not open; open it first.")));
    };
    let text = match bytes(&document.text, &range, door.encoding()) {
        Ok(bytes) => document.text.slice(bytes).unwrap_or_default().into_owned(),
        Err(error) => return reply.err(outside(error)),
    };
    let version = Some(document.version);
    let selection = SelectionBlock { uri, version, range, text };
    let content = vec![Block::Selection(selection), Block::text(wish)];
    prompt(state, door, document.path.as_deref(), content, reply);
}

/// Answered as soon as the prompt is accepted.
pub(super) fn prompt(
    state: &mut State,
    door: &Arc<Door>,
    path: Option<&Path>,
    content: Vec<Block>,
    reply: Reply,
) {
    let (delivery, client_message_id) = (None, None);
    state.tell_own_session(door, path, reply, |session, reply| {
        let session_id = session.to_owned();
        let params = SessionPromptParams { session_id, content, delivery, client_message_id };
        Msg::Prompt { params, reply }
    });
}
