//! `agent/permission/rules`: the rules that hold in a session.

use std::sync::Arc;

use protocol::permission::PermissionRulesParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

pub fn handle(state: &mut State, _: &Arc<Door>, params: PermissionRulesParams, reply: Reply) {
    match params.session_id.clone() {
        Some(id) => state.to_session(&id, reply, |reply| Msg::Rules { params, reply }),
        None => {
            let message = "`sessionId` is needed: rules are those of a session's folder.";
            reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
    }
}
