//! `bowline.accept` and `bowline.reject`: what becomes of the agent's changes.

use std::sync::Arc;

use protocol::edit::ReviewAction;
use protocol::review::{HunkState, ReviewResolveParams, ReviewResolveResult};
use serde::Deserialize;
use serde_json::Value;

use crate::core::door::Door;
use crate::core::requests::review_resolve;
use crate::core::rpc::{Reply, RpcResult};
use crate::core::state::State;

/// Some changes, or all of a file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changes {
    hunk_ids: Option<Vec<String>>,
    uri: Option<String>,
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
    let Changes { hunk_ids, uri } = changes;
    let (turn_id, lines, comment) = (None, None, None);
    let params = ReviewResolveParams { hunk_ids, uri, turn_id, action, lines, comment };
    reply.ok(&Value::Null);
    let asker = door.clone();
    let resolved = Reply::new(move |result| {
        for problem in problems(result) {
            asker.show_message(&problem);
        }
    });
    review_resolve::handle(state, door, params, resolved);
}

/// What the user should know: why something was left as it was.
fn problems(result: RpcResult) -> Vec<String> {
    let result = result.map(|raw| serde_json::from_str::<ReviewResolveResult>(raw.get()));
    match result {
        Ok(Ok(result)) => {
            let left = result.results.into_iter().filter(|one| one.state == HunkState::Pending);
            left.filter_map(|one| one.reason).collect()
        }
        Ok(Err(_)) => Vec::new(),
        Err(error) => vec![error.message],
    }
}
