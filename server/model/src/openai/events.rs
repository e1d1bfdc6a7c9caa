//! Chunks of a chat completion into our events.
//!
//! There are no block borders on this wire: a block ends when something else begins. Servers differ
//! in ids, in indices, in whether a call comes whole and in how they say goodbye; all are followed.

use std::collections::VecDeque;

use agent::{ModelError, StopReason, StreamEvent, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::WireFormat;
use crate::fault::{Detail, Origin};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    /// llama.cpp, vLLM, DeepSeek.
    #[serde(default)]
    reasoning_content: Option<String>,
    /// Ollama, OpenRouter.
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<usize>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    /// A string of JSON; some servers send the object itself.
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

impl From<WireUsage> for Usage {
    /// Here the prompt's count includes what came from the cache; ours does not.
    fn from(wire: WireUsage) -> Self {
        let cached = wire.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let cached = cached.unwrap_or(0);
        Usage {
            input_tokens: wire.prompt_tokens.unwrap_or(0).saturating_sub(cached),
            output_tokens: wire.completion_tokens.unwrap_or(0),
            cache_read_input_tokens: cached,
            ..Usage::default()
        }
    }
}

pub(super) struct Events {
    origin: Origin,
    started: bool,
    done: bool,
    next_index: usize,
    /// The text or thinking block that is being written.
    speaking: Option<(usize, Speech)>,
    calls: Vec<Call>,
    finish: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Speech {
    Text,
    Thinking,
}

struct Call {
    wire_index: Option<usize>,
    id: String,
    index: usize,
    ended: bool,
}

impl Events {
    pub(super) fn new(origin: Origin) -> Self {
        let (speaking, calls, finish) = Default::default();
        Self { origin, started: false, done: false, next_index: 0, speaking, calls, finish }
    }

    fn start(&mut self, model: Option<String>, out: &mut VecDeque<StreamEvent>) {
        if !std::mem::replace(&mut self.started, true) {
            let model = model.unwrap_or_else(|| self.origin.model.clone());
            out.push_back(StreamEvent::Started { model, usage: Usage::default() });
        }
    }

    fn take_index(&mut self) -> usize {
        self.next_index += 1;
        self.next_index - 1
    }

    fn speak(&mut self, speech: Speech, text: String, out: &mut VecDeque<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        let index = match self.speaking {
            Some((index, now)) if now == speech => index,
            _ => {
                self.hush(out);
                let index = self.take_index();
                self.speaking = Some((index, speech));
                out.push_back(match speech {
                    Speech::Text => StreamEvent::TextStarted { index },
                    Speech::Thinking => StreamEvent::ThinkingStarted { index },
                });
                index
            }
        };
        out.push_back(match speech {
            Speech::Text => StreamEvent::TextDelta { index, text },
            Speech::Thinking => StreamEvent::ThinkingDelta { index, text },
        });
    }

    fn hush(&mut self, out: &mut VecDeque<StreamEvent>) {
        if let Some((index, _)) = self.speaking.take() {
            out.push_back(StreamEvent::BlockEnded { index });
        }
    }

    fn call(&mut self, delta: CallDelta, out: &mut VecDeque<StreamEvent>) {
        let id = delta.id.filter(|id| !id.is_empty());
        let (name, arguments) = match delta.function {
            Some(function) => (function.name.filter(|name| !name.is_empty()), function.arguments),
            None => (None, None),
        };
        let at = match self.known_call(delta.index, id.as_deref(), name.is_some()) {
            Some(at) => at,
            None => {
                let Some(name) = name else { return };
                self.hush(out);
                self.end_calls(out);
                let index = self.take_index();
                // Ollama and others leave the id out, yet the result must name its call.
                let id = id.unwrap_or_else(|| format!("call_{}_{index}", self.origin.model));
                let shown = id.clone();
                out.push_back(StreamEvent::ToolStarted { index, id: shown, name });
                self.calls.push(Call { wire_index: delta.index, id, index, ended: false });
                self.calls.len() - 1
            }
        };
        let json = match arguments {
            Some(Value::String(json)) => json,
            None | Some(Value::Null) => String::new(),
            Some(object) => object.to_string(),
        };
        if !json.is_empty() && !self.calls[at].ended {
            out.push_back(StreamEvent::InputDelta { index: self.calls[at].index, json });
        }
    }

    /// The call that a delta continues, if any. A name together with a new id, or with no index at
    /// all, begins another call, even where a server numbers every call 0.
    fn known_call(&self, wire: Option<usize>, id: Option<&str>, named: bool) -> Option<usize> {
        let last = self.calls.iter().rposition(|call| match (wire, id) {
            (Some(wire), _) => call.wire_index == Some(wire),
            (None, Some(id)) => call.id == id,
            (None, None) => true,
        })?;
        let other_id = id.is_some_and(|id| id != self.calls[last].id);
        let begins = named && (other_id || (wire.is_none() && id.is_none()));
        (!begins).then_some(last)
    }

    fn end_calls(&mut self, out: &mut VecDeque<StreamEvent>) {
        for call in self.calls.iter_mut().filter(|call| !call.ended) {
            call.ended = true;
            out.push_back(StreamEvent::BlockEnded { index: call.index });
        }
    }

    fn stop(&mut self, out: &mut VecDeque<StreamEvent>) {
        self.start(None, out);
        self.hush(out);
        self.end_calls(out);
        let reason = match self.finish.take().as_deref() {
            // Several servers say `stop` although they have just asked for a tool.
            None | Some("stop" | "tool_calls" | "function_call") => {
                if self.calls.is_empty() {
                    StopReason::EndTurn
                } else {
                    StopReason::ToolUse
                }
            }
            Some("length") => StopReason::MaxTokens,
            Some("content_filter") => StopReason::Refusal,
            Some(other) => StopReason::Other(other.to_owned()),
        };
        out.push_back(StreamEvent::Stopped { reason });
        self.done = true;
    }

    fn choice(&mut self, choice: Choice, out: &mut VecDeque<StreamEvent>) {
        if let Some(delta) = choice.delta {
            let thought = delta.reasoning_content.or(delta.reasoning).unwrap_or_default();
            self.speak(Speech::Thinking, thought, out);
            self.speak(Speech::Text, delta.content.unwrap_or_default(), out);
            for call in delta.tool_calls.into_iter().flatten() {
                self.call(call, out);
            }
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish = Some(reason);
        }
    }
}

impl WireFormat for Events {
    fn on(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        if self.done {
            return Ok(());
        }
        if data.trim() == "[DONE]" {
            self.stop(out);
            return Ok(());
        }
        let chunk: Chunk<'_> = serde_json::from_str(data)
            .map_err(|error| self.origin.broken(&format!("it holds broken JSON ({error})")))?;
        if chunk.error.is_some_and(|error| error.get() != "null") {
            return Err(self.origin.said(&Detail::parse(data)));
        }
        self.start(chunk.model, out);
        // We ask for one choice; a server that sends more gets its first one shown.
        if let Some(choice) = chunk.choices.into_iter().flatten().next() {
            self.choice(choice, out);
        }
        if let Some(usage) = chunk.usage {
            out.push_back(StreamEvent::Usage(usage.into()));
        }
        Ok(())
    }

    fn on_end(&mut self, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        if self.done {
            return Ok(());
        }
        if self.finish.is_some() {
            self.stop(out);
            return Ok(());
        }
        Err(self.origin.broken("the connection was closed before its end"))
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

#[cfg(test)]
mod tests;
