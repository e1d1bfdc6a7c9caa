//! Errors and replies as JSON-RPC knows them, for every door.

use serde::Serialize;
use serde_json::value::RawValue;

/// What a request that failed is answered with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    pub code: i64,
    pub message: String,
}

impl RpcError {
    pub const PARSE: i64 = -32700;
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL: i64 = -32603;
    pub const NOT_INITIALIZED: i64 = -32002;
    pub const OVERLOADED: i64 = -32001;
    /// There is no key, or a wrong one, as ACP counts it.
    pub const AUTH_REQUIRED: i64 = -32000;
    /// A file that is asked for does not exist, as ACP counts it.
    pub const NOT_THERE: i64 = -32002;
    pub const CANCELLED: i64 = -32800;
    /// The request is fine, but cannot be done: no such session, no such file.
    pub const FAILED: i64 = -32803;

    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Self::FAILED, message)
    }

    pub fn no_session(id: &str) -> Self {
        Self::failed(format!("There is no session {id}."))
    }

    /// There is no journal: because there is no session, or because nothing was said in it yet.
    pub fn unstored(id: &str, live: bool) -> Self {
        if live {
            Self::failed("Nothing of this session is stored: say something first.")
        } else {
            Self::no_session(id)
        }
    }
}

pub type RpcResult = Result<Box<RawValue>, RpcError>;

/// The duty to answer one request, exactly once. Dropping it is an answer too: an error, so that no
/// client waits for ever because of a bug of ours.
pub struct Reply {
    send: Option<Box<dyn FnOnce(RpcResult) + Send>>,
}

impl Reply {
    pub fn new(send: impl FnOnce(RpcResult) + Send + 'static) -> Self {
        Self { send: Some(Box::new(send)) }
    }

    pub fn ok(self, result: &impl Serialize) {
        let result = serde_json::value::to_raw_value(result)
            .map_err(|error| RpcError::new(RpcError::INTERNAL, error.to_string()));
        self.send(result);
    }

    pub fn err(self, error: RpcError) {
        self.send(Err(error));
    }

    pub fn send(mut self, result: RpcResult) {
        if let Some(send) = self.send.take() {
            send(result);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(send) = self.send.take() {
            send(Err(RpcError::new(RpcError::INTERNAL, "The request got lost inside the server.")));
        }
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reply")
    }
}
