//! `_session/steering`: words for the turn that runs. An extension that other agents have too.

use std::sync::Arc;

use protocol::session::{Disposition, SessionPrompt, SessionPromptParams, SessionPromptResult};
use protocol::session::Delivery;
use serde::Deserialize;
use serde_json::json;

use crate::core::{Reply, RpcError};
use crate::doors::acp::content;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{ContentBlock, SessionId};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::doors::acp) struct Steering {
    session_id: SessionId,
    prompt: Vec<ContentBlock>,
}

pub(in crate::doors::acp) async fn handle(peer: &Arc<Peer>, params: Steering, reply: Reply) {
    let content = match content::prompt(params.prompt) {
        Ok(content) => content,
        Err(problem) => return reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem)),
    };
    let wish = SessionPromptParams {
        session_id: params.session_id.0.to_string(),
        content,
        delivery: Some(Delivery::Steer),
        client_message_id: None,
    };
    let then = move |accepted: Result<SessionPromptResult, RpcError>| match accepted {
        Ok(accepted) => {
            let outcome = match accepted.disposition {
                Disposition::Steered => "injected",
                _ => "startedNewTurn",
            };
            reply.ok(&json!({ "outcome": outcome }));
        }
        Err(error) => reply.err(error),
    };
    peer.ask::<SessionPrompt>(&wish, then).await;
}
