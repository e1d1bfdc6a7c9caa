//! What the client can ask for, one file for each method.

pub(super) mod authenticate;
pub(super) mod cancel_request;
pub(super) mod initialize;
pub(super) mod logout;
pub(super) mod session_cancel;
pub(super) mod session_close;
pub(super) mod session_delete;
pub(super) mod session_list;
pub(super) mod session_load;
pub(super) mod session_new;
pub(super) mod session_prompt;
pub(super) mod session_resume;
pub(super) mod session_set_config_option;
pub(super) mod session_set_mode;
pub(super) mod session_steering;

use std::path::PathBuf;
use std::sync::Arc;

use protocol::session::{Config, SessionAttach, SessionAttachParams, SessionAttachResult};
use serde::Serialize;

use super::peer::Peer;
use super::schema::{McpServer, SessionId};
use super::{replay, servers};
use crate::core::{Reply, RpcError};
use crate::session::{Driven, Msg};

/// What loading and resuming a session have in common.
struct GoesOn {
    session: SessionId,
    cwd: PathBuf,
    roots: Vec<PathBuf>,
    servers: Vec<McpServer>,
    /// What was said is told once more.
    replay: bool,
}

/// Opens the session, answers, and hands over what the client brings along for it.
async fn go_on<A: Serialize>(
    peer: &Arc<Peer>,
    wish: GoesOn,
    reply: Reply,
    answer: impl FnOnce(&Config) -> A + Send + 'static,
) {
    let GoesOn { session, cwd, roots, servers, replay } = wish;
    let params = SessionAttachParams {
        session_id: session.0.to_string(),
        since: None,
        cwd: Some(cwd.display().to_string()),
    };
    let here = peer.clone();
    let then = move |found: Result<SessionAttachResult, RpcError>| match found {
        Ok(found) => {
            here.remember(&found.session_id, cwd);
            for update in found.snapshot.iter().filter(|_| replay).flat_map(replay::updates) {
                here.update(&found.session_id, update);
            }
            reply.ok(&answer(&found.config));
            let given = Driven::Given { roots, servers: servers::named(servers) };
            hand_over(&here, found.session_id, given);
        }
        Err(error) => reply.err(not_there(error)),
    };
    peer.ask::<SessionAttach>(&params, then).await;
}

/// Servers connect by themselves and nobody waits for them, so nothing is lost by telling it later.
fn hand_over(peer: &Peer, session: String, given: Driven) {
    let core = peer.core.clone();
    tokio::spawn(async move {
        core.go_on(move |state| state.tell(&session, Msg::Driven(Box::new(given)))).await;
    });
}

/// A session that is not there is a resource that is not.
fn not_there(error: RpcError) -> RpcError {
    match error.code {
        RpcError::FAILED => RpcError::new(RpcError::NOT_THERE, error.message),
        _ => error,
    }
}
