//! `stream_event`: the pieces of an answer, in the words of the Messages API.

use agent::{StopReason, StreamEvent, Usage};
use serde_json::{Value, json};

use super::answer::usage as usage_json;

/// What the provider would have sent for this.
pub(super) fn of(event: &StreamEvent, id: &str, model: &str, usage: Usage) -> Vec<Value> {
    let start = |index: &usize, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let delta = |index: &usize, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    vec![match event {
        StreamEvent::Started { .. } => json!({
            "type": "message_start",
            "message": {
                "id": format!("msg_{id}"),
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": [],
                "stop_reason": null,
                "stop_sequence": null,
                "usage": usage_json(usage),
            },
        }),
        StreamEvent::TextStarted { index } => start(index, json!({ "type": "text", "text": "" })),
        StreamEvent::TextDelta { index, text } => {
            delta(index, json!({ "type": "text_delta", "text": text }))
        }
        StreamEvent::ThinkingStarted { index } => {
            start(index, json!({ "type": "thinking", "thinking": "", "signature": "" }))
        }
        StreamEvent::ThinkingDelta { index, text } => {
            delta(index, json!({ "type": "thinking_delta", "thinking": text }))
        }
        StreamEvent::Signature { index, signature } => {
            delta(index, json!({ "type": "signature_delta", "signature": signature }))
        }
        StreamEvent::ToolStarted { index, id, name } => {
            start(index, json!({ "type": "tool_use", "id": id, "name": name, "input": {} }))
        }
        StreamEvent::InputDelta { index, json: text } => {
            delta(index, json!({ "type": "input_json_delta", "partial_json": text }))
        }
        StreamEvent::Opaque { index, block } => start(index, block.clone()),
        StreamEvent::BlockEnded { index } => {
            json!({ "type": "content_block_stop", "index": index })
        }
        StreamEvent::Stopped { reason } => return stopped(reason, usage),
        StreamEvent::Cleared { .. } | StreamEvent::Usage(_) => return Vec::new(),
    }]
}

fn stopped(reason: &StopReason, usage: Usage) -> Vec<Value> {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    vec![
        json!({ "type": "message_delta", "delta": delta, "usage": usage_json(usage) }),
        json!({ "type": "message_stop" }),
    ]
}
