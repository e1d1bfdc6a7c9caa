//! `bowline.undo`: takes the client's last decision about changes back.

use std::sync::Arc;

use protocol::session::SessionUnrewindParams;
use serde_json::Value;

use crate::core::door::Door;
use crate::core::requests::session_unrewind;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;

pub(super) fn run(state: &mut State, door: &Arc<Door>, _: Value, reply: Reply) {
    let Some(undo_token) = state.undo.last_of(door.id) else {
        return reply.err(RpcError::failed("There is no decision to take back."));
    };
    reply.ok(&Value::Null);
    let told = door.clone().problems_shown();
    session_unrewind::handle(state, door, SessionUnrewindParams { undo_token }, told);
}
