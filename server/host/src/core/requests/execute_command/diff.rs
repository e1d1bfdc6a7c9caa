//! `bowline.diff`: what the agent changed in a file and nobody decided about yet, as a document.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use text::{Edit, Splice};
use workspace::DocumentUri;

use crate::core::door::Door;
use crate::core::inline::bytes;
use crate::core::pages;
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
    let snapshot = state.buffers.snapshot();
    let document = snapshot.by_uri(uri)?;
    let encoding = state.buffers.owner(uri)?.encoding();
    let pending = state.ledgers.pending(uri, &state.buffers);
    let splices = pending.iter().filter_map(|hunk| {
        let range = bytes(&document.text, &hunk.range, encoding).ok()?;
        Some(Splice::new(range, hunk.old_text.as_str()))
    });
    let splices: Vec<_> = splices.collect();
    if splices.is_empty() {
        return None;
    }
    let length = document.text.len_bytes();
    let before = Edit::new(length, splices).ok()?.apply(&document.text).ok()?;
    Some(pages::diff(uri, &before.to_string(), &document.text.to_string()))
}
