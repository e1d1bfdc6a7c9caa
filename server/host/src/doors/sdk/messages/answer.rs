//! `assistant`: one message for each block of an answer, as soon as the block is whole.

use std::collections::BTreeMap;
use std::time::Instant;

use agent::{StopReason, StreamEvent, Usage};
use serde_json::{Value, json};

use super::{Teller, ids, stream_event};
use crate::session::Speaker;

/// One answer of the model while it comes in.
pub(super) struct Answer {
    message_id: String,
    model: String,
    usage: Usage,
    blocks: BTreeMap<usize, Block>,
    /// The lines that were told of it.
    told: Vec<String>,
    /// Lines of an attempt that failed; this answer stands in their place.
    supersedes: Vec<String>,
    asked: Instant,
    /// Something has come.
    heard: bool,
}

enum Block {
    Text(String),
    Thinking { thinking: String, signature: String },
    Tool { id: String, name: String, json: String },
    Opaque(Value),
    Told,
}

impl Block {
    /// Nothing for a text without words, which the model itself never sees again.
    fn into_json(self, omit_thoughts: bool) -> Option<Value> {
        Some(match self {
            Block::Text(text) if text.trim().is_empty() => return None,
            Block::Text(text) => json!({ "type": "text", "text": text }),
            Block::Thinking { signature, .. } if omit_thoughts => {
                json!({ "type": "thinking", "thinking": "", "signature": signature })
            }
            Block::Thinking { thinking, signature } => {
                json!({ "type": "thinking", "thinking": thinking, "signature": signature })
            }
            Block::Tool { id, name, json } => {
                let input = serde_json::from_str::<Value>(&json).ok();
                let input = input.filter(Value::is_object).unwrap_or_else(|| json!({}));
                json!({ "type": "tool_use", "id": id, "name": name, "input": input })
            }
            Block::Opaque(block) => block,
            Block::Told => return None,
        })
    }
}

impl Answer {
    fn on(&mut self, event: &StreamEvent) -> Option<usize> {
        self.heard = true;
        let (index, block) = match event {
            StreamEvent::Started { model, usage } => {
                self.model.clone_from(model);
                self.usage.update(*usage);
                return None;
            }
            StreamEvent::Usage(usage) => {
                self.usage.update(*usage);
                return None;
            }
            StreamEvent::TextStarted { index } => (index, Block::Text(String::new())),
            StreamEvent::ThinkingStarted { index } => {
                let (thinking, signature) = Default::default();
                (index, Block::Thinking { thinking, signature })
            }
            StreamEvent::ToolStarted { index, id, name } => {
                let (id, name, json) = (id.clone(), name.clone(), String::new());
                (index, Block::Tool { id, name, json })
            }
            StreamEvent::Opaque { index, block } => (index, Block::Opaque(block.clone())),
            StreamEvent::BlockEnded { index } => return Some(*index),
            delta => {
                self.grow(delta);
                return None;
            }
        };
        self.blocks.entry(*index).or_insert(block);
        None
    }

    fn grow(&mut self, delta: &StreamEvent) {
        let index = match delta {
            StreamEvent::TextDelta { index, .. }
            | StreamEvent::ThinkingDelta { index, .. }
            | StreamEvent::Signature { index, .. }
            | StreamEvent::InputDelta { index, .. } => index,
            _ => return,
        };
        match (self.blocks.get_mut(index), delta) {
            (Some(Block::Text(text)), StreamEvent::TextDelta { text: more, .. })
            | (
                Some(Block::Thinking { thinking: text, .. }),
                StreamEvent::ThinkingDelta { text: more, .. },
            )
            | (
                Some(Block::Thinking { signature: text, .. }),
                StreamEvent::Signature { signature: more, .. },
            )
            | (Some(Block::Tool { json: text, .. }), StreamEvent::InputDelta { json: more, .. }) => {
                text.push_str(more);
            }
            _ => {}
        }
    }
}

fn key(by: Option<&Speaker>) -> Option<String> {
    by.map(|agent| agent.id.clone())
}

impl Teller {
    pub(super) fn asked(&mut self, by: Option<&Speaker>, message_id: &str, model: &str) {
        let before = self.answers.remove(&key(by)).filter(|before| before.message_id.is_empty());
        let answer = Answer {
            message_id: message_id.to_owned(),
            model: model.to_owned(),
            usage: Usage::default(),
            blocks: BTreeMap::new(),
            told: Vec::new(),
            supersedes: before.map(|before| before.supersedes).unwrap_or_default(),
            asked: Instant::now(),
            heard: false,
        };
        self.answers.insert(key(by), answer);
        if by.is_none() {
            self.account.text.clear();
        }
    }

    pub(super) fn heard(&mut self, by: Option<&Speaker>, event: &StreamEvent) {
        let Some(answer) = self.answers.get_mut(&key(by)) else { return };
        if by.is_none() && !answer.heard {
            self.account.first_word(answer.asked);
        }
        let ended = answer.on(event);
        if self.wishes.partial && (by.is_none() || self.wishes.subagent_text) {
            let (id, model, usage) = (&answer.message_id, &answer.model, answer.usage);
            let events = stream_event::of(event, id, model, usage);
            let parent = by.map(|agent| agent.call.clone());
            for event in events {
                let line = json!({
                    "type": "stream_event",
                    "event": event,
                    "parent_tool_use_id": parent,
                });
                self.push(line);
            }
        }
        if let Some(index) = ended {
            self.tell_block(by, index, false);
        }
    }

    /// A block is whole, or will never be.
    fn tell_block(&mut self, by: Option<&Speaker>, index: usize, aborted: bool) {
        let omit = self.wishes.omit_thoughts;
        let Some(answer) = self.answers.get_mut(&key(by)) else { return };
        let Some(block) = answer.blocks.get_mut(&index) else { return };
        let Some(block) = std::mem::replace(block, Block::Told).into_json(omit) else { return };
        let uuid = ids::of_block(&answer.message_id, index);
        answer.told.push(uuid.clone());
        let message = json!({
            "id": format!("msg_{}", answer.message_id),
            "type": "message",
            "role": "assistant",
            "model": answer.model,
            "content": [block],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": usage(answer.usage),
        });
        let supersedes = std::mem::take(&mut answer.supersedes);
        let block = &message["content"][0];
        match (block["type"].as_str(), by) {
            (Some("text"), None) => {
                self.account.text.push_str(block["text"].as_str().unwrap_or_default());
            }
            (Some("tool_use"), _) => self.calls.began(block, by),
            // Of agents, hosts hear what they do; what they say only if they want to.
            (_, Some(_)) if !self.wishes.subagent_text => return,
            _ => {}
        }
        let mut line = json!({
            "type": "assistant",
            "message": message,
            "parent_tool_use_id": by.map(|agent| &agent.call),
            "uuid": uuid,
        });
        if !supersedes.is_empty() {
            line["supersedes"] = supersedes.into();
        }
        if aborted {
            line["aborted"] = true.into();
        }
        if let Some(agent) = by {
            line["agent_id"] = agent.id.clone().into();
            line["subagent_type"] = agent.agent.clone().into();
            line["task_description"] = agent.description.clone().into();
        }
        self.push(line);
    }

    /// The lines stand, but the next attempt says that it is in their place.
    pub(super) fn retracted(&mut self, by: Option<&Speaker>, message_id: &str) {
        let Some(answer) = self.answers.get_mut(&key(by)) else { return };
        if answer.message_id == message_id {
            let told = std::mem::take(&mut answer.told);
            answer.supersedes.extend(told);
            answer.blocks.clear();
            answer.message_id.clear();
        }
        if by.is_none() {
            self.account.text.clear();
        }
    }

    pub(super) fn answered(
        &mut self,
        by: Option<&Speaker>,
        message_id: &str,
        stop_reason: Option<&StopReason>,
        used: Usage,
    ) {
        let Some(answer) = self.answers.get_mut(&key(by)) else { return };
        if answer.message_id != message_id {
            return;
        }
        answer.usage = used;
        let asked = answer.asked;
        let open: Vec<usize> = answer.blocks.keys().copied().collect();
        for index in open {
            self.tell_block(by, index, stop_reason.is_none());
        }
        self.answers.remove(&key(by));
        if by.is_none() {
            self.account.answered(asked, stop_reason);
        }
    }
}

pub(super) fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "output_tokens": usage.output_tokens,
        "service_tier": "standard",
    })
}
