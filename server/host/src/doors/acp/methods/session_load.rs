//! `session/load`: goes on with a stored session. All that was said is told first, then the answer.

use std::sync::Arc;

use super::{GoesOn, go_on};
use crate::core::Reply;
use crate::doors::acp::config;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{LoadSessionRequest, LoadSessionResponse};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: LoadSessionRequest,
    reply: Reply,
) {
    let models = config::models(&peer.host, Some(&params.cwd));
    let wish = GoesOn {
        session: params.session_id,
        cwd: params.cwd,
        roots: params.additional_directories,
        servers: params.mcp_servers,
        replay: true,
    };
    go_on(peer, wish, reply, move |session| {
        LoadSessionResponse::new()
            .modes(config::modes(session))
            .config_options(config::options(&models, session))
    })
    .await;
}
