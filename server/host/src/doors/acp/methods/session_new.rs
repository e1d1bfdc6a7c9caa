//! `session/new`: a conversation in a folder. Answered before the first update of the session.

use std::sync::Arc;

use protocol::session::{SessionNew, SessionNewParams};

use crate::core::Reply;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{NewSessionRequest, NewSessionResponse};
use crate::doors::acp::{config, servers};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: NewSessionRequest,
    reply: Reply,
) {
    let roots = params.additional_directories.iter();
    let wish = SessionNewParams {
        cwd: params.cwd.display().to_string(),
        roots: Some(roots.map(|folder| folder.display().to_string()).collect()),
        mcp_servers: servers::named(params.mcp_servers),
        ..SessionNewParams::default()
    };
    let models = config::models(&peer.host, Some(&params.cwd));
    let (here, cwd) = (peer.clone(), params.cwd);
    let then = move |made: Result<protocol::session::SessionNewResult, _>| match made {
        Ok(made) => {
            here.remember(&made.session_id, cwd);
            let answer = NewSessionResponse::new(made.session_id)
                .modes(config::modes(&made.config))
                .config_options(config::options(&models, &made.config));
            reply.ok(&answer);
        }
        Err(error) => reply.err(error),
    };
    peer.ask::<SessionNew>(&wish, then).await;
}
