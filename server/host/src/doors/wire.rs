//! What a door says, as JSON-RPC: one message, without the frame that the door puts around it.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::core::{Outgoing, RpcError};

#[derive(Serialize)]
struct Call<'a, P: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    method: &'a str,
    params: P,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RpcError>,
}

/// Appends the message to `body`.
pub(super) fn write(body: &mut Vec<u8>, message: &Outgoing) -> serde_json::Result<()> {
    const JSONRPC: &str = "2.0";
    match message {
        Outgoing::Response { id, result } => {
            let (result, error) = match result {
                Ok(result) => (Some(&**result), None),
                Err(error) => (None, Some(error)),
            };
            serde_json::to_writer(body, &Answer { jsonrpc: JSONRPC, id, result, error })
        }
        Outgoing::Request { id, method, params } => {
            serde_json::to_writer(body, &Call { jsonrpc: JSONRPC, id: Some(id), method, params })
        }
        Outgoing::Notification { method, params } => {
            serde_json::to_writer(body, &Call { jsonrpc: JSONRPC, id: None, method, params })
        }
        // Only for doors that ask for it, and none of those speaks JSON-RPC.
        Outgoing::Verbatim(_) => Ok(()),
        Outgoing::Event(event) => {
            let method = <protocol::event::EventNotification as protocol::Notification>::METHOD;
            let params = &**event;
            serde_json::to_writer(body, &Call { jsonrpc: JSONRPC, id: None, method, params })
        }
    }
}
