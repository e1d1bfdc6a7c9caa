//! Small questions beside the conversation, for a quick model: what is asked, and what counts as an
//! answer.
//!
//! What was said goes to the model as JSON, so that no text in it can pass for the words around it.
//! An answer that is not of the shape that was asked for is no answer: a helper has nothing to say
//! rather than something odd.

pub mod away;
pub mod doc;
pub mod suggestion;
pub mod title;
pub mod tools;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::conversation::Conversation;
use crate::message::{Block, Message, ResultPart, Role};
use crate::prompt;

/// What a quick model is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// As [`ModelRequest::system`](crate::ModelRequest) wants it.
    pub system: Arc<str>,
    pub text: String,
    pub max_tokens: u32,
}

impl Question {
    fn new(system: &str, text: String, max_tokens: u32) -> Self {
        Self { system: prompt::blocks(&[system]), text, max_tokens }
    }
}

/// Of one message, in bytes.
const MESSAGE_CAP: usize = 2_000;
/// Of one call or its result.
const CALL_CAP: usize = 400;

/// What was said last, the oldest first: words, calls and results, each cut, and no more than `cap`
/// bytes together. `is_ours` tells words that Bowline itself put in the user's mouth.
pub fn said(conversation: &Conversation, cap: usize, is_ours: impl Fn(&str) -> bool) -> Vec<Value> {
    let mut room = cap;
    let mut said = Vec::new();
    for entry in conversation.entries().iter().rev() {
        let Ok(message) = entry.message() else { continue };
        for line in lines(&message, &is_ours).into_iter().rev() {
            let Some(left) = room.checked_sub(line.to_string().len()) else {
                said.reverse();
                return said;
            };
            room = left;
            said.push(line);
        }
    }
    said.reverse();
    said
}

fn lines(message: &Message, is_ours: impl Fn(&str) -> bool) -> Vec<Value> {
    let line = |block: &Block| match (message.role, block) {
        (Role::User, Block::Text { text }) if !is_ours(text) => {
            Some(json!({ "user": cut(text, MESSAGE_CAP) }))
        }
        (Role::Assistant, Block::Text { text }) => Some(json!({ "agent": cut(text, MESSAGE_CAP) })),
        (_, Block::ToolUse { name, input, .. }) => {
            Some(json!({ "call": name, "input": cut(&input.to_string(), CALL_CAP) }))
        }
        (_, Block::ToolResult { content, is_error, .. }) => {
            let how = if *is_error { "error" } else { "result" };
            Some(json!({ how: cut(&result_text(content), CALL_CAP) }))
        }
        _ => None,
    };
    message.content.iter().filter_map(line).collect()
}

fn result_text(content: &[ResultPart]) -> String {
    let texts = content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn cut(text: &str, cap: usize) -> String {
    let text = text.trim();
    let head = &text[..text.floor_char_boundary(cap)];
    if head.len() == text.len() { text.to_owned() } else { format!("{head}…") }
}

/// An answer of one line without what models like to put around it; nothing when it is longer than
/// `most` characters, has more lines, or is empty.
fn one_line(answer: &str, most: usize) -> Option<String> {
    let bare = answer.trim().trim_matches(['"', '`', '*', '\u{201c}', '\u{201d}']).trim();
    let fits = !bare.is_empty() && !bare.contains('\n') && bare.chars().count() <= most;
    fits.then(|| prompt::one_line(bare))
}

/// What a model says when it has nothing to say.
fn is_nothing(line: &str) -> bool {
    line.trim_end_matches('.').eq_ignore_ascii_case("none")
}

#[cfg(test)]
mod tests;
