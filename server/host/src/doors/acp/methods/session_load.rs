//! `session/load`: goes on with a stored session. All that was said is told first, then the answer.

use std::sync::Arc;

use protocol::session::{SessionAttach, SessionAttachResult};

use super::{attach, not_there};
use crate::core::{Reply, RpcError};
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{LoadSessionRequest, LoadSessionResponse};
use crate::doors::acp::{config, replay};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: LoadSessionRequest,
    reply: Reply,
) {
    let wish = attach(&params.session_id, &params.cwd);
    let models = config::models(&peer.host, Some(&params.cwd));
    let (here, cwd) = (peer.clone(), params.cwd);
    let then = move |found: Result<SessionAttachResult, RpcError>| match found {
        Ok(found) => {
            here.remember(&found.session_id, cwd);
            for update in found.snapshot.iter().flat_map(replay::updates) {
                here.update(&found.session_id, update);
            }
            let answer = LoadSessionResponse::new()
                .modes(config::modes(&found.config))
                .config_options(config::options(&models, &found.config));
            reply.ok(&answer);
        }
        Err(error) => reply.err(not_there(error)),
    };
    peer.ask::<SessionAttach>(&wish, then).await;
}
