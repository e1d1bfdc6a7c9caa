//! The Messages API's events, one by one, into ours. Unknown events, blocks and fields are passed
//! over: the API adds them at any time.

use std::borrow::Cow;
use std::collections::VecDeque;

use agent::{ModelError, StopReason, StreamEvent, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::answer::WireFormat;
use crate::fault::{Detail, Origin};

/// One event of the wire, of any kind. Flat on purpose: a tagged enum would copy every delta into
/// an intermediate tree first.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    index: Option<usize>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(default)]
    message: Option<Start>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    context_management: Option<Management>,
}

/// What the provider did to the request before the model read it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Management {
    applied_edits: Option<Vec<Applied>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Applied {
    cleared_tool_uses: Option<u64>,
    cleared_input_tokens: Option<u64>,
}

impl Management {
    fn cleared(self) -> Option<StreamEvent> {
        let edits = self.applied_edits.unwrap_or_default();
        let sum = |of: fn(&Applied) -> Option<u64>| {
            edits.iter().filter_map(of).fold(0, u64::saturating_add)
        };
        let results = sum(|edit| edit.cleared_tool_uses);
        let tokens = sum(|edit| edit.cleared_input_tokens);
        (results > 0).then_some(StreamEvent::Cleared { results, tokens })
    }
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    thinking: Option<String>,
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    partial_json: Option<String>,
    #[serde(default)]
    stop_reason: Option<StopReason>,
}

#[derive(Deserialize)]
struct Start {
    #[serde(default)]
    model: String,
    #[serde(default)]
    usage: Option<WireUsage>,
}

/// Gateways send `null` where the API sends a number.
#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation: Option<CacheCreation>,
    server_tool_use: Option<ServerToolUse>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CacheCreation {
    ephemeral_1h_input_tokens: Option<u64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ServerToolUse {
    web_search_requests: Option<u64>,
}

impl From<WireUsage> for Usage {
    fn from(wire: WireUsage) -> Self {
        let for_an_hour = wire.cache_creation.and_then(|made| made.ephemeral_1h_input_tokens);
        let searches = wire.server_tool_use.and_then(|used| used.web_search_requests);
        Usage {
            input_tokens: wire.input_tokens.unwrap_or(0),
            output_tokens: wire.output_tokens.unwrap_or(0),
            cache_creation_input_tokens: wire.cache_creation_input_tokens.unwrap_or(0),
            cache_read_input_tokens: wire.cache_read_input_tokens.unwrap_or(0),
            cache_creation_1h_tokens: for_an_hour.unwrap_or(0),
            web_search_requests: searches.unwrap_or(0),
        }
    }
}

pub(crate) struct Events {
    origin: Origin,
    started: bool,
    stop_reason: Option<StopReason>,
    done: bool,
    /// Ours are numbered without gaps, whatever the wire does.
    next_index: usize,
    open: Vec<Open>,
}

struct Open {
    wire_index: usize,
    index: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Thinking,
    /// Some gateways send the whole input with the start of the block, and no deltas.
    Tool {
        whole_input: Option<String>,
    },
    /// Sent on when it is complete.
    Opaque {
        block: Value,
        input: String,
    },
}

impl Events {
    pub(crate) fn new(origin: Origin) -> Self {
        let (stop_reason, open) = Default::default();
        Self { origin, started: false, stop_reason, done: false, next_index: 0, open }
    }

    fn start_message(&mut self, start: Option<Start>, out: &mut VecDeque<StreamEvent>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        let (model, usage) = start.map(|start| (start.model, start.usage)).unwrap_or_default();
        let usage = usage.unwrap_or_default().into();
        out.push_back(StreamEvent::Started { model, usage });
    }

    fn start_block(
        &mut self,
        wire_index: usize,
        raw: &RawValue,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), serde_json::Error> {
        let block: Map<String, Value> = serde_json::from_str(raw.get())?;
        let field = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        let index = self.next_index;
        let kind = match field("type") {
            "text" => {
                out.push_back(StreamEvent::TextStarted { index });
                push_text(out, index, field("text").to_owned());
                Kind::Text
            }
            "thinking" => {
                out.push_back(StreamEvent::ThinkingStarted { index });
                push_thinking(out, index, field("thinking").to_owned());
                push_signature(out, index, field("signature").to_owned());
                Kind::Thinking
            }
            "tool_use" => {
                let (id, name) = (field("id").to_owned(), field("name").to_owned());
                out.push_back(StreamEvent::ToolStarted { index, id, name });
                let input = block.get("input").and_then(Value::as_object);
                let whole = input.filter(|input| !input.is_empty());
                Kind::Tool { whole_input: whole.map(serde_json::to_string).transpose()? }
            }
            _ => Kind::Opaque { block: Value::Object(block), input: String::new() },
        };
        self.next_index += 1;
        self.open.push(Open { wire_index, index, kind });
        Ok(())
    }

    fn grow(&mut self, wire_index: usize, delta: Delta<'_>, out: &mut VecDeque<StreamEvent>) {
        let open = self.open.iter_mut().rev().find(|open| open.wire_index == wire_index);
        let Some(open) = open else {
            return;
        };
        let index = open.index;
        match (&mut open.kind, delta.kind.as_ref()) {
            (Kind::Text, "text_delta") => {
                push_text(out, index, delta.text.unwrap_or_default());
            }
            (Kind::Thinking, "thinking_delta") => {
                push_thinking(out, index, delta.thinking.unwrap_or_default());
            }
            (Kind::Thinking, "signature_delta") => {
                push_signature(out, index, delta.signature.unwrap_or_default());
            }
            (Kind::Tool { whole_input }, "input_json_delta") => {
                let json = delta.partial_json.unwrap_or_default();
                if !json.is_empty() {
                    *whole_input = None;
                    out.push_back(StreamEvent::InputDelta { index, json });
                }
            }
            (Kind::Opaque { input, .. }, "input_json_delta") => {
                input.push_str(&delta.partial_json.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn end_block(&mut self, wire_index: usize, out: &mut VecDeque<StreamEvent>) {
        let Some(at) = self.open.iter().rposition(|open| open.wire_index == wire_index) else {
            return;
        };
        let Open { index, kind, .. } = self.open.remove(at);
        match kind {
            Kind::Text | Kind::Thinking | Kind::Tool { whole_input: None } => {}
            Kind::Tool { whole_input: Some(json) } => {
                out.push_back(StreamEvent::InputDelta { index, json });
            }
            Kind::Opaque { mut block, input } => {
                if let Ok(input @ Value::Object(_)) = serde_json::from_str(&input) {
                    block["input"] = input;
                }
                out.push_back(StreamEvent::Opaque { index, block });
            }
        }
        out.push_back(StreamEvent::BlockEnded { index });
    }

    fn stop(&mut self, out: &mut VecDeque<StreamEvent>) {
        while let Some(wire_index) = self.open.first().map(|open| open.wire_index) {
            self.end_block(wire_index, out);
        }
        let reason = self.stop_reason.take().unwrap_or(StopReason::EndTurn);
        out.push_back(StreamEvent::Stopped { reason });
        self.done = true;
    }

    fn take(&mut self, wire: Wire<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        let index = wire.index.unwrap_or(0);
        match wire.kind.as_ref() {
            "content_block_delta" => {
                if let Some(delta) = wire.delta {
                    self.grow(index, delta, out);
                }
            }
            "content_block_start" => {
                self.start_message(None, out);
                if let Some(block) = wire.content_block {
                    self.start_block(index, block, out)
                        .map_err(|error| self.origin.broken(&error.to_string()))?;
                }
            }
            "content_block_stop" => self.end_block(index, out),
            "message_start" => self.start_message(wire.message, out),
            "message_delta" => {
                if let Some(reason) = wire.delta.and_then(|delta| delta.stop_reason) {
                    self.stop_reason = Some(reason);
                }
                out.extend(wire.context_management.and_then(Management::cleared));
                if let Some(usage) = wire.usage {
                    out.push_back(StreamEvent::Usage(usage.into()));
                }
            }
            "message_stop" => self.stop(out),
            _ => {}
        }
        Ok(())
    }
}

impl WireFormat for Events {
    fn on(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        if self.done {
            return Ok(());
        }
        match serde_json::from_str::<Wire<'_>>(data) {
            Ok(wire) if wire.kind == "error" => Err(self.origin.said(&Detail::parse(data))),
            Ok(wire) => self.take(wire, out),
            Err(_) if is_unknown(data) => Ok(()),
            Err(error) => Err(self.origin.broken(&format!("it holds broken JSON ({error})"))),
        }
    }

    fn on_end(&mut self, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        if self.done {
            return Ok(());
        }
        // With a reason to stop, all content has arrived; only the goodbye is missing.
        if self.stop_reason.is_some() {
            self.stop(out);
            return Ok(());
        }
        Err(self.origin.broken("the connection was closed before its end"))
    }

    /// A ping is a short event; a longer one is not worth a look.
    fn is_ping(&self, data: &str) -> bool {
        data.len() < 64 && data.contains(r#""ping""#)
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

/// An event we have no name for may use our fields' names for anything.
fn is_unknown(data: &str) -> bool {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "type")]
        kind: String,
    }
    let named = serde_json::from_str::<Named>(data);
    named.is_ok_and(|Named { kind }| {
        !kind.starts_with("content_block") && !kind.starts_with("message") && kind != "error"
    })
}

fn push_text(out: &mut VecDeque<StreamEvent>, index: usize, text: String) {
    if !text.is_empty() {
        out.push_back(StreamEvent::TextDelta { index, text });
    }
}

fn push_thinking(out: &mut VecDeque<StreamEvent>, index: usize, text: String) {
    if !text.is_empty() {
        out.push_back(StreamEvent::ThinkingDelta { index, text });
    }
}

fn push_signature(out: &mut VecDeque<StreamEvent>, index: usize, signature: String) {
    if !signature.is_empty() {
        out.push_back(StreamEvent::Signature { index, signature });
    }
}

#[cfg(test)]
mod tests;
