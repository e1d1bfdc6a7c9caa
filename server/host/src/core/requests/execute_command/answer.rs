//! `bowline.answer`: the answer to a question that is shown as a diagnostic.

use std::sync::Arc;

use protocol::permission::PermissionRespondParams;
use serde::Deserialize;
use serde_json::Value;

use crate::core::door::Door;
use crate::core::requests::permission_respond;
use crate::core::rpc::Reply;
use crate::core::state::State;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    request_id: String,
    option_id: String,
}

/// Returns at once: what is allowed may be an edit, which an editor that waits would not make.
pub(super) fn run(state: &mut State, door: &Arc<Door>, answer: Answer, reply: Reply) {
    let Answer { request_id, option_id } = answer;
    let (edited_input, feedback) = (None, None);
    let params = PermissionRespondParams { request_id, option_id, edited_input, feedback };
    reply.ok(&Value::Null);
    let told = door.clone().problems_shown();
    permission_respond::handle(state, door, params, told);
}
