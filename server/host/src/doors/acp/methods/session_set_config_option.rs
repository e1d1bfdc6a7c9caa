//! `session/set_config_option`: one of the settings of a session; the answer has all of them.

use std::sync::Arc;

use protocol::session::{SessionConfig, SessionConfigParams, SessionConfigResult};

use crate::core::{Reply, RpcError};
use crate::doors::acp::config;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{SetSessionConfigOptionRequest, SetSessionConfigOptionResponse};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: SetSessionConfigOptionRequest,
    reply: Reply,
) {
    let change = match config::change(&params.config_id.0, &params.value) {
        Ok(change) => change,
        Err(problem) => return reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem)),
    };
    let wish =
        SessionConfigParams { session_id: params.session_id.0.to_string(), set: Some(change) };
    let folder = peer.folder(&params.session_id.0);
    let models = config::models(&peer.host, folder.as_deref());
    let then = move |set: Result<SessionConfigResult, RpcError>| match set {
        Ok(set) => {
            let options = config::options(&models, &set.config);
            reply.ok(&SetSessionConfigOptionResponse::new(options));
        }
        Err(error) => reply.err(error),
    };
    peer.ask::<SessionConfig>(&wish, then).await;
}
