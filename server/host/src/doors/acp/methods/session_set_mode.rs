//! `session/set_mode`: what may be done without asking.

use std::sync::Arc;

use protocol::session::{ConfigChange, Mode, SessionConfig, SessionConfigParams};

use crate::core::Reply;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{SetSessionModeRequest, SetSessionModeResponse};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: SetSessionModeRequest,
    reply: Reply,
) {
    let mode = Some(Mode::from(&*params.mode_id.0));
    let wish = SessionConfigParams {
        session_id: params.session_id.0.to_string(),
        set: Some(ConfigChange { mode, ..ConfigChange::default() }),
    };
    let then = move |set: Result<_, _>| match set {
        Ok(_) => reply.ok(&SetSessionModeResponse::new()),
        Err(error) => reply.err(error),
    };
    peer.ask::<SessionConfig>(&wish, then).await;
}
