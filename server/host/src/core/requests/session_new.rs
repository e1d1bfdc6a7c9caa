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
    if state.sessions.len() >= MAX_SESSIONS {
        let message = format!("{MAX_SESSIONS} sessions are open; close some first.");
        return reply.err(RpcError::new(RpcError::OVERLOADED, message));
    }
    let mode = match params.mode.map(|mode| mode.as_str().parse::<Mode>()).transpose() {
        Ok(mode) => mode,
        Err(error) => {
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, error.to_string()));
        }
    };
    let cwd = PathBuf::from(&params.cwd);
    if !cwd.is_absolute() {
        let message = format!("`cwd` must be an absolute path, not {:?}.", params.cwd);
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    }
    let id = uuid::Uuid::now_v7().to_string();
    let origin = Origin::New {
        cwd,
        roots: params.roots.unwrap_or_default().into_iter().map(PathBuf::from).collect(),
        model: params.model,
        mode,
        title: params.title,
        ephemeral: params.ephemeral.unwrap_or(false),
    };
    let attach = Attach { door: door.clone(), since: None, created: true, reply };
    let start = Start { id: id.clone(), origin, limits: state.limits.clone(), attach };
    let handle = session::spawn(state.host.clone(), state.core.clone(), start);
    state.sessions.insert(id, handle);
}
