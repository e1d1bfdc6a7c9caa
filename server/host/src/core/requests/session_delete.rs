//! `agent/session/delete`: closes the session and removes its journal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::Empty;
use protocol::session::SessionRef;
use tokio::sync::oneshot;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError, RpcResult};
use crate::core::state::State;
use crate::session::Msg;
use crate::store;

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionRef, reply: Reply) {
    let id = params.session_id;
    let live = state.sessions.contains_key(&id);
    let (closed, was_closed) = oneshot::channel::<RpcResult>();
    if live {
        let when_closed = Reply::new(move |result| {
            let _ = closed.send(result);
        });
        state.to_session(&id, when_closed, |reply| Msg::Close { reply: Some(reply) });
    } else {
        drop(closed);
    }
    let sessions = state.host.sessions_dir();
    tokio::spawn(async move {
        if let Ok(Err(error)) = was_closed.await {
            return reply.err(error);
        }
        let deleted = tokio::task::spawn_blocking(move || remove(&sessions, &id, live));
        match deleted.await {
            Ok(Ok(())) => reply.ok(&Empty {}),
            Ok(Err(error)) => reply.err(error),
            Err(error) => reply.err(RpcError::new(RpcError::INTERNAL, error.to_string())),
        }
    });
}

fn remove(sessions: &Path, id: &str, was_live: bool) -> Result<(), RpcError> {
    // A beginning is good enough to open a session, not to delete one.
    let whole = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == id);
    match store::find(sessions, id).filter(whole) {
        Some(path) => store::delete(&path).map_err(|error| RpcError::failed(error.to_string())),
        // It was never used, so it has no journal.
        None if was_live => Ok(()),
        None => Err(RpcError::no_session(id)),
    }
}
