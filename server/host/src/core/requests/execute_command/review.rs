//! `bowline.accept` and `bowline.reject`: what becomes of the agent's changes.

use std::sync::Arc;

use protocol::edit::ReviewAction;
use protocol::review::{DocumentPosition, HunkState, ReviewResolveParams, ReviewResolveResult};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::core::door::Door;
use crate::core::requests::review_resolve;
use crate::core::rpc::{Reply, RpcResult};
use crate::core::state::State;

/// Some changes, all of a file, or the one at a position.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changes {
    hunk_ids: Option<Vec<String>>,
    uri: Option<String>,
    at: Option<DocumentPosition>,
}

pub(super) fn accept(state: &mut State, door: &Arc<Door>, changes: Changes, reply: Reply) {
    resolve(state, door, changes, ReviewAction::Accept, reply);
}

pub(super) fn reject(state: &mut State, door: &Arc<Door>, changes: Changes, reply: Reply) {
    resolve(state, door, changes, ReviewAction::Reject, reply);
}

/// Rejecting is an edit, and an editor that waits for this answer would not carry it out.
fn resolve(
    state: &mut State,
    door: &Arc<Door>,
    changes: Changes,
    action: ReviewAction,
    reply: Reply,
) {
    let Changes { hunk_ids, uri, at } = changes;
    let params = ReviewResolveParams { hunk_ids, uri, at, ..ReviewResolveParams::new(action) };
    reply.ok(&Value::Null);
    let (asker, core) = (door.clone(), state.core.clone());
    let resolved = Reply::new(move |result| {
        for problem in problems(&result) {
            asker.show_message(&problem);
        }
        if let Some(token) = token(&result) {
            tokio::spawn(async move {
                core.go_on(move |state| state.undo.decided(asker.id, token)).await;
            });
        }
    });
    review_resolve::handle(state, door, params, resolved);
}

/// What the user should know: why something was left as it was.
fn problems(result: &RpcResult) -> Vec<String> {
    match result {
        Ok(raw) => {
            let results = read(raw).map(|read| read.results).unwrap_or_default();
            let left = results.into_iter().filter(|one| one.state == HunkState::Pending);
            left.filter_map(|one| one.reason).collect()
        }
        Err(error) => vec![error.message.clone()],
    }
}

/// What takes the decision back.
fn token(result: &RpcResult) -> Option<String> {
    result.as_ref().ok().and_then(|raw| read(raw)).map(|read| read.undo_token)
}

fn read(raw: &RawValue) -> Option<ReviewResolveResult> {
    serde_json::from_str(raw.get()).ok()
}
