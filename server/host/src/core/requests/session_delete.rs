//! `agent/session/delete`: closes the session and removes its journal.

use std::sync::Arc;

use protocol::Empty;
use protocol::session::SessionRef;
use tokio::sync::oneshot;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;
use crate::store;

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionRef, reply: Reply) {
    let id = params.session_id;
    let live = state.sessions.contains_key(&id);
    let (closed, was_closed) = oneshot::channel::<()>();
    if live {
        let when_closed = Reply::new(move |_| {
            let _ = closed.send(());
        });
        state.to_session(&id, when_closed, |reply| Msg::Close { reply: Some(reply) });
    } else {
        drop(closed);
    }
    let sessions = state.host.sessions_dir();
    tokio::spawn(async move {
        // Closed or gone: either way nobody writes to the journal any more.
        let _ = was_closed.await;
        let wanted = id.clone();
        let deleted = tokio::task::spawn_blocking(move || {
            store::find(&sessions, &wanted).map(|path| store::delete(&path))
        });
        match deleted.await {
            Ok(Some(Ok(()))) => reply.ok(&Empty {}),
            // It was never used, so it has no journal.
            Ok(None) if live => reply.ok(&Empty {}),
            Ok(None) => reply.err(RpcError::no_session(&id)),
            Ok(Some(Err(error))) => {
                reply.err(RpcError::failed(format!("The session cannot be deleted: {error}.")));
            }
            Err(error) => reply.err(RpcError::new(RpcError::INTERNAL, error.to_string())),
        }
    });
}
