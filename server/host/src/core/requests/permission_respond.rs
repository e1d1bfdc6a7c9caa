//! `agent/permission/respond`: an answer from a door that was not asked.

use std::sync::Arc;

use protocol::permission::PermissionRespondParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

pub fn handle(state: &mut State, _: &Arc<Door>, params: PermissionRespondParams, reply: Reply) {
    match session_of(&params.request_id) {
        Some(id) => state.to_session(&id, reply, |reply| Msg::Respond { params, reply }),
        None => reply.err(RpcError::failed("There is no such request.")),
    }
}

/// The id of a request says whose it is: `ask:<session>:<call>`.
pub(super) fn session_of(request_id: &str) -> Option<String> {
    request_id.split(':').nth(1).map(str::to_owned)
}
