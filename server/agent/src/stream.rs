//! What a model says while it answers: the same few events whichever provider speaks.

use serde::{Deserialize, Serialize};

use crate::usage::Usage;

/// One step of a streamed answer. `index` numbers the blocks of the answer from 0.
///
/// A provider sends, for each block, one `*Started`, any number of deltas and one `BlockEnded`;
/// then `Stopped` exactly once. Anything else (an error, an early end) is a [`ModelError`].
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// The provider accepted the request; `usage` counts what was read.
    Started {
        model: String,
        usage: Usage,
    },
    TextStarted {
        index: usize,
    },
    TextDelta {
        index: usize,
        text: String,
    },
    ThinkingStarted {
        index: usize,
    },
    ThinkingDelta {
        index: usize,
        text: String,
    },
    /// The provider's seal on a thinking block; replayed as it came.
    Signature {
        index: usize,
        signature: String,
    },
    /// A block that is kept but never shown (redacted thinking, a server tool's result).
    Opaque {
        index: usize,
        block: serde_json::Value,
    },
    ToolStarted {
        index: usize,
        id: String,
        name: String,
    },
    /// A piece of the JSON text of a tool call's input.
    InputDelta {
        index: usize,
        json: String,
    },
    BlockEnded {
        index: usize,
    },
    /// The provider cleared results before the model read the request: so many, of so many tokens.
    Cleared {
        results: u64,
        tokens: u64,
    },
    /// Cumulative counts for this answer; the last one is what is billed.
    Usage(Usage),
    Stopped {
        reason: StopReason,
    },
}

/// Why the model stopped by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    MaxTokens,
    StopSequence,
    ToolUse,
    PauseTurn,
    Refusal,
    ModelContextWindowExceeded,
    #[serde(untagged)]
    Other(String),
}

/// Why no (complete) answer came. `message` is one sentence for a person, with what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// What the provider asked us to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    pub request_id: Option<String>,
    /// The provider's own word on whether asking again makes sense (`x-should-retry`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_retry: Option<bool>,
    /// By how many tokens the prompt was too long, where the provider said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_long_by: Option<u64>,
}

impl ModelError {
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            kind,
            message,
            status: None,
            retry_after_ms: None,
            request_id: None,
            may_retry: None,
            too_long_by: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// Missing or refused credentials.
    Authentication,
    /// Allowed in, but not to do this.
    Forbidden,
    /// The money or the quota is used up: waiting a moment does not help.
    SpendLimit,
    UnknownModel,
    /// The request itself was refused as malformed.
    InvalidRequest,
    PromptTooLong,
    RequestTooLarge,
    /// An image or a PDF was refused: too large, too many pages, or unreadable.
    MediaTooLarge,
    RateLimited,
    Overloaded,
    /// The provider failed (5xx, `api_error`, `timeout_error`).
    Server,
    /// No connection: DNS, refused, TLS, reset before the answer.
    Network,
    /// The answer broke off or was not what the protocol promises.
    BrokenStream,
    /// Nothing arrived for too long.
    TimedOut,
}
