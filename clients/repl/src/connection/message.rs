//! JSON-RPC messages: what comes in as a value of ours, what goes out as bytes.

use std::borrow::Cow;

use protocol::ask::{Ask, AskParams};
use protocol::event::EventNotification;
use protocol::permission::{
    PermissionRequest, PermissionRequestParams, RequestResolved, RequestResolvedParams,
};
use protocol::{Event, Notification as _, Request as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// An error answer.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct RpcError {
    pub code: i64,
    pub message: String,
}

/// The id of a request of the server, to be sent back as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ServerId(Value);

/// Everything the server can say to us.
#[derive(Debug)]
pub(crate) enum Incoming {
    Event(Box<Event>),
    Permission(ServerId, Box<PermissionRequestParams>),
    Ask(ServerId, Box<AskParams>),
    /// Another door answered.
    Resolved(RequestResolvedParams),
    /// The server withdrew its request.
    Withdrawn(ServerId),
    Answer {
        id: u64,
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// A request we do not know or cannot read: it must still be answered.
    Refused {
        id: ServerId,
        error: RpcError,
    },
    /// The connection is over; the text says why when it was no orderly end.
    Closed(Option<String>),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Option<Value>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<RpcError>,
}

/// How an event begins when it comes from our own server.
const EVENT_HEAD: &[u8] = br#"{"jsonrpc":"2.0","method":"agent/event","params":"#;

/// Reads one message; `None` for one that needs no attention, such as an unknown notification.
pub(crate) fn parse(body: &[u8]) -> Option<Incoming> {
    // Events are nearly everything that comes; the usual form needs no second look.
    if let Some(params) = body.strip_prefix(EVENT_HEAD).and_then(|rest| rest.strip_suffix(b"}"))
        && let Ok(event) = serde_json::from_slice(params)
    {
        return Some(Incoming::Event(Box::new(event)));
    }
    let message: Envelope<'_> = serde_json::from_slice(body).ok()?;
    match (message.method, message.id) {
        (Some(method), Some(id)) => Some(parse_request(&method, ServerId(id), message.params)),
        (Some(method), None) => parse_notification(&method, message.params?),
        (None, Some(id)) => {
            let outcome = match (message.error, message.result) {
                (Some(error), _) => Err(error),
                (None, Some(result)) => Ok(result.to_owned()),
                (None, None) => Ok(RawValue::NULL.to_owned()),
            };
            Some(Incoming::Answer { id: id.as_u64()?, outcome })
        }
        (None, None) => None,
    }
}

fn parse_notification(method: &str, params: &RawValue) -> Option<Incoming> {
    match method {
        EventNotification::METHOD => {
            Some(Incoming::Event(Box::new(serde_json::from_str(params.get()).ok()?)))
        }
        RequestResolved::METHOD => {
            Some(Incoming::Resolved(serde_json::from_str(params.get()).ok()?))
        }
        "$/cancelRequest" => {
            let params: Value = serde_json::from_str(params.get()).ok()?;
            Some(Incoming::Withdrawn(ServerId(params.get("id")?.clone())))
        }
        _ => None,
    }
}

fn parse_request(method: &str, id: ServerId, params: Option<&RawValue>) -> Incoming {
    let params = params.unwrap_or(RawValue::NULL).get();
    let read = match method {
        PermissionRequest::METHOD => serde_json::from_str(params)
            .map(|params| Incoming::Permission(id.clone(), Box::new(params))),
        Ask::METHOD => {
            serde_json::from_str(params).map(|params| Incoming::Ask(id.clone(), Box::new(params)))
        }
        other => {
            let message = format!("this client has no method `{other}`");
            return Incoming::Refused { id, error: RpcError { code: METHOD_NOT_FOUND, message } };
        }
    };
    read.unwrap_or_else(|error| {
        let message = format!("the parameters of `{method}` cannot be read: {error}");
        Incoming::Refused { id, error: RpcError { code: INVALID_PARAMS, message } }
    })
}

#[derive(Serialize)]
struct Outgoing<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: &'a P,
}

pub(crate) fn request<P: Serialize>(id: u64, method: &str, params: &P) -> Vec<u8> {
    encode(&Outgoing { jsonrpc: "2.0", id: Some(id), method, params })
}

pub(crate) fn notification<P: Serialize>(method: &str, params: &P) -> Vec<u8> {
    encode(&Outgoing { jsonrpc: "2.0", id: None, method, params })
}

pub(crate) fn answer<R: Serialize>(id: &ServerId, result: &R) -> Vec<u8> {
    #[derive(Serialize)]
    struct Answer<'a, R> {
        jsonrpc: &'static str,
        id: &'a Value,
        result: &'a R,
    }
    encode(&Answer { jsonrpc: "2.0", id: &id.0, result })
}

pub(crate) fn refusal(id: &ServerId, error: &RpcError) -> Vec<u8> {
    #[derive(Serialize)]
    struct Refusal<'a> {
        jsonrpc: &'static str,
        id: &'a Value,
        error: &'a RpcError,
    }
    encode(&Refusal { jsonrpc: "2.0", id: &id.0, error })
}

/// Our own types always serialise: they hold no maps with other keys than strings.
fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(body: &str) -> String {
        match parse(body.as_bytes()) {
            Some(Incoming::Event(event)) => format!("event {}", event.body.name()),
            Some(Incoming::Answer { id, outcome: Ok(result) }) => format!("answer {id} {result}"),
            Some(Incoming::Answer { id, outcome: Err(error) }) => {
                format!("error {id} {}", error.message)
            }
            Some(Incoming::Refused { error, .. }) => format!("refused {}", error.code),
            Some(Incoming::Withdrawn(id)) => format!("withdrawn {}", id.0),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn tells_messages_apart() {
        for (body, expect) in [
            (r#"{"jsonrpc":"2.0","id":3,"result":{"a":1}}"#, r#"answer 3 {"a":1}"#),
            (r#"{"jsonrpc":"2.0","id":3,"result":null}"#, "answer 3 null"),
            (r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}"#, "error 3 no"),
            (r#"{"jsonrpc":"2.0","id":"x","method":"agent/new","params":{}}"#, "refused -32601"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"agent/ask","params":{}}"#, "refused -32602"),
            (
                r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}}"#,
                "withdrawn \"x\"",
            ),
            (r#"{"jsonrpc":"2.0","method":"agent/unknown","params":{}}"#, "None"),
            (
                r#"{"jsonrpc":"2.0","method":"agent/event","params":{"sessionId":"s","seq":1,"at":0,"type":"brand.new"}}"#,
                "event brand.new",
            ),
            ("not json", "None"),
        ] {
            assert_eq!(name(body), expect);
        }
    }
}
