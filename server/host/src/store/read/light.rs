//! What is left of a line that lies before a summary: the turns and prompts there were, the calls
//! by their names, the last list of things to do, what was spent. Not what was said.

use agent::{Block, Record, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Results,
    /// A block of an answer, or the result of one call, that is part of a later record.
    Part,
    Permission,
    Compacted,
    Rewound,
    /// Short, or not known.
    Other,
}

impl Kind {
    /// From the beginning of a line, as we write it. Anything else is read as a whole.
    pub(super) fn of(head: &[u8]) -> Self {
        let Some(rest) = head.strip_prefix(br#"{"at":"#) else { return Kind::Other };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let Some(rest) = rest[digits..].strip_prefix(br#","type":""#) else { return Kind::Other };
        let end = rest.iter().position(|byte| *byte == b'"').unwrap_or(0);
        match &rest[..end] {
            b"user" => Kind::User,
            b"assistant" => Kind::Assistant,
            b"results" => Kind::Results,
            b"answer_block" | b"answer_retracted" | b"call_result" => Kind::Part,
            b"permission" => Kind::Permission,
            b"compacted" => Kind::Compacted,
            b"rewound" => Kind::Rewound,
            _ => Kind::Other,
        }
    }
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    turn: Cow<'a, str>,
    #[serde(borrow, default)]
    call: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    /// Who is to be named for what the turn cost.
    #[serde(borrow, default)]
    model: Cow<'a, str>,
    asked: Option<String>,
    #[serde(borrow)]
    content: Vec<Part<'a>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// The record without what was said in it.
pub(super) fn record(kind: Kind, line: &[u8]) -> Result<Record, serde_json::Error> {
    match kind {
        Kind::User => {
            let Named { id, turn, .. } = serde_json::from_slice(line)?;
            Ok(Record::User { id: id.into(), turn: turn.into(), content: Vec::new() })
        }
        Kind::Permission => {
            let Named { turn, call, .. } = serde_json::from_slice(line)?;
            Ok(Record::Permission {
                turn: turn.into(),
                call: call.into(),
                tool: String::new(),
                input: Value::Null,
                allowed: false,
                reason: String::new(),
            })
        }
        Kind::Assistant => {
            let Answer { model, asked, content } = serde_json::from_slice(line)?;
            let calls = content.into_iter().filter(|part| part.kind == "tool_use");
            Ok(Record::Assistant {
                id: String::new(),
                turn: String::new(),
                model: model.into(),
                asked,
                content: calls.map(call).collect(),
                stop_reason: None,
                usage: Usage::default(),
            })
        }
        _ => serde_json::from_slice(line),
    }
}

/// Names must not be given twice, also not to calls that are forgotten.
fn call(part: Part<'_>) -> Block {
    let wanted = part.input.filter(|_| part.name == "TodoWrite");
    let input = wanted.and_then(|input| serde_json::from_str(input.get()).ok());
    let input = input.unwrap_or_else(|| Value::Object(Default::default()));
    Block::ToolUse { id: part.id.into(), name: part.name.into(), input }
}
