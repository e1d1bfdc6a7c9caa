//! `agent/trust`: the user's decision about a folder.

use std::path::PathBuf;
use std::sync::Arc;

use extend::{Decision, TrustStore};
use protocol::Empty;
use protocol::trust::{TrustDecision, TrustParams};

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;

/// Sessions that run keep what they started with; the next one in the folder sees the decision.
pub fn handle(state: &mut State, _: &Arc<Door>, params: TrustParams, reply: Reply) {
    let decision = match params.decision {
        TrustDecision::Trust => Decision::Trust,
        TrustDecision::Deny => Decision::Deny,
        other => {
            let message = format!("`decision` is trust or deny, not {other}.");
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
    };
    let host = state.host.clone();
    tokio::task::spawn_blocking(move || {
        let cwd = PathBuf::from(&params.cwd);
        let folder = match workspace::real_path(&cwd) {
            Ok(folder) => folder,
            Err(error) => return reply.err(RpcError::failed(error.to_string())),
        };
        let home = host.home();
        let (mut store, _) = TrustStore::load(&host.locations.bowline_home, home.as_deref());
        // What the folder switches on is approved as it is now; what changes later is asked again.
        let approved = match decision {
            Decision::Trust => extend::bring(&host.locations, &folder).items,
            Decision::Deny => Vec::new(),
        };
        let hashes = approved.into_iter().map(|item| item.hash);
        match store.set(&folder, decision).and_then(|()| store.approve(&folder, hashes)) {
            Ok(()) => reply.ok(&Empty {}),
            Err(error) => reply.err(RpcError::failed(error.to_string())),
        }
    });
}
