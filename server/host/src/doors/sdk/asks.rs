//! What the host is asked: permission, questions of the model, forms of servers. A question goes out as a
//! line, and its answer comes back to whoever asked through the door, as from any other client.

mod can_use_tool;
mod elicitation;
mod permission_tool;
mod permission_update;
mod questions;

use std::sync::Arc;

use protocol::ask::AskParams;
use protocol::permission::PermissionRequestParams;
use protocol::{Request as _, ask, permission};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::lines;
use super::shared::Shared;
use crate::core::RpcError;

/// What a hook of the host says. Only this door knows the method.
pub(super) const HOOK_CALLBACK: &str = "sdk/hook_callback";

/// A message for an MCP server of the host.
pub(super) const MCP_MESSAGE: &str = "sdk/mcp_message";

/// A question that stands.
pub(super) enum Ask {
    /// The answer is for somebody who knows what it means.
    Callback,
    Permission(Box<PermissionRequestParams>),
    Questions(Box<AskParams>),
    Elicitation,
}

/// The line that puts a question. Nothing where the host cannot be asked: then it is answered already.
pub(super) fn put(
    shared: &Arc<Shared>,
    id: &str,
    method: &str,
    params: &RawValue,
) -> Option<Value> {
    let question = match method {
        permission::PermissionRequest::METHOD => permission_question(params),
        ask::Ask::METHOD => ask_question(params),
        HOOK_CALLBACK => callback("hook_callback", params),
        MCP_MESSAGE => callback("mcp_message", params),
        _ => None,
    };
    let Some((ask, request)) = question else {
        let error = RpcError::new(RpcError::METHOD_NOT_FOUND, "The host cannot be asked that.");
        shared.door.answered(id, Err(error));
        return None;
    };
    if let (Ask::Permission(params), Some(tool)) = (&ask, shared.permission_tool()) {
        let (params, tool) = (params.clone(), tool.to_owned());
        tokio::spawn(permission_tool::ask(shared.clone(), id.to_owned(), params, request, tool));
        return None;
    }
    let line = json!({ "type": "control_request", "request_id": id, "request": request });
    // A question that was cut could be answered with what was cut.
    if line.to_string().len() > lines::LONGEST {
        shared.door.answered(id, Err(RpcError::failed("It is too long to be asked about.")));
        return None;
    }
    shared.asks().insert(id.to_owned(), ask);
    Some(line)
}

fn permission_question(params: &RawValue) -> Option<(Ask, Value)> {
    let params: PermissionRequestParams = serde_json::from_str(params.get()).ok()?;
    let request = can_use_tool::request(&params)?;
    Some((Ask::Permission(Box::new(params)), request))
}

fn ask_question(params: &RawValue) -> Option<(Ask, Value)> {
    let params: AskParams = serde_json::from_str(params.get()).ok()?;
    match params.questions {
        Some(_) => {
            let request = questions::request(&params);
            Some((Ask::Questions(Box::new(params)), request))
        }
        None => Some((Ask::Elicitation, elicitation::request(&params))),
    }
}

/// A question in the host's own shape.
fn callback(subtype: &str, params: &RawValue) -> Option<(Ask, Value)> {
    let mut request: Value = serde_json::from_str(params.get()).ok()?;
    request["subtype"] = subtype.into();
    Some((Ask::Callback, request))
}

/// The line that takes a question back.
pub(super) fn withdraw(shared: &Shared, method: &str, params: &RawValue) -> Option<Value> {
    if method != "$/cancelRequest" {
        return None;
    }
    let params: Value = serde_json::from_str(params.get()).ok()?;
    let id = params["id"].as_str()?;
    shared.asks().remove(id)?;
    Some(json!({ "type": "control_cancel_request", "request_id": id }))
}

/// The host answered. What nobody waits for any more is ignored.
pub(super) fn answered(shared: &Arc<Shared>, id: &str, answer: Result<Value, String>) {
    let Some(ask) = shared.asks().remove(id) else { return };
    let (shared, id) = (shared.clone(), id.to_owned());
    // What a yes brings along is kept before the call goes on, which takes its time.
    tokio::spawn(async move {
        match ask {
            Ask::Permission(params) => can_use_tool::answered(&shared, &id, &params, answer).await,
            Ask::Questions(params) => give(&shared, &id, &questions::answer(&params, answer)),
            Ask::Callback => match answer {
                Ok(answer) => give(&shared, &id, &answer),
                Err(problem) => shared.door.answered(&id, Err(RpcError::failed(problem))),
            },
            Ask::Elicitation => give(&shared, &id, &elicitation::answer(answer)),
        }
    });
}

/// The answer, to whoever waits for it.
fn give(shared: &Shared, id: &str, answer: &impl Serialize) {
    let internal = |error: serde_json::Error| RpcError::new(RpcError::INTERNAL, error.to_string());
    shared.door.answered(id, to_raw_value(answer).map_err(internal));
}
