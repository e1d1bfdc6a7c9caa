//! `agent/trust`: the user's decision about a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::{Decision, TrustStore};
use protocol::Empty;
use protocol::trust::{TrustDecision, TrustParams};

use crate::context::HostContext;
use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

/// A yes approves what the folder switches on as it is now. Sessions in the folder follow at once.
pub fn handle(state: &mut State, _: &Arc<Door>, params: TrustParams, reply: Reply) {
    let decision = match params.decision {
        TrustDecision::Trust => Decision::Trust,
        TrustDecision::Deny => Decision::Deny,
        other => {
            let message = format!("`decision` is trust or deny, not {other}.");
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
    };
    let (host, core) = (state.host.clone(), state.core.clone());
    tokio::spawn(async move {
        let cwd = PathBuf::from(&params.cwd);
        let kept = tokio::task::spawn_blocking(move || remember(&host, &cwd, decision)).await;
        match kept.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(folder) => {
                core.go_on(move |state| tell_sessions(state, &folder)).await;
                reply.ok(&Empty {});
            }
            Err(problem) => reply.err(RpcError::failed(problem)),
        }
    });
}

fn remember(host: &HostContext, cwd: &Path, decision: Decision) -> Result<PathBuf, String> {
    let folder = workspace::real_path(cwd).map_err(|error| error.to_string())?;
    let home = host.home();
    let (mut store, _) = TrustStore::load(&host.locations.bowline_home, home.as_deref());
    let mut kept = store.set(&folder, decision);
    if decision == Decision::Trust && kept.is_ok() {
        let items = extend::bring(&host.locations, &folder).items;
        kept = store.approve(&folder, items.into_iter().map(|item| item.hash));
    }
    kept.map(|()| folder).map_err(|error| error.to_string())
}

fn tell_sessions(state: &mut State, folder: &Path) {
    for session in state.sessions.values().filter(|session| session.cwd().starts_with(folder)) {
        // A session that is too busy to listen looks at its settings before its next act.
        let _ = session.inbox.try_send(Msg::Trusted { problem: None });
    }
}
