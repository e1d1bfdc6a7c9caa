//! `bowline.diff`: what the agent changed in a file and nobody decided about yet, as a document.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use workspace::DocumentUri;

use crate::core::door::Door;
use crate::core::pages;
use crate::core::requests::review_diff::without_pending;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;

#[derive(Deserialize)]
pub(super) struct File {
    uri: String,
}

pub(super) fn run(state: &mut State, door: &Arc<Door>, file: File, reply: Reply) {
    let uri = DocumentUri::new(&file.uri);
    match unified(state, &uri) {
        Some(diff) => {
            reply.ok(&Value::Null);
            pages::show(state, door, &pages::name(&uri), diff, true);
        }
        None => reply.err(RpcError::failed("No changes of the agent wait in this file.")),
    }
}

/// The text without the changes, against the text.
fn unified(state: &State, uri: &DocumentUri) -> Option<String> {
    let (before, now) = without_pending(state, &state.ledgers.key(uri))?;
    Some(pages::diff(uri, &before.to_string(), &now.to_string()))
}
