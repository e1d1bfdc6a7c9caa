//! What a request asks, out of either wire's JSON.

use agent::{Block, ImageSource, Message, ResultPart, Role};
use serde_json::{Value, json};

use super::handler::Refusal;
use crate::rehearsal::View;
use crate::rehearsal::view::{directory, system_text, tool_names};

pub(super) struct Asked {
    pub(super) stream: bool,
    pub(super) model: String,
    /// The text and the tool results of the last message: what a scripted answer is chosen by.
    pub(super) last_words: String,
    /// How many calls the conversation holds, for ids that are unique in it.
    pub(super) calls_so_far: usize,
    pub(super) size: usize,
    system: String,
    tools: Vec<String>,
    messages: Vec<Message>,
}

impl Asked {
    pub(super) fn messages(body: &Value) -> Result<Self, Refusal> {
        let given = body["messages"].as_array().into_iter().flatten();
        let messages = given.map(|message| {
            serde_json::from_value(normal(message.clone()))
                .map_err(|error| Refusal::invalid(&format!("messages: {error}")))
        });
        let messages = messages.collect::<Result<Vec<Message>, _>>()?;
        Ok(Self::new(body, system_text(&body["system"]), tool_names(&body["tools"]), messages))
    }

    pub(super) fn completions(body: &Value) -> Result<Self, Refusal> {
        let mut system = String::new();
        let mut messages: Vec<Message> = Vec::new();
        for message in body["messages"].as_array().into_iter().flatten() {
            match message["role"].as_str() {
                Some("system" | "developer") => system.push_str(&text_of(&message["content"])),
                Some("user") => messages.push(Message::user(parts(&message["content"]))),
                Some("assistant") => messages.push(Message::assistant(spoken(message)?)),
                Some("tool") => push_result(&mut messages, message),
                _ => return Err(Refusal::invalid("messages: unknown role")),
            }
        }
        let tools = body["tools"].as_array().into_iter().flatten();
        let names = tools.filter_map(|tool| tool["function"]["name"].as_str());
        let names = names.map(str::to_owned).collect();
        Ok(Self::new(body, system, names, messages))
    }

    fn new(body: &Value, system: String, tools: Vec<String>, messages: Vec<Message>) -> Self {
        let last_words = messages.last().map(words).unwrap_or_default();
        let blocks = messages.iter().flat_map(|message| &message.content);
        Self {
            stream: body["stream"].as_bool().unwrap_or(false),
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            last_words,
            calls_so_far: blocks.filter(|block| matches!(block, Block::ToolUse { .. })).count(),
            size: messages.iter().map(|message| words(message).len()).sum::<usize>() + system.len(),
            system,
            tools,
            messages,
        }
    }

    pub(super) fn view(&self) -> View {
        View::new(&self.system, self.tools.clone(), &self.messages, self.size)
    }

    pub(super) fn directory(&self) -> String {
        directory(&self.system)
    }
}

/// Content may be a plain string in two places; ours is always a list of blocks.
fn normal(mut message: Value) -> Value {
    blocks_for_string(&mut message["content"]);
    for block in message["content"].as_array_mut().into_iter().flatten() {
        if block["type"] == "tool_result" {
            blocks_for_string(&mut block["content"]);
        }
    }
    message
}

fn blocks_for_string(content: &mut Value) {
    match content {
        Value::String(text) => *content = json!([{"type": "text", "text": text}]),
        Value::Null => *content = json!([]),
        _ => {}
    }
}

fn words(message: &Message) -> String {
    let mut all = Vec::new();
    for block in &message.content {
        match block {
            Block::Text { text } => all.push(text.as_str()),
            Block::ToolResult { content, .. } => {
                all.extend(content.iter().filter_map(|part| match part {
                    ResultPart::Text { text } => Some(text.as_str()),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    all.join("\n")
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        other => system_text(other),
    }
}

fn parts(content: &Value) -> Vec<Block> {
    let Some(parts) = content.as_array() else {
        return vec![Block::Text { text: text_of(content) }];
    };
    let block = |part: &Value| match part["image_url"]["url"].as_str() {
        Some(url) => Block::Image { source: ImageSource::Url { url: url.to_owned() } },
        None => Block::text(part["text"].as_str().unwrap_or_default()),
    };
    parts.iter().map(block).collect()
}

fn spoken(message: &Value) -> Result<Vec<Block>, Refusal> {
    let text = text_of(&message["content"]);
    let mut blocks: Vec<Block> = Vec::new();
    if !text.is_empty() {
        blocks.push(Block::Text { text });
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let field = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let arguments = field(&call["function"]["arguments"]);
        let input = serde_json::from_str(&arguments)
            .map_err(|error| Refusal::invalid(&format!("tool_calls: arguments: {error}")))?;
        let (id, name) = (field(&call["id"]), field(&call["function"]["name"]));
        blocks.push(Block::ToolUse { id, name, input });
    }
    Ok(blocks)
}

/// Results that follow one answer form one message, as they do on the other wire.
fn push_result(messages: &mut Vec<Message>, message: &Value) {
    let text = text_of(&message["content"]);
    let (text, is_error) = match text.strip_prefix("Error: ") {
        Some(error) => (error.to_owned(), true),
        None => (text, false),
    };
    let tool_use_id = message["tool_call_id"].as_str().unwrap_or_default().to_owned();
    let content = vec![ResultPart::Text { text }];
    let result = Block::ToolResult { tool_use_id, content, is_error };
    match messages.last_mut() {
        Some(last) if last.role == Role::User => last.content.push(result),
        _ => messages.push(Message::user(vec![result])),
    }
}
