//! `agent/permission/respond`: an answer from a door that was not asked.

use std::sync::Arc;

use protocol::permission::PermissionRespondParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

/// The id of a request says whose it is: `ask:<session>:<call>`.
pub fn handle(state: &mut State, _: &Arc<Door>, params: PermissionRespondParams, reply: Reply) {
    match params.request_id.split(':').nth(1).map(str::to_owned) {
        Some(id) => state.to_session(&id, reply, |reply| Msg::Respond { params, reply }),
        None => reply.err(RpcError::failed("There is no such request.")),
    }
}
