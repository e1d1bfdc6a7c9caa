//! The rehearsal model: a deterministic brain inside the binary, for whoever has no key yet.
//!
//! It is a pure function of the request. What it has done so far in a turn it reads from the
//! conversation, as any model does; it keeps no state, reads no clock and touches no file: all work
//! goes through the same tool calls that a real model would make.

mod act;
mod brain;
mod diagnostics;
mod inline;
mod language;
mod lines;
mod outline;
mod script;
pub(crate) mod view;
mod words;

use agent::{ModelError, ModelErrorKind, ModelRequest, StopReason, StreamEvent, Usage};
use futures::stream::{self, Stream};

pub(crate) use view::View;

/// The name of the provider and of its only model.
pub(crate) const ID: &str = "rehearsal";

/// What the brain decided to do next: speak, and perhaps call tools.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) input: serde_json::Value,
}

pub(crate) fn stream(
    request: &ModelRequest,
) -> impl Stream<Item = Result<StreamEvent, ModelError>> + Send + 'static {
    let events: Vec<Result<StreamEvent, ModelError>> = match View::of_request(request) {
        Ok(view) => events(&view).into_iter().map(Ok).collect(),
        Err(error) => {
            let text = format!("The conversation cannot be read: {error}.");
            vec![Err(ModelError::new(ModelErrorKind::InvalidRequest, text))]
        }
    };
    stream::iter(events)
}

/// The whole answer, word by word.
pub(crate) fn events(view: &View) -> Vec<StreamEvent> {
    let reply = brain::reply(view);
    let input_tokens = view.size / 4 + 1;
    let usage = Usage { input_tokens, output_tokens: 1, ..Usage::default() };
    let mut events = vec![StreamEvent::Started { model: ID.to_owned(), usage }];
    let mut written = reply.text.len();
    if !reply.text.is_empty() {
        events.push(StreamEvent::TextStarted { index: 0 });
        let words = reply.text.split_inclusive(char::is_whitespace).map(str::to_owned);
        events.extend(words.map(|text| StreamEvent::TextDelta { index: 0, text }));
        events.push(StreamEvent::BlockEnded { index: 0 });
    }
    let reason = if reply.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    let first = usize::from(!reply.text.is_empty());
    for (number, call) in reply.calls.into_iter().enumerate() {
        let index = first + number;
        // Unique within the conversation, and the same whenever the same request is made.
        let id = format!("toolu_rehearsal_{}", view.calls_so_far + number + 1);
        let json = call.input.to_string();
        written += json.len();
        events.push(StreamEvent::ToolStarted { index, id, name: call.name.to_owned() });
        events.push(StreamEvent::InputDelta { index, json });
        events.push(StreamEvent::BlockEnded { index });
    }
    let output_tokens = written as u64 / 4 + 1;
    events.push(StreamEvent::Usage(Usage { output_tokens, ..usage }));
    events.push(StreamEvent::Stopped { reason });
    events
}
