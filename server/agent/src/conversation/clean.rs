//! Blocks that no provider takes, however they came into the journal, are left out or replaced.
//!
//! What the model said is otherwise kept to the byte: its thoughts are sealed together with it.

use serde_json::Value;

use super::media;
use crate::message::{Block, ResultPart};

/// What the user said, or we in their name. Results are not among it.
pub(super) fn said(content: &[&Block]) -> Vec<Block> {
    content.iter().filter_map(|block| user_block(block)).collect()
}

fn user_block(block: &Block) -> Option<Block> {
    match block {
        Block::Text { text } => plain(text).map(|text| Block::Text { text }),
        Block::Image { source } => Some(match media::problem(source) {
            Some(problem) => Block::text(media::placeholder(problem)),
            None => block.clone(),
        }),
        Block::Other(value) if is_kind(value, &["document"]) => {
            Some(match media::document_problem(value) {
                Some(problem) => Block::text(media::placeholder(problem)),
                None => block.clone(),
            })
        }
        Block::Other(value) if is_kind(value, &["search_result"]) => Some(block.clone()),
        _ => None,
    }
}

pub(super) fn result(parts: &[ResultPart]) -> Vec<ResultPart> {
    let kinds = ["search_result", "tool_reference"];
    let clean = parts.iter().filter_map(|part| match part {
        ResultPart::Text { text } => plain(text).map(|text| ResultPart::Text { text }),
        ResultPart::Image { source } => Some(match media::problem(source) {
            Some(problem) => ResultPart::Text { text: media::placeholder(problem) },
            None => part.clone(),
        }),
        ResultPart::Other(value) if is_kind(value, &["document"]) => {
            Some(match media::document_problem(value) {
                Some(problem) => ResultPart::Text { text: media::placeholder(problem) },
                None => part.clone(),
            })
        }
        ResultPart::Other(value) => is_kind(value, &kinds).then(|| part.clone()),
    });
    clean.collect()
}

/// An answer. One that paused may end in the middle of a thought or of a search.
pub(super) fn answer(content: &[Block], paused: bool) -> Vec<Block> {
    let mut clean: Vec<Block> =
        content.iter().filter(|block| is_answer(block, content, paused)).map(without_nul).collect();
    if !paused {
        let said = clean.iter().rposition(|block| !is_thought(block));
        clean.truncate(said.map_or(0, |last| last + 1));
    }
    clean
}

fn is_answer(block: &Block, all: &[Block], paused: bool) -> bool {
    match block {
        Block::Text { text } => !text.trim().is_empty(),
        Block::Thinking { signature, .. } => !signature.is_empty(),
        Block::RedactedThinking { data } => !data.is_empty(),
        Block::ToolUse { .. } => true,
        Block::Image { .. } | Block::ToolResult { .. } => false,
        Block::Other(value) => is_provider_block(value, all, paused),
    }
}

/// A tool that ran at the provider: the call with its result, or neither.
fn is_provider_block(value: &Value, all: &[Block], paused: bool) -> bool {
    let field =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let others = || {
        all.iter().filter_map(|block| match block {
            Block::Other(value) => Some(value),
            _ => None,
        })
    };
    let Some(kind) = field(value, "type").filter(|_| value.is_object()) else { return false };
    match kind.as_str() {
        "document" | "image" | "search_result" | "text" | "thinking" | "tool_use" => false,
        "server_tool_use" | "mcp_tool_use" => {
            let id = field(value, "id");
            let has_result = others().any(|other| field(other, "tool_use_id") == id);
            id.is_some() && (has_result || paused)
        }
        _ => match field(value, "tool_use_id") {
            Some(id) => others().any(|other| field(other, "id").as_ref() == Some(&id)),
            None => !kind.ends_with("_result"),
        },
    }
}

fn is_thought(block: &Block) -> bool {
    matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. })
}

fn is_kind(value: &Value, kinds: &[&str]) -> bool {
    value.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
}

fn without_nul(block: &Block) -> Block {
    match block {
        Block::Text { text } if text.contains('\0') => Block::text(text.replace('\0', "\u{fffd}")),
        block => block.clone(),
    }
}

/// Text with something in it, without characters that are not for reading.
fn plain(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
    Some(if text.contains(odd) { text.replace(odd, "\u{fffd}") } else { text.to_owned() })
}
