//! `session/prompt`: answered when its turn has ended. One that comes while a turn runs waits.

use std::sync::Arc;

use protocol::session::{SessionPrompt, SessionPromptParams, SessionPromptResult};
use serde_json::value::RawValue;

use crate::core::{Outgoing, RpcError};
use crate::doors::acp::content;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::PromptRequest;

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    request: Box<RawValue>,
    params: PromptRequest,
) {
    let session_id = params.session_id.0.to_string();
    let message = format!("acp_{}", uuid::Uuid::new_v4().simple());
    let refuse = |id, error| peer.door.outbox.push(Outgoing::Response { id, result: Err(error) });
    let content = match content::prompt(params.prompt) {
        Ok(content) => content,
        Err(problem) => {
            return refuse(request, RpcError::new(RpcError::INVALID_PARAMS, problem));
        }
    };
    if !peer.prompts.add(request.clone(), session_id.clone(), message.clone()) {
        let error = "Too many prompts wait already; wait for some of them.";
        return refuse(request, RpcError::new(RpcError::OVERLOADED, error));
    }
    let wish = SessionPromptParams {
        session_id,
        content,
        delivery: None,
        client_message_id: Some(message.clone()),
    };
    let here = peer.clone();
    let then = move |accepted: Result<SessionPromptResult, RpcError>| {
        // Whatever else becomes of it is told by events.
        let Err(error) = accepted else { return };
        for waiting in here.prompts.take(|waiting| waiting.message == message) {
            let refused = Outgoing::Response { id: waiting.id, result: Err(error.clone()) };
            here.door.outbox.push(refused);
        }
    };
    peer.ask::<SessionPrompt>(&wish, then).await;
}
