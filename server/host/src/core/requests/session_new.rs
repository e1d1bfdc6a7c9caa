//! `agent/session/new`: a conversation in a folder.

use std::path::PathBuf;
use std::sync::Arc;

use policy::Mode;
use protocol::session::SessionNewParams;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::{self, Attach, Origin, Start};

/// A process with more sessions than this has lost count of them.
const MAX_SESSIONS: usize = 200;

pub fn handle(state: &mut State, door: &Arc<Door>, params: SessionNewParams, reply: Reply) {
    match origin(state, params) {
        Ok(origin) => begin(state, door, new_id(), origin, reply),
        Err(error) => reply.err(error),
    }
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
