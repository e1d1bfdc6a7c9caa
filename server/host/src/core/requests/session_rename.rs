//! `agent/session/rename`: a title for a session, whether it is loaded or only stored.

use std::sync::Arc;

use protocol::Empty;
use protocol::session::SessionRenameParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;
use crate::store;

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionRenameParams, reply: Reply) {
    let SessionRenameParams { session_id, title } = params;
    if state.sessions.contains_key(&session_id) {
        return state.to_session(&session_id, reply, |reply| Msg::Rename { title, reply });
    }
    let title = title.trim().to_owned();
    if title.is_empty() {
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, "A title cannot be empty."));
    }
    let (sessions, clock) = (state.host.sessions_dir(), state.host.clock);
    tokio::task::spawn_blocking(move || {
        let Some(path) = store::find(&sessions, &session_id) else {
            return reply.err(RpcError::no_session(&session_id));
        };
        match store::rename(&path, title, clock) {
            Ok(()) => reply.ok(&Empty {}),
            Err(error) => reply.err(RpcError::failed(error.to_string())),
        }
    });
}
