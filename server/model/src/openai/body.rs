//! Our request in the shape of chat completions. This one is serialised anew each time: the shape
//! differs too much to reuse the pieces.

use agent::{Block, Effort, ImageSource, Message, ModelRequest, ResultPart, Role};
use serde_json::{Value, json};

/// Chat completions have no common way to carry a PDF.
const NO_DOCUMENTS: &str = "[A PDF was attached here, which this model cannot take. Read the file \
                            again to get its words.]";

pub(super) fn write(request: &ModelRequest) -> Result<String, serde_json::Error> {
    let mut messages = Vec::new();
    let system = system_text(&request.system)?;
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    for piece in &request.messages {
        let message = piece.message()?;
        match message.role {
            Role::User => push_user(&mut messages, message),
            Role::Assistant => messages.extend(assistant(message)),
        }
    }
    let mut body = json!({
        "model": request.model,
        "stream": true,
        "stream_options": {"include_usage": true},
        // The older name: every server understands it, which cannot be said of the newer one.
        "max_tokens": request.max_tokens,
        "messages": messages,
    });
    let tools = tools(&request.tools)?;
    if !tools.is_empty() {
        body["tools"] = Value::Array(tools);
    }
    if let Some(effort) = request.effort {
        body["reasoning_effort"] = reasoning_effort(effort).into();
    }
    if let Some(schema) = &request.format {
        let schema: Value = serde_json::from_str(schema)?;
        body["response_format"] = json!({"type": "json_schema",
            "json_schema": {"name": "answer", "strict": true, "schema": schema}});
    }
    serde_json::to_string(&body)
}

/// Sent only when somebody asked for it: most local servers know nothing of it.
fn reasoning_effort(effort: Effort) -> &'static str {
    match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::XHigh | Effort::Max => "xhigh",
    }
}

fn system_text(blocks: &str) -> Result<String, serde_json::Error> {
    if blocks.trim().is_empty() {
        return Ok(String::new());
    }
    let blocks: Vec<Value> = serde_json::from_str(blocks)?;
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    Ok(texts.collect::<Vec<_>>().join("\n\n"))
}

fn tools(tools: &str) -> Result<Vec<Value>, serde_json::Error> {
    if tools.trim().is_empty() {
        return Ok(Vec::new());
    }
    let tools: Vec<Value> = serde_json::from_str(tools)?;
    let convert = |tool: &Value| {
        let function = json!({
            "name": tool["name"],
            "description": tool["description"].as_str().unwrap_or_default(),
            "parameters": tool["input_schema"],
        });
        json!({"type": "function", "function": function})
    };
    // Tools that run at the provider have no schema, and this provider does not have them.
    Ok(tools.iter().filter(|tool| tool["input_schema"].is_object()).map(convert).collect())
}

/// Results come first, each as a message of its own, because they must follow the calls at once.
fn push_user(messages: &mut Vec<Value>, message: Message) {
    let mut parts = Vec::new();
    for block in message.content {
        match block {
            Block::ToolResult { tool_use_id, content, is_error } => {
                let mut text = String::new();
                for part in content {
                    match part {
                        ResultPart::Text { text: more } => push_line(&mut text, &more),
                        // A tool message holds text only; the picture follows as the user's.
                        ResultPart::Image { source } => {
                            push_line(&mut text, "[The image follows.]");
                            parts.push(image(&source));
                        }
                        ResultPart::Other(other) if other["type"] == "document" => {
                            push_line(&mut text, NO_DOCUMENTS);
                        }
                        ResultPart::Other(other) => push_line(&mut text, &other.to_string()),
                    }
                }
                if is_error {
                    text.insert_str(0, "Error: ");
                }
                messages
                    .push(json!({"role": "tool", "tool_call_id": tool_use_id, "content": text}));
            }
            Block::Text { text } => parts.push(json!({"type": "text", "text": text})),
            Block::Image { source } => parts.push(image(&source)),
            Block::Other(other) if other["type"] == "document" => {
                parts.push(json!({"type": "text", "text": NO_DOCUMENTS}));
            }
            _ => {}
        }
    }
    // Plain text goes as a string: some servers know nothing else.
    if parts.iter().all(|part| part["type"] == "text") {
        let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        if !texts.is_empty() {
            messages.push(json!({"role": "user", "content": texts.join("\n")}));
        }
    } else {
        messages.push(json!({"role": "user", "content": parts}));
    }
}

/// Thinking is not sent back: servers refuse or misread it.
fn assistant(message: Message) -> Option<Value> {
    let text = message.text();
    let calls: Vec<Value> = message.content.into_iter().filter_map(call).collect();
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut json = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        json["tool_calls"] = Value::Array(calls);
    }
    Some(json)
}

fn call(block: Block) -> Option<Value> {
    let Block::ToolUse { id, name, input } = block else { return None };
    let function = json!({"name": name, "arguments": input.to_string()});
    Some(json!({"id": id, "type": "function", "function": function}))
}

fn image(source: &ImageSource) -> Value {
    let url = match source {
        ImageSource::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
        ImageSource::Url { url } => url.clone(),
    };
    json!({"type": "image_url", "image_url": {"url": url}})
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use agent::{Piece, Thinking};

    use super::*;

    fn written(messages: &[Message]) -> Value {
        let request = ModelRequest {
            model: "llama".to_owned(),
            max_tokens: 100,
            system: r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#.into(),
            tools: r#"[{"name":"X","description":"d","input_schema":{"type":"object"}},{"type":"web_search_1","name":"w"}]"#.into(),
            messages: messages.iter().map(|message| Piece::new(message).unwrap()).collect(),
            thinking: Thinking::Adaptive,
            effort: None,
            format: None,
            clear_above: None,
            session: String::new(),
        };
        serde_json::from_str(&write(&request).unwrap()).unwrap()
    }

    #[test]
    fn a_conversation_with_calls_results_and_images() {
        let source = ImageSource::Base64 { media_type: "image/png".into(), data: "AA==".into() };
        let result = |id: &str, content, is_error| Block::ToolResult {
            tool_use_id: id.to_owned(),
            content,
            is_error,
        };
        let text = |text: &str| ResultPart::Text { text: text.to_owned() };
        let thinking = Block::Thinking { thinking: "t".into(), signature: "s".into() };
        let call = Block::ToolUse { id: "c1".into(), name: "X".into(), input: json!({"a": 1}) };
        let body = written(&[
            Message::user(vec![Block::text("hi"), Block::text("you")]),
            Message::assistant(vec![thinking, Block::text("ok"), call]),
            Message::user(vec![
                result("c1", vec![text("one"), ResultPart::Image { source }], false),
                result("c2", vec![text("bad")], true),
                Block::text("and?"),
            ]),
        ]);
        let function = json!({"name": "X", "arguments": "{\"a\":1}"});
        let url = json!({"url": "data:image/png;base64,AA=="});
        assert_eq!(
            body["messages"],
            json!([
                {"role": "system", "content": "a\n\nb"},
                {"role": "user", "content": "hi\nyou"},
                {"role": "assistant", "content": "ok",
                 "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
                {"role": "tool", "tool_call_id": "c1", "content": "one\n[The image follows.]"},
                {"role": "tool", "tool_call_id": "c2", "content": "Error: bad"},
                {"role": "user", "content": [
                    {"type": "image_url", "image_url": url}, {"type": "text", "text": "and?"}]},
            ])
        );
        assert_eq!(body["tools"].as_array().unwrap().len(), 1);
        assert_eq!(body["tools"][0]["function"]["parameters"], json!({"type": "object"}));
    }

    #[test]
    fn effort_is_sent_in_its_own_words() {
        assert_eq!(reasoning_effort(Effort::Low), "low");
        assert_eq!(reasoning_effort(Effort::Max), "xhigh");
        assert_eq!(written(&[]).get("reasoning_effort"), None, "nobody asked for any");
    }

    #[test]
    fn thinking_alone_is_no_message() {
        let thinking = Block::Thinking { thinking: "t".into(), signature: "s".into() };
        let body = written(&[Message::assistant(vec![thinking])]);
        assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    }
}
