//! `agent/ask/respond`: an answer to a question from a door that was not asked.

use std::sync::Arc;

use protocol::ask::AskRespondParams;

use super::permission_respond::session_of;
use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

pub fn handle(state: &mut State, _: &Arc<Door>, params: AskRespondParams, reply: Reply) {
    match session_of(&params.request_id) {
        Some(id) => state.to_session(&id, reply, |reply| Msg::AskRespond { params, reply }),
        None => reply.err(RpcError::failed("There is no such question.")),
    }
}
