//! `agent/session/fork`: a copy of the conversation as a session of its own, to be attached to.

use std::sync::Arc;

use protocol::session::{SessionForkParams, SessionForkResult};

use super::session_new::new_id;
use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::store::{self, Fork};

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionForkParams, reply: Reply) {
    let live = state.sessions.contains_key(&params.session_id);
    let (sessions, now) = (state.host.sessions_dir(), state.host.clock.millis());
    tokio::task::spawn_blocking(move || {
        let Some(from) = store::find(&sessions, &params.session_id) else {
            return reply.err(RpcError::unstored(&params.session_id, live));
        };
        let id = new_id();
        let wish = Fork { from: &from, at: params.at_message.as_deref(), id: &id, now };
        match store::fork(&sessions, &wish) {
            Ok(_) => reply.ok(&SessionForkResult { session_id: id }),
            Err(problem) => reply.err(RpcError::failed(problem)),
        }
    });
}
