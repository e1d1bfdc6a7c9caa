//! Our events as bytes of either wire: the inverse of the two providers.

use agent::{StopReason, StreamEvent, Usage};
use bytes::{BufMut, BytesMut};
use serde_json::{Map, Value, json};

use super::handler::Refusal;
use super::play::Part;

pub(super) struct Dialect {
    wire: Wire,
    model: String,
    usage: Usage,
    /// Which number a call has among the calls (chat completions count them apart).
    calls: Vec<usize>,
    /// What the provider cleared, as it tells it.
    cleared: Option<Value>,
}

#[derive(Clone, Copy, PartialEq)]
enum Wire {
    Messages,
    Completions,
}

impl Dialect {
    pub(super) fn messages(body: &Value) -> Self {
        Self::new(Wire::Messages, body)
    }

    pub(super) fn completions(body: &Value) -> Self {
        Self::new(Wire::Completions, body)
    }

    fn new(wire: Wire, body: &Value) -> Self {
        let model = body["model"].as_str().unwrap_or_default().to_owned();
        Self { wire, model, usage: Usage::default(), calls: Vec::new(), cleared: None }
    }

    pub(super) fn event(&mut self, event: &StreamEvent, out: &mut BytesMut) {
        match self.wire {
            Wire::Messages => self.message_event(event, out),
            Wire::Completions => self.chunk(event, out),
        }
    }

    /// A delta of text, which is nearly all there is, without building a tree for it.
    pub(super) fn text(&mut self, index: usize, text: &str, out: &mut BytesMut) {
        let quoted = Value::from(text).to_string();
        let line = match self.wire {
            Wire::Messages => format!(
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":\
                 {index},\"delta\":{{\"type\":\"text_delta\",\"text\":{quoted}}}}}\n\n"
            ),
            Wire::Completions => format!(
                "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\
                 \"delta\":{{\"content\":{quoted}}},\"finish_reason\":null}}]}}\n\n"
            ),
        };
        out.put_slice(line.as_bytes());
    }

    pub(super) fn error(&self, kind: &str, message: &str, out: &mut BytesMut) {
        let error = json!({"type": kind, "message": message});
        match self.wire {
            Wire::Messages => named(out, &json!({"type": "error", "error": error})),
            Wire::Completions => data(out, &json!({"error": error})),
        }
    }

    pub(super) fn ping(&self, out: &mut BytesMut) {
        match self.wire {
            Wire::Messages => named(out, &json!({"type": "ping"})),
            Wire::Completions => out.put_slice(b": ping\n\n"),
        }
    }

    fn message_event(&mut self, event: &StreamEvent, out: &mut BytesMut) {
        let start = |index: &usize, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
        let delta = |index: &usize, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        let event = match event {
            StreamEvent::TextDelta { index, text } => return self.text(*index, text, out),
            StreamEvent::Usage(usage) => {
                self.usage = *usage;
                return;
            }
            StreamEvent::Stopped { reason } => {
                let delta = json!({"stop_reason": reason, "stop_sequence": null});
                let mut last = json!({"type": "message_delta", "delta": delta,
                    "usage": counts(&self.usage)});
                if let Some(cleared) = self.cleared.take() {
                    last["context_management"] = json!({"applied_edits": [cleared]});
                }
                named(out, &last);
                json!({"type": "message_stop"})
            }
            StreamEvent::Cleared { results, tokens } => {
                self.cleared = Some(json!({"type": "clear_tool_uses_20250919",
                    "cleared_tool_uses": results, "cleared_input_tokens": tokens}));
                return;
            }
            StreamEvent::Started { model, usage } => {
                json!({"type": "message_start", "message": {
                    "id": "msg_loopback", "type": "message", "role": "assistant",
                    "model": model, "content": [], "stop_reason": null,
                    "stop_sequence": null, "usage": counts(usage),
                }})
            }
            StreamEvent::TextStarted { index } => start(index, json!({"type": "text", "text": ""})),
            StreamEvent::ThinkingStarted { index } => {
                start(index, json!({"type": "thinking", "thinking": "", "signature": ""}))
            }
            StreamEvent::ToolStarted { index, id, name } => {
                start(index, json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
            }
            StreamEvent::Opaque { index, block } => start(index, block.clone()),
            StreamEvent::ThinkingDelta { index, text } => {
                delta(index, json!({"type": "thinking_delta", "thinking": text}))
            }
            StreamEvent::Signature { index, signature } => {
                delta(index, json!({"type": "signature_delta", "signature": signature}))
            }
            StreamEvent::InputDelta { index, json } => {
                delta(index, json!({"type": "input_json_delta", "partial_json": json}))
            }
            StreamEvent::BlockEnded { index } => {
                json!({"type": "content_block_stop", "index": index})
            }
        };
        named(out, &event);
    }

    fn chunk(&mut self, event: &StreamEvent, out: &mut BytesMut) {
        let delta = match event {
            StreamEvent::TextDelta { index, text } => return self.text(*index, text, out),
            StreamEvent::Usage(usage) => {
                self.usage = *usage;
                return;
            }
            StreamEvent::Stopped { reason } => return self.goodbye(reason, out),
            StreamEvent::Started { .. } => json!({"role": "assistant", "content": ""}),
            StreamEvent::ThinkingDelta { text, .. } => json!({"reasoning_content": text}),
            StreamEvent::ToolStarted { index, id, name } => {
                self.calls.push(*index);
                let function = json!({"name": name, "arguments": ""});
                let number = self.calls.len() - 1;
                json!({"tool_calls": [
                    {"index": number, "id": id, "type": "function", "function": function}
                ]})
            }
            StreamEvent::InputDelta { index, json } => {
                let number = self.calls.iter().position(|call| call == index).unwrap_or(0);
                json!({"tool_calls": [{"index": number, "function": {"arguments": json}}]})
            }
            _ => return,
        };
        data(out, &self.choice(delta, &Value::Null));
    }

    fn choice(&self, delta: Value, finish: &Value) -> Value {
        json!({"id": "chatcmpl-loopback", "object": "chat.completion.chunk", "created": 0,
            "model": self.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    }

    fn goodbye(&self, reason: &StopReason, out: &mut BytesMut) {
        data(out, &self.choice(json!({}), &finish_reason(reason)));
        let mut last = self.choice(json!({}), &Value::Null);
        last["choices"] = json!([]);
        last["usage"] = self.completion_usage();
        data(out, &last);
        out.put_slice(b"data: [DONE]\n\n");
    }

    fn completion_usage(&self) -> Value {
        let usage = &self.usage;
        let prompt = usage.input_tokens + usage.cache_read_input_tokens;
        json!({"prompt_tokens": prompt, "completion_tokens": usage.output_tokens,
            "total_tokens": prompt + usage.output_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cache_read_input_tokens}})
    }

    /// The answer to a request that did not ask for a stream.
    pub(super) fn whole(mut self, parts: &[Part]) -> Result<Value, Refusal> {
        let mut whole = Whole::default();
        for part in parts {
            match part {
                Part::Event(StreamEvent::Usage(usage)) => self.usage = *usage,
                Part::Event(event) => whole.add(event),
                Part::Text { pieces, repeat, .. } => whole.say(&pieces.concat().repeat(*repeat)),
                Part::Delay(_) => {}
                _ => return Err(Refusal::invalid("This answer can only be streamed.")),
            }
        }
        let Whole { blocks, reason } = whole;
        Ok(match self.wire {
            Wire::Messages => json!({
                "id": "msg_loopback", "type": "message", "role": "assistant", "model": self.model,
                "content": blocks, "stop_reason": reason, "stop_sequence": null,
                "usage": counts(&self.usage),
            }),
            Wire::Completions => json!({
                "id": "chatcmpl-loopback", "object": "chat.completion", "created": 0,
                "model": self.model, "usage": self.completion_usage(),
                "choices": [{"index": 0, "message": completion(&blocks),
                    "finish_reason": reason.as_ref().map(finish_reason)}],
            }),
        })
    }
}

/// As the API nests them.
fn counts(usage: &Usage) -> Value {
    let long = usage.cache_creation_1h_tokens;
    let short = usage.cache_creation_input_tokens.saturating_sub(long);
    json!({
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long,
        },
        "server_tool_use": {"web_search_requests": usage.web_search_requests},
    })
}

fn finish_reason(reason: &StopReason) -> Value {
    match reason {
        StopReason::ToolUse => json!("tool_calls"),
        StopReason::MaxTokens => json!("length"),
        StopReason::Refusal => json!("content_filter"),
        _ => json!("stop"),
    }
}

fn completion(blocks: &[Value]) -> Value {
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    let mut message = json!({"role": "assistant", "content": texts.collect::<Vec<_>>().join("\n")});
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use").map(|block| {
        let function = json!({"name": block["name"], "arguments": block["input"].to_string()});
        json!({"id": block["id"], "type": "function", "function": function})
    });
    let calls: Vec<Value> = calls.collect();
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    message
}

/// Events put back together.
#[derive(Default)]
struct Whole {
    blocks: Vec<Value>,
    reason: Option<StopReason>,
}

impl Whole {
    fn add(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::TextStarted { .. } => self.push(json!({"type": "text", "text": ""})),
            StreamEvent::TextDelta { text, .. } => self.say(text),
            StreamEvent::ThinkingStarted { .. } => {
                self.push(json!({"type": "thinking", "thinking": "", "signature": ""}));
            }
            StreamEvent::ThinkingDelta { text, .. } => self.grow("thinking", text),
            StreamEvent::Signature { signature, .. } => self.grow("signature", signature),
            StreamEvent::ToolStarted { id, name, .. } => {
                self.push(json!({"type": "tool_use", "id": id, "name": name, "input": ""}));
            }
            StreamEvent::InputDelta { json, .. } => self.grow("input", json),
            StreamEvent::BlockEnded { .. } => {
                if let Some(block) =
                    self.blocks.last_mut().filter(|block| block["type"] == "tool_use")
                {
                    let text = block["input"].as_str().unwrap_or_default();
                    let input = serde_json::from_str(text).unwrap_or(Value::Object(Map::new()));
                    block["input"] = input;
                }
            }
            StreamEvent::Opaque { block, .. } => self.push(block.clone()),
            StreamEvent::Stopped { reason } => self.reason = Some(reason.clone()),
            StreamEvent::Started { .. } | StreamEvent::Usage(_) | StreamEvent::Cleared { .. } => {}
        }
    }

    fn push(&mut self, block: Value) {
        self.blocks.push(block);
    }

    fn say(&mut self, text: &str) {
        self.grow("text", text);
    }

    fn grow(&mut self, field: &str, more: &str) {
        if let Some(Value::String(text)) =
            self.blocks.last_mut().and_then(|block| block.get_mut(field))
        {
            text.push_str(more);
        }
    }
}

/// A server-sent event whose name repeats the type in its data.
fn named(out: &mut BytesMut, event: &Value) {
    let name = event["type"].as_str().unwrap_or("message");
    out.put_slice(format!("event: {name}\n").as_bytes());
    data(out, event);
}

fn data(out: &mut BytesMut, value: &Value) {
    out.put_slice(format!("data: {value}\n\n").as_bytes());
}
