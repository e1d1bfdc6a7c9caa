//! The table of what the client can say. One file for each method in `methods`.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::methods::{
    authenticate, cancel_request, initialize, logout, session_cancel, session_close,
    session_delete, session_list, session_load, session_new, session_prompt, session_resume,
    session_set_config_option, session_set_mode, session_steering,
};
use super::peer::Peer;
use crate::core::{Outgoing, Reply, RpcError};
use crate::doors::message::Incoming;

/// Every request of our own protocol is there under this name as well: `_agent/review/list`.
pub(super) const OWN: &str = "_agent/";

/// Takes one message. What follows from it reaches the core before the next one is heard.
pub(super) async fn hear(peer: &Arc<Peer>, message: Incoming) {
    match message {
        Incoming::Request { id, method, params } => {
            request(peer, id, &method, params).await;
        }
        Incoming::Notification { method, params } => notification(peer, &method, params).await,
        Incoming::Response { id, result } => {
            // Ours are texts; anything else answers a question that nobody asked.
            if let Ok(id) = serde_json::from_str::<String>(id.get()) {
                peer.door.answered(&id, result);
            }
        }
        Incoming::Invalid { id, error } => {
            let id = id.unwrap_or_else(|| RawValue::NULL.to_owned());
            peer.door.outbox.push(Outgoing::Response { id, result: Err(error) });
        }
    }
}

async fn request(
    peer: &Arc<Peer>,
    id: Box<RawValue>,
    method: &str,
    params: Option<Box<RawValue>>,
) {
    let request = id.clone();
    let door = peer.door.clone();
    let reply =
        Reply::new(move |result| door.outbox.push(Outgoing::Response { id, result }));
    if !peer.is_known() && method != "initialize" {
        let message = "Say `initialize` first.";
        return reply.err(RpcError::new(RpcError::INVALID_REQUEST, message));
    }
    macro_rules! on {
        ($handle:path) => {
            match read(method, params.as_deref()) {
                Ok(params) => $handle(peer, params, reply).await,
                Err(error) => reply.err(error),
            }
        };
    }
    match method {
        "initialize" => on!(initialize::handle),
        "authenticate" => on!(authenticate::handle),
        "logout" => on!(logout::handle),
        "session/new" => on!(session_new::handle),
        "session/load" => on!(session_load::handle),
        "session/resume" => on!(session_resume::handle),
        "session/list" => on!(session_list::handle),
        "session/close" => on!(session_close::handle),
        "session/delete" => on!(session_delete::handle),
        "session/set_mode" => on!(session_set_mode::handle),
        "session/set_config_option" => on!(session_set_config_option::handle),
        "_session/steering" => on!(session_steering::handle),
        "session/prompt" => match read(method, params.as_deref()) {
            // Answered when its turn has ended, behind the last word of it.
            Ok(params) => session_prompt::handle(peer, request, params).await,
            Err(error) => reply.err(error),
        },
        _ => match method.strip_prefix(OWN) {
            Some(own) => peer.pass_on(&format!("agent/{own}"), params, reply).await,
            None => {
                let message = format!("This agent does not offer {method}.");
                reply.err(RpcError::new(RpcError::METHOD_NOT_FOUND, message));
            }
        },
    }
}

async fn notification(peer: &Arc<Peer>, method: &str, params: Option<Box<RawValue>>) {
    if !peer.is_known() {
        return;
    }
    let wrong = |error: RpcError| tracing::warn!(method, %error, "a notification is wrong");
    match method {
        "session/cancel" => match read(method, params.as_deref()) {
            Ok(params) => session_cancel::handle(peer, params).await,
            Err(error) => wrong(error),
        },
        "$/cancel_request" => match read(method, params.as_deref()) {
            Ok(params) => cancel_request::handle(peer, params).await,
            Err(error) => wrong(error),
        },
        _ => tracing::debug!(method, "a notification that has no reader"),
    }
}

fn read<P: DeserializeOwned>(method: &str, params: Option<&RawValue>) -> Result<P, RpcError> {
    serde_json::from_str(params.map_or("{}", RawValue::get)).map_err(|error| {
        let message = format!("The parameters of {method} are wrong: {error}.");
        RpcError::new(RpcError::INVALID_PARAMS, message)
    })
}
