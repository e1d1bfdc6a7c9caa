//! `session/delete`: closes the session and removes what is stored of it.

use std::sync::Arc;

use protocol::session::{SessionDelete, SessionRef};

use super::not_there;
use super::session_cancel::withdraw_waiting;
use crate::core::Reply;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{DeleteSessionRequest, DeleteSessionResponse};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: DeleteSessionRequest,
    reply: Reply,
) {
    let session_id = params.session_id.0.to_string();
    let (here, id) = (peer.clone(), session_id.clone());
    let then = move |deleted: Result<protocol::Empty, _>| match deleted {
        Ok(protocol::Empty {}) => {
            here.forget(&id);
            withdraw_waiting(&here, |waiting| waiting.session == id);
            reply.ok(&DeleteSessionResponse::new());
        }
        Err(error) => reply.err(not_there(error)),
    };
    peer.ask::<SessionDelete>(&SessionRef { session_id }, then).await;
}
