//! `agent/session/attach`: join a session that runs, or open one from its journal.

use std::path::PathBuf;
use std::sync::Arc;

use protocol::session::SessionAttachParams;

use crate::core::door::Door;
use crate::core::event::{Event, StoredAttach};
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::{self, Attach, Msg, Origin, Start};
use crate::store;

pub fn handle(state: &mut State, door: &Arc<Door>, params: SessionAttachParams, reply: Reply) {
    let SessionAttachParams { session_id, since, cwd } = params;
    if state.sessions.contains_key(&session_id) {
        let door = door.clone();
        state.to_session(&session_id, reply, |reply| {
            Msg::Attach(Attach { door, since, created: false, reply })
        });
        if since.is_some() {
            // What it missed tells of places as they were then.
            state.ledgers.resend_ranges(&session_id);
        }
        return;
    }
    let (core, door) = (state.core.clone(), door.clone());
    let sessions = state.host.sessions_dir();
    tokio::spawn(async move {
        let wanted = session_id.clone();
        let found = tokio::task::spawn_blocking(move || store::find(&sessions, &wanted)).await;
        match found.ok().flatten() {
            Some(path) => {
                let instead = cwd.map(PathBuf::from);
                let attach = StoredAttach { path, instead, door, since, reply };
                core.send(Event::Stored(Box::new(attach))).await;
            }
            None => reply.err(RpcError::no_session(&session_id)),
        }
    });
}

/// The journal was found: the session starts, unless somebody else just started it.
pub fn open(state: &mut State, stored: StoredAttach) {
    let StoredAttach { path, instead, door, since, reply } = stored;
    let Some(id) = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else {
        return reply.err(RpcError::failed("The session's file has no name."));
    };
    let attach = Attach { door, since, created: false, reply };
    if state.sessions.contains_key(&id) {
        let Attach { door, since, created, reply } = attach;
        return state
            .to_session(&id, reply, |reply| Msg::Attach(Attach { door, since, created, reply }));
    }
    let origin = Origin::Stored { path, instead };
    let start = Start { id: id.clone(), origin, limits: state.limits.clone(), attach, kin: None };
    let handle = session::spawn(state.host.clone(), state.core.clone(), start);
    state.sessions.insert(id, handle);
}
