//! One request to a model, assembled from pieces that were serialised once.
//!
//! A conversation of 200 turns sends its history 200 times; serialising it 200 times as well is
//! what makes other agents slower with every turn. Here each message becomes JSON when it is added,
//! and a request only strings the pieces together.

use std::sync::Arc;

use serde::Serialize;

use crate::message::{Block, Message, Role};

/// What a provider gets. `system` and `tools` are JSON arrays in the shape of the Messages API.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    pub model: String,
    pub max_tokens: u32,
    pub system: Arc<str>,
    pub tools: Arc<str>,
    pub messages: Vec<Piece>,
    pub thinking: Thinking,
    pub effort: Option<Effort>,
    /// A JSON schema that the answer's text must follow (`output_config.format`).
    pub format: Option<Arc<str>>,
    /// Names the session to the provider, where it wants that (abuse and cache routing).
    pub session: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// Say nothing: the model's own default.
    Default,
    Adaptive,
    Budget(u32),
    Disabled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

impl Effort {
    pub const ALL: [Effort; 5] =
        [Effort::Low, Effort::Medium, Effort::High, Effort::XHigh, Effort::Max];

    pub fn name(self) -> &'static str {
        match self {
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::XHigh => "xhigh",
            Effort::Max => "max",
        }
    }

    pub fn parse(name: &str) -> Option<Effort> {
        Effort::ALL.into_iter().find(|effort| effort.name() == name)
    }
}

const CACHE_CONTROL: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// One message as JSON, shared by every request that repeats it.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Not `Arc<str>`, which would copy an answer of many megabytes once more.
    json: Arc<String>,
}

/// A message that belongs to somebody else, in the same shape.
#[derive(Serialize)]
struct Borrowed<'a> {
    role: Role,
    content: &'a [Block],
}

impl Piece {
    pub fn new(message: &Message) -> Result<Self, serde_json::Error> {
        Self::of(message.role, &message.content)
    }

    pub fn of(role: Role, content: &[Block]) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::to_string(&Borrowed { role, content })?;
        json.shrink_to_fit();
        Ok(Self { json: Arc::new(json) })
    }

    pub fn json(&self) -> &str {
        &self.json
    }

    /// Reads the message back, for providers that speak another shape.
    pub fn message(&self) -> Result<Message, serde_json::Error> {
        serde_json::from_str(&self.json)
    }

    /// Appends the message; with `cached`, its last block carries a cache breakpoint.
    ///
    /// A message is `{"role":…,"content":[…,{…}]}`, so the last block closes three bytes before the
    /// end, and the breakpoint goes right before its brace. It is added here, not stored, because
    /// the breakpoint moves on with every request and the stored bytes must not change.
    pub fn write(&self, body: &mut String, cached: bool) {
        match self.json.strip_suffix("}]}") {
            Some(head) if cached => {
                body.push_str(head);
                body.push_str(CACHE_CONTROL);
                body.push_str("}]}");
            }
            _ => body.push_str(&self.json),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Block;

    #[test]
    fn a_breakpoint_changes_only_the_last_block() {
        let message = Message::user(vec![Block::text("a"), Block::text("}]}")]);
        let piece = Piece::new(&message).unwrap();
        let mut plain = String::new();
        piece.write(&mut plain, false);
        assert_eq!(plain, piece.json());
        let mut cached = String::new();
        piece.write(&mut cached, true);
        let value: serde_json::Value = serde_json::from_str(&cached).unwrap();
        assert_eq!(value["content"][1]["cache_control"]["type"], "ephemeral");
        assert_eq!(value["content"][0].get("cache_control"), None);
        assert_eq!(piece.message().unwrap(), message);
    }
}
