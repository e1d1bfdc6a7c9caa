//! `session/resume`: goes on with a stored session, without telling what was said.

use std::sync::Arc;

use protocol::session::{SessionAttach, SessionAttachResult};

use super::{attach, not_there};
use crate::core::{Reply, RpcError};
use crate::doors::acp::config;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{ResumeSessionRequest, ResumeSessionResponse};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: ResumeSessionRequest,
    reply: Reply,
) {
    let wish = attach(&params.session_id, &params.cwd);
    let models = config::models(&peer.host, Some(&params.cwd));
    let (here, cwd) = (peer.clone(), params.cwd);
    let then = move |found: Result<SessionAttachResult, RpcError>| match found {
        Ok(found) => {
            here.remember(&found.session_id, cwd);
            let answer = ResumeSessionResponse::new()
                .modes(config::modes(&found.config))
                .config_options(config::options(&models, &found.config));
            reply.ok(&answer);
        }
        Err(error) => reply.err(not_there(error)),
    };
    peer.ask::<SessionAttach>(&wish, then).await;
}
