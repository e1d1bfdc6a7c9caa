//! `session/close`: ends what runs and unloads the session; it stays stored.

use std::sync::Arc;

use protocol::session::{SessionClose, SessionRef};

use super::session_cancel::withdraw_waiting;
use crate::core::Reply;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{CloseSessionRequest, CloseSessionResponse};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: CloseSessionRequest,
    reply: Reply,
) {
    let session_id = params.session_id.0.to_string();
    let (here, id) = (peer.clone(), session_id.clone());
    let then = move |closed: Result<protocol::Empty, _>| match closed {
        Ok(protocol::Empty {}) => {
            here.forget(&id);
            withdraw_waiting(&here, |waiting| waiting.session == id);
            reply.ok(&CloseSessionResponse::new());
        }
        Err(error) => reply.err(error),
    };
    peer.ask::<SessionClose>(&SessionRef { session_id }, then).await;
}
