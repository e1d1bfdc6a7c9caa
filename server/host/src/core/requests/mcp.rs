//! `agent/mcp`: the MCP servers of a session, which is the one who knows them.

use std::sync::Arc;

use protocol::mcp::McpParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

pub fn handle(state: &mut State, _: &Arc<Door>, params: McpParams, reply: Reply) {
    let Some(id) = params.session_id.clone() else {
        let message = "`sessionId` is needed: servers are those of a session.";
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    };
    state.to_session(&id, reply, |reply| Msg::Mcp { params, reply });
}
