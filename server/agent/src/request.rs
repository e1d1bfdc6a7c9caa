//! One request to a model, assembled from pieces that were serialised once.
//!
//! A conversation of 200 turns sends its history 200 times; serialising it 200 times as well is
//! what makes other agents slower with every turn. Here each message becomes JSON when it is added,
//! and a request only strings the pieces together.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::{Value, json};

use crate::message::{Block, Message, Role};
use crate::{models, tokens};

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
    /// A provider that can do so may clear old results of tools when more tokens than this are sent.
    pub clear_above: Option<u64>,
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

impl Thinking {
    /// A wish as the journal keeps it: `adaptive`, `disabled`, or tokens.
    pub fn name(self) -> Option<String> {
        match self {
            Thinking::Default => None,
            Thinking::Adaptive => Some("adaptive".to_owned()),
            Thinking::Disabled => Some("disabled".to_owned()),
            Thinking::Budget(tokens) => Some(tokens.to_string()),
        }
    }

    pub fn parse(name: &str) -> Option<Thinking> {
        match name {
            "adaptive" => Some(Thinking::Adaptive),
            "disabled" => Some(Thinking::Disabled),
            tokens => tokens.parse().ok().map(Thinking::tokens),
        }
    }

    /// A budget of none is no thinking.
    pub fn tokens(budget: u32) -> Thinking {
        if budget == 0 { Thinking::Disabled } else { Thinking::Budget(budget) }
    }
}

/// From little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// How long the provider keeps what a breakpoint marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheTtl {
    /// No breakpoints at all.
    Off,
    #[default]
    FiveMinutes,
    /// Twice the input price to write, for conversations with long pauses.
    Hour,
}

impl CacheTtl {
    /// What a breakpoint adds to the end of a JSON object.
    pub fn mark(self) -> &'static str {
        match self {
            CacheTtl::Off => "",
            CacheTtl::FiveMinutes => r#","cache_control":{"type":"ephemeral"}"#,
            CacheTtl::Hour => r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
        }
    }

    pub fn seconds(self) -> u64 {
        match self {
            CacheTtl::Off => 0,
            CacheTtl::FiveMinutes => 300,
            CacheTtl::Hour => 3600,
        }
    }
}

/// What may be sent to `model` of an answer that `author` gave. Thinking is sealed for the model
/// that thought it: another one refuses it, so it is left out. `author` and `model` are ids.
pub fn for_model<'a>(content: &'a [Block], author: &str, model: &str) -> Cow<'a, [Block]> {
    let is_thought =
        |block: &Block| matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. });
    if models::same(author, model) || !content.iter().any(is_thought) {
        return Cow::Borrowed(content);
    }
    content.iter().filter(|block| !is_thought(block)).cloned().collect()
}

/// A PDF as a block, in a message or in a tool's result; `data` is base64.
pub fn pdf(data: &str, title: &str) -> Value {
    json!({"type": "document", "title": title,
        "source": {"type": "base64", "media_type": "application/pdf", "data": data}})
}

/// One message as JSON, shared by every request that repeats it.
#[derive(Clone, Debug)]
pub struct Piece(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    json: String,
    /// Both found out when first asked for; a message does not change.
    tokens: OnceLock<u64>,
    fingerprint: OnceLock<u64>,
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
        Ok(Self::from_json(json))
    }

    /// Neighbours of one role as one message: their blocks, one after the other.
    pub fn joined<'a>(pieces: impl IntoIterator<Item = &'a Piece>) -> Option<Self> {
        let mut pieces = pieces.into_iter();
        let first = pieces.next()?.clone();
        let Some(second) = pieces.next() else { return Some(first) };
        let mut json = first.json().strip_suffix("]}")?.to_owned();
        for piece in std::iter::once(second).chain(pieces) {
            let (_, blocks) = piece.json().split_once('[')?;
            json.push(',');
            json.push_str(blocks.strip_suffix("]}")?);
        }
        json.push_str("]}");
        Some(Self::from_json(json))
    }

    fn from_json(json: String) -> Self {
        let (tokens, fingerprint) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Inner { json, tokens, fingerprint }))
    }

    pub fn json(&self) -> &str {
        &self.0.json
    }

    /// Reads the message back, for providers that speak another shape.
    pub fn message(&self) -> Result<Message, serde_json::Error> {
        serde_json::from_str(self.json())
    }

    /// About how many tokens the message takes.
    pub fn tokens(&self) -> u64 {
        *self.0.tokens.get_or_init(|| match self.message() {
            Ok(message) => tokens::of_blocks(&message.content),
            Err(_) => tokens::of_text(self.json()),
        })
    }

    /// Equal for equal messages, within this process.
    pub fn fingerprint(&self) -> u64 {
        *self.0.fingerprint.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            self.json().hash(&mut hasher);
            hasher.finish()
        })
    }

    pub fn is_user(&self) -> bool {
        self.json().starts_with(r#"{"role":"user""#)
    }

    /// Appends the message; its last block carries the cache breakpoint, if there is to be one.
    ///
    /// A message is `{"role":…,"content":[…,{…}]}`, so the last block closes three bytes before the
    /// end, and the breakpoint goes right before its brace. It is added here, not stored, because
    /// the breakpoint moves on with every request and the stored bytes must not change.
    pub fn write(&self, body: &mut String, breakpoint: CacheTtl) {
        match self.json().strip_suffix("}]}") {
            Some(head) => body.extend([head, breakpoint.mark(), "}]}"]),
            None => body.push_str(self.json()),
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
        piece.write(&mut plain, CacheTtl::Off);
        assert_eq!(plain, piece.json());
        let mut cached = String::new();
        piece.write(&mut cached, CacheTtl::Hour);
        let value: Value = serde_json::from_str(&cached).unwrap();
        assert_eq!(value["content"][1]["cache_control"], json!({"type": "ephemeral", "ttl": "1h"}));
        assert_eq!(value["content"][0].get("cache_control"), None);
        assert_eq!(piece.message().unwrap(), message);
        let other = Piece::new(&Message::user(vec![Block::text("[c]")])).unwrap();
        let joined = Piece::joined([&piece, &other, &other]).unwrap().message().unwrap();
        let texts = ["a", "}]}", "[c]", "[c]"].map(Block::text);
        assert_eq!(joined, Message::user(texts.to_vec()));
    }
    #[test]
    fn thinking_goes_only_to_who_thought_it() {
        let thought = Block::Thinking { thinking: "t".into(), signature: "s".into() };
        let sealed = Block::RedactedThinking { data: "d".into() };
        let content = [thought, sealed, Block::text("hi")];
        let sent = |author, model| for_model(&content, author, model).len();
        assert_eq!(sent("claude-opus-5-5", "claude-opus-5-5"), 3);
        assert_eq!(sent("claude-opus-4-5-20251101", "claude-opus-4-5"), 3);
        assert_eq!(sent("claude-opus-5-5", "claude-sonnet-5-5"), 1);
        assert_eq!(sent("qwen", "qwen"), 3);
        assert_eq!(sent("qwen", "claude-sonnet-5-5"), 1);
    }

    #[test]
    fn a_wish_for_thinking_survives_the_journal() {
        for wish in [Thinking::Adaptive, Thinking::Disabled, Thinking::Budget(9)] {
            assert_eq!(wish.name().as_deref().and_then(Thinking::parse), Some(wish));
        }
        assert_eq!(Thinking::parse("0"), Some(Thinking::Disabled));
        assert_eq!(Thinking::parse("much"), None);
        assert!(Effort::ALL.is_sorted());
    }

    #[test]
    fn equal_messages_have_equal_fingerprints() {
        let piece = |text| Piece::new(&Message::user(vec![Block::text(text)])).unwrap();
        assert_eq!(piece("a").fingerprint(), piece("a").fingerprint());
        assert_ne!(piece("a").fingerprint(), piece("b").fingerprint());
    }
}
