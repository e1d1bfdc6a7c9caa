//! Lines of a transcript as records of a journal: the parts of an answer together, and the results
//! of its calls after it.

use agent::{Block, ImageSource, Record, ResultPart, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    uuid: String,
    timestamp: Option<String>,
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    #[serde(default)]
    model: String,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    stop_reason: Value,
    #[serde(default)]
    usage: Value,
}

/// An answer whose parts are still coming.
struct Answer {
    at: u64,
    id: String,
    called: Option<String>,
    model: String,
    content: Vec<Block>,
    stop_reason: Option<StopReason>,
    usage: Usage,
    results: Vec<Block>,
}

pub(super) struct Writer<'a> {
    write: &'a mut dyn FnMut(u64, &Record) -> std::io::Result<()>,
    /// The time of the last line.
    at: u64,
    turns: usize,
    answer: Option<Answer>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        now: u64,
        write: &'a mut dyn FnMut(u64, &Record) -> std::io::Result<()>,
    ) -> Self {
        Self { write, at: now, turns: 0, answer: None }
    }

    pub(super) fn take(&mut self, line: &[u8]) -> std::io::Result<()> {
        let Ok(line) = serde_json::from_slice::<Line>(line) else { return Ok(()) };
        let at = line.timestamp.as_deref();
        let at = at.and_then(|at| chrono::DateTime::parse_from_rfc3339(at).ok());
        self.at = at.and_then(|at| u64::try_from(at.timestamp_millis()).ok()).unwrap_or(self.at);
        let mut content = blocks(line.message.content);
        if line.kind == "assistant" {
            return self.take_part(
                line.uuid,
                Message { content: Value::Null, ..line.message },
                content,
            );
        }
        let is_result = |block: &mut Block| matches!(block, Block::ToolResult { .. });
        let results: Vec<_> = content.extract_if(.., is_result).collect();
        if let Some(answer) = &mut self.answer {
            answer.results.extend(results);
        }
        if content.is_empty() {
            return Ok(());
        }
        self.end_turn()?;
        self.turns += 1;
        let record = Record::User { id: line.uuid, turn: self.turn(), content };
        (self.write)(self.at, &record)
    }

    fn take_part(
        &mut self,
        uuid: String,
        message: Message,
        content: Vec<Block>,
    ) -> std::io::Result<()> {
        let same = |answer: &&mut Answer| message.id.is_some() && answer.called == message.id;
        let stop_reason = StopReason::deserialize(&message.stop_reason).ok();
        let usage = Usage::deserialize(&message.usage).unwrap_or_default();
        if let Some(answer) = self.answer.as_mut().filter(same) {
            answer.content.extend(content);
            answer.stop_reason = stop_reason.or(answer.stop_reason.take());
            answer.usage.update(usage);
            return Ok(());
        }
        self.end_answer()?;
        self.answer = Some(Answer {
            at: self.at,
            id: uuid,
            called: message.id,
            model: message.model,
            content,
            stop_reason,
            usage,
            results: Vec::new(),
        });
        Ok(())
    }

    fn turn(&self) -> String {
        format!("turn_import_{}", self.turns)
    }

    fn end_answer(&mut self) -> std::io::Result<()> {
        let turn = self.turn();
        let Some(answer) = self.answer.take() else { return Ok(()) };
        let record = Record::Assistant {
            id: answer.id,
            turn: turn.clone(),
            model: answer.model,
            asked: None,
            content: answer.content,
            stop_reason: answer.stop_reason,
            usage: answer.usage,
        };
        (self.write)(answer.at, &record)?;
        if answer.results.is_empty() {
            return Ok(());
        }
        (self.write)(answer.at, &Record::Results { turn, content: answer.results })
    }

    fn end_turn(&mut self) -> std::io::Result<()> {
        self.end_answer()?;
        if self.turns == 0 {
            return Ok(());
        }
        let record = Record::TurnEnded {
            turn: self.turn(),
            reason: "end_turn".to_owned(),
            terminal: Some("imported".to_owned()),
            // It was paid where it was said.
            usage: Usage::default(),
            cost_usd: 0.0,
            models: agent::Spending::default(),
            error: None,
        };
        (self.write)(self.at, &record)
    }

    pub(super) fn end(mut self) -> std::io::Result<()> {
        self.end_turn()
    }
}

/// A message's content: a text, or blocks. What no provider takes is left out by the conversation.
pub(super) fn blocks(content: Value) -> Vec<Block> {
    match content {
        Value::String(text) => vec![Block::Text { text }],
        Value::Array(blocks) => blocks.into_iter().map(block).collect(),
        _ => Vec::new(),
    }
}

fn block(mut value: Value) -> Block {
    if value["type"] == "tool_result" {
        let content = match value["content"].take() {
            Value::String(text) => vec![ResultPart::Text { text }],
            Value::Array(parts) => parts.into_iter().map(part).collect(),
            _ => Vec::new(),
        };
        let is_error = value["is_error"] == true;
        let id = value["tool_use_id"].as_str().unwrap_or_default();
        return Block::ToolResult { tool_use_id: id.to_owned(), content, is_error };
    }
    match Block::deserialize(&value) {
        Ok(block) => block,
        Err(_) => Block::Other(value),
    }
}

fn part(value: Value) -> ResultPart {
    match (value["type"].as_str(), value["text"].as_str()) {
        (Some("text"), Some(text)) => ResultPart::Text { text: text.to_owned() },
        (Some("image"), _) => match ImageSource::deserialize(&value["source"]) {
            Ok(source) => ResultPart::Image { source },
            Err(_) => ResultPart::Other(value),
        },
        _ => ResultPart::Other(value),
    }
}

/// What the other program wrote in the user's name: no title.
pub(super) fn is_machinery(text: &str) -> bool {
    let marks = ["<command-", "<local-command-", "<session-start-hook>", "[Request interrupted"];
    marks.iter().any(|mark| text.trim_start().starts_with(mark))
}
