//! `$/cancel_request`: the client does not want an answer any more. That means something for a
//! prompt; every other request is answered before anybody could change their mind.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::session_cancel;
use crate::doors::acp::peer::Peer;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::doors::acp) struct CancelRequest {
    request_id: Box<RawValue>,
}

pub(in crate::doors::acp) async fn handle(peer: &Arc<Peer>, params: CancelRequest) {
    if let Some(session) = peer.prompts.session_of(&params.request_id) {
        session_cancel::stop(peer, &session).await;
    }
}
