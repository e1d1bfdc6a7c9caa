//! `agent/session/close`: ends what runs and forgets the session; its journal stays.

use std::sync::Arc;

use protocol::session::SessionRef;

use crate::core::door::Door;
use crate::core::rpc::Reply;
use crate::core::state::State;
use crate::session::Msg;

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionRef, reply: Reply) {
    state.to_session(&params.session_id, reply, |reply| Msg::Close { reply: Some(reply) });
}
