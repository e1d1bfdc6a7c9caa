//! `agent/memory/add`: something every later session is to know.

use std::sync::Arc;

use protocol::memory::MemoryAddParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

/// A session writes it, because it knows the project, and how to write to a file that is open.
pub fn handle(state: &mut State, _: &Arc<Door>, params: MemoryAddParams, reply: Reply) {
    let Some(id) = params.session_id.clone() else {
        let message = "`sessionId` is needed: a session writes the note.";
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    };
    state.to_session(&id, reply, |reply| Msg::Remember { params, reply });
}
