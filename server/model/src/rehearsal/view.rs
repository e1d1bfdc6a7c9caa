//! What the brain sees of a request, whichever wire it came over.

use std::collections::HashMap;

use agent::inline::{self, Question};
use agent::{Block, Message, ModelRequest, ResultPart, Role};
use serde_json::Value;

/// A request as the brain understands it.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// From the system prompt's `Working directory:` line.
    pub(crate) directory: String,
    /// Names of the tools that may be called.
    pub(crate) tools: Vec<String>,
    /// What the user asked last, without what the host adds around it.
    pub(crate) prompt: String,
    /// The same with everything, diagnostics that an editor attached included.
    pub(crate) raw_prompt: String,
    /// When the request is about a selection in the editor and no conversation.
    pub(crate) inline: Option<Question>,
    /// Calls made since the prompt, with their results, in order.
    pub(crate) done: Vec<Done>,
    /// What tools said before this prompt, newest first.
    pub(crate) earlier_results: Vec<String>,
    /// Whether any answer came before this one.
    pub(crate) is_first_answer: bool,
    /// How many calls the whole conversation holds.
    pub(crate) calls_so_far: usize,
    /// Bytes of everything, for a rough count of tokens.
    pub(crate) size: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Done {
    pub(crate) name: String,
    /// As the tool said it, remarks included.
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl View {
    pub(crate) fn of_request(request: &ModelRequest) -> Result<Self, serde_json::Error> {
        let array = |text: &str| match text.trim() {
            "" => Ok(Value::Null),
            text => serde_json::from_str::<Value>(text),
        };
        let system = array(&request.system)?;
        let tools = array(&request.tools)?;
        let messages: Result<Vec<Message>, _> =
            request.messages.iter().map(agent::Piece::message).collect();
        let size = request.messages.iter().map(|piece| piece.json().len()).sum::<usize>()
            + request.system.len()
            + request.tools.len();
        Ok(Self::new(&system_text(&system), tool_names(&tools), &messages?, size))
    }

    pub(crate) fn new(system: &str, tools: Vec<String>, messages: &[Message], size: usize) -> Self {
        let asked = messages.iter().rposition(is_prompt);
        let turn = asked.map_or(messages, |at| &messages[at + 1..]);
        let before = asked.map_or(&messages[..0], |at| &messages[..at]);
        let raw_prompt = asked.map(|at| messages[at].text()).unwrap_or_default();
        let results = before.iter().rev().flat_map(|message| message.content.iter().rev());
        let calls = messages.iter().flat_map(|message| &message.content);
        View {
            directory: directory(system),
            tools,
            inline: inline::is_inline(system).then(|| Question::parse(&raw_prompt)).flatten(),
            prompt: plain(&raw_prompt),
            raw_prompt,
            done: done(turn),
            earlier_results: results.filter_map(result_text).collect(),
            is_first_answer: messages.iter().all(|message| message.role == Role::User),
            calls_so_far: calls.filter(|block| matches!(block, Block::ToolUse { .. })).count(),
            size: size as u64,
        }
    }

    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool == name)
    }
}

pub(crate) fn system_text(system: &Value) -> String {
    match system {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

pub(crate) fn tool_names(tools: &Value) -> Vec<String> {
    let tools = tools.as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
}

pub(crate) fn directory(system: &str) -> String {
    let line = system.lines().find_map(|line| line.trim().strip_prefix("Working directory:"));
    line.map(|path| path.trim().to_owned()).unwrap_or_default()
}

/// A message with results in it belongs to the running turn, whatever else it says.
fn is_prompt(message: &Message) -> bool {
    let has_result = message.content.iter().any(|block| matches!(block, Block::ToolResult { .. }));
    message.role == Role::User && !has_result && !plain(&message.text()).is_empty()
}

fn done(turn: &[Message]) -> Vec<Done> {
    let mut results: HashMap<&str, (String, bool)> = HashMap::new();
    for block in turn.iter().flat_map(|message| &message.content) {
        if let Block::ToolResult { tool_use_id, is_error, .. } = block {
            let text = result_text(block).unwrap_or_default();
            results.insert(tool_use_id, (text, *is_error));
        }
    }
    let calls = turn.iter().flat_map(|message| &message.content);
    calls
        .filter_map(|block| match block {
            Block::ToolUse { id, name, .. } => {
                let (text, is_error) = results.remove(id.as_str())?;
                Some(Done { name: name.clone(), text, is_error })
            }
            _ => None,
        })
        .collect()
}

fn result_text(block: &Block) -> Option<String> {
    let Block::ToolResult { content, .. } = block else { return None };
    let texts = content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    Some(texts.collect::<Vec<_>>().join("\n"))
}

/// Text without what a host wraps in tags for the model's eyes only.
pub(crate) fn plain(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((start, end)) = next_aside(rest) {
        kept.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    kept.push_str(rest);
    kept.trim_matches(['\n', '\r', ' ']).to_owned()
}

/// Where the next `<system-reminder>…</system-reminder>` or editor context lies.
fn next_aside(text: &str) -> Option<(usize, usize)> {
    const TAGS: [&str; 4] =
        ["system-reminder", "ide_selection", "ide_opened_file", "ide_diagnostics"];
    let found = TAGS.iter().filter_map(|tag| {
        let start = text.find(&format!("<{tag}>"))?;
        let close = format!("</{tag}>");
        let end = text[start..].find(&close)? + start + close.len();
        Some((start, end))
    });
    found.min_by_key(|(start, _)| *start)
}
