//! `agent/session/new`: a conversation in a folder.

use std::path::PathBuf;
use std::sync::Arc;

use policy::Mode;
use protocol::session::SessionNewParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::{self, Attach, Origin, Start};
use crate::store;

/// A process with more sessions than this has lost count of them.
const MAX_SESSIONS: usize = 200;

pub fn handle(state: &mut State, door: &Arc<Door>, params: SessionNewParams, reply: Reply) {
    let Some(wanted) = params.session_id.clone() else {
        return start(state, door, new_id(), params, reply);
    };
    let id = match wanted_id(&wanted) {
        Ok(id) => id,
        Err(error) => return reply.err(error),
    };
    let (core, door, sessions) = (state.core.clone(), door.clone(), state.host.sessions_dir());
    tokio::spawn(async move {
        let looked = id.clone();
        let stored = move || store::find(&sessions, &looked).is_some();
        let stored = tokio::task::spawn_blocking(stored).await.unwrap_or(true);
        core.go_on(move |state| match stored || state.sessions.contains_key(&id) {
            true => {
                let message =
                    format!("There is a session {id} already; choose another id, or resume it.");
                reply.err(RpcError::failed(message));
            }
            false => start(state, &door, id, params, reply),
        })
        .await;
    });
}

fn start(state: &mut State, door: &Arc<Door>, id: String, params: SessionNewParams, reply: Reply) {
    match origin(state, params) {
        Ok(origin) => begin(state, door, id, origin, reply),
        Err(error) => reply.err(error),
    }
}

/// Ids name files, so a client may choose one, but not its shape.
fn wanted_id(id: &str) -> Result<String, RpcError> {
    let invalid = |_| {
        let message = format!("A session's id is a UUID, not {:?}.", id);
        RpcError::new(RpcError::INVALID_PARAMS, message)
    };
    uuid::Uuid::try_parse(id).map(|id| id.hyphenated().to_string()).map_err(invalid)
}

/// What the session will start from, or what is wrong with the wish.
pub fn origin(state: &State, params: SessionNewParams) -> Result<Origin, RpcError> {
    if state.sessions.len() >= MAX_SESSIONS {
        let message = format!("{MAX_SESSIONS} sessions are open; close some first.");
        return Err(RpcError::new(RpcError::OVERLOADED, message));
    }
    let mode = params.mode.map(|mode| mode.as_str().parse::<Mode>()).transpose();
    let mode = mode.map_err(|error| RpcError::new(RpcError::INVALID_PARAMS, error.to_string()))?;
    let cwd = PathBuf::from(&params.cwd);
    if !cwd.is_absolute() {
        let message = format!("`cwd` must be an absolute path, not {:?}.", params.cwd);
        return Err(RpcError::new(RpcError::INVALID_PARAMS, message));
    }
    Ok(Origin::New {
        cwd,
        roots: params.roots.unwrap_or_default().into_iter().map(PathBuf::from).collect(),
        model: params.model,
        mode,
        title: params.title,
        ephemeral: params.ephemeral.unwrap_or(false),
        agent: params.agent,
        mcp_servers: params.mcp_servers.unwrap_or_default(),
    })
}

/// Ids sort by the time they were made at.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// Starts it; the reply is answered as `agent/session/new` when it is ready.
pub fn begin(state: &mut State, door: &Arc<Door>, id: String, origin: Origin, reply: Reply) {
    let attach = Attach { door: door.clone(), since: None, created: true, reply };
    let start = Start { id: id.clone(), origin, limits: state.limits.clone(), attach, kin: None };
    let handle = session::spawn(state.host.clone(), state.core.clone(), start);
    state.sessions.insert(id, handle);
}
