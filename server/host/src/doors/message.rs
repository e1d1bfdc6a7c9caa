//! One JSON-RPC message, told apart by what it carries.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::core::{RpcError, RpcResult};

#[derive(Debug)]
pub(super) enum Incoming {
    Request {
        id: Box<RawValue>,
        method: String,
        params: Option<Box<RawValue>>,
    },
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    Response {
        id: Box<RawValue>,
        result: RpcResult,
    },
    /// Nothing the protocol knows. Answered with the id it has, or none.
    Invalid {
        id: Option<Box<RawValue>>,
        error: RpcError,
    },
}

#[derive(Deserialize)]
struct Raw {
    jsonrpc: Option<String>,
    id: Option<Box<RawValue>>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<RpcError>,
}

pub(super) fn parse(bytes: &[u8]) -> Incoming {
    let invalid =
        |id, code, message: &str| Incoming::Invalid { id, error: RpcError::new(code, message) };
    let raw: Raw = match serde_json::from_slice(bytes) {
        Ok(raw) => raw,
        Err(error) if error.is_data() => {
            let message = "A message must be one JSON object; batches are not taken.";
            return invalid(None, RpcError::INVALID_REQUEST, message);
        }
        Err(error) => {
            let message = format!("The message is not JSON: {error}.");
            return invalid(None, RpcError::PARSE, &message);
        }
    };
    if raw.jsonrpc.as_deref() != Some("2.0") {
        return invalid(raw.id, RpcError::INVALID_REQUEST, "`jsonrpc` must be \"2.0\".");
    }
    match (raw.id, raw.method) {
        (Some(id), Some(method)) => Incoming::Request { id, method, params: raw.params },
        (None, Some(method)) => Incoming::Notification { method, params: raw.params },
        (Some(id), None) => {
            let null = || RawValue::NULL.to_owned();
            let result = raw.error.map_or_else(|| Ok(raw.result.unwrap_or_else(null)), Err);
            Incoming::Response { id, result }
        }
        // An error without an id is the other side complaining about a message of ours.
        (None, None) if raw.error.is_some() => Incoming::Response {
            id: RawValue::NULL.to_owned(),
            result: Err(RpcError::new(RpcError::INVALID_REQUEST, "")),
        },
        (None, None) => {
            invalid(None, RpcError::INVALID_REQUEST, "A message needs a method or an id.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expect: &str) {
        let got = match parse(json.as_bytes()) {
            Incoming::Request { id, method, .. } => format!("request {id} {method}"),
            Incoming::Notification { method, .. } => format!("notification {method}"),
            Incoming::Response { id, result } => format!("response {id} {}", result.is_ok()),
            Incoming::Invalid { id, error } => {
                let id = id.map_or("none".to_owned(), |id| id.to_string());
                format!("invalid {id} {}", error.code)
            }
        };
        assert_eq!(got, expect, "{json}");
    }

    #[test]
    fn every_shape() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "request 1 a");
        check(r#"{"jsonrpc":"2.0","id":"x","method":"a","params":null}"#, "request \"x\" a");
        check(r#"{"jsonrpc":"2.0","method":"a","params":{}}"#, "notification a");
        check(r#"{"jsonrpc":"2.0","id":"b:1","result":null}"#, "response \"b:1\" true");
        check(r#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}"#, "response 2 false");
        check(r#"{"id":3,"method":"a"}"#, "invalid 3 -32600");
        check(r#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#, "invalid none -32600");
        check(r#"{"jsonrpc":"2.0"}"#, "invalid none -32600");
        check("{nonsense", "invalid none -32700");
        check("\u{feff}", "invalid none -32700");
    }
}
