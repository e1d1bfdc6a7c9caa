//! One turn: from a prompt to its end, through as many model answers and tool calls as it takes.
//!
//! A [`Turn`] is a machine with no hands. The session task feeds it [`Input`]s and carries out the
//! [`Effect`]s it returns, in order. It promises: every tool call gets exactly one result, results
//! are in the order of the calls, and `End` comes exactly once, also after a cancel or an error.

mod answer;
mod calls;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use crate::journal::Record;
use crate::message::{Block, ResultPart};
use crate::stream::{ModelError, ModelErrorKind, StopReason, StreamEvent};
use crate::usage::Usage;

use answer::Answer;
use calls::Calls;
pub use calls::MAX_PARALLEL;

/// Everything that can happen to a turn.
#[derive(Clone, Debug)]
pub enum Input {
    /// The prompt that starts it; the first input, and only the first.
    Prompt {
        message_id: String,
        content: Vec<Block>,
    },
    Model(StreamEvent),
    ModelFailed(ModelError),
    CallEnded {
        id: String,
        outcome: CallOutcome,
    },
    /// The user adds something while the turn runs; it goes along with the next request.
    Steer {
        message_id: String,
        content: Vec<Block>,
    },
    Cancel,
}

/// What the session task has to do, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Append to the journal and to the conversation before anything that follows.
    Journal(Record),
    /// Send the conversation as it now stands.
    CallModel,
    StopModel,
    StartCall(ToolCall),
    StopCall {
        id: String,
    },
    Show(Shown),
    End(Ending),
}

/// What a person watching gets to see while the model speaks.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    MessageStarted {
        message_id: String,
    },
    MessageDelta {
        message_id: String,
        text: String,
    },
    MessageEnded {
        message_id: String,
    },
    ThoughtStarted {
        message_id: String,
    },
    ThoughtDelta {
        message_id: String,
        text: String,
    },
    ThoughtEnded {
        message_id: String,
    },
    /// The model began to write a call; its input is still coming.
    ToolStarted {
        id: String,
        name: String,
    },
    ToolInput {
        id: String,
        json: String,
    },
    /// A call that will never run (the turn was cancelled, or its input was no JSON).
    ToolDropped {
        id: String,
        cancelled: bool,
        message: String,
    },
    Usage {
        answer: Usage,
        total: Usage,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub input: Value,
}

/// How a call ended, as the model is told.
#[derive(Clone, Debug, PartialEq)]
pub struct CallOutcome {
    pub content: Vec<ResultPart>,
    pub is_error: bool,
}

impl CallOutcome {
    pub fn error(message: impl Into<String>) -> Self {
        Self { content: vec![ResultPart::Text { text: message.into() }], is_error: true }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    pub reason: EndReason,
    /// Summed over all answers of the turn.
    pub usage: Usage,
    /// How many answers the model gave.
    pub answers: u32,
    pub error: Option<ModelError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    EndTurn,
    MaxTokens,
    MaxTurns,
    Refusal,
    Cancelled,
    PromptTooLong,
    ModelError,
}

impl EndReason {
    /// As the wire and the journal spell it.
    pub fn name(self) -> &'static str {
        match self {
            EndReason::EndTurn => "end_turn",
            EndReason::MaxTokens => "max_tokens",
            EndReason::MaxTurns => "max_turns",
            EndReason::Refusal => "refusal",
            EndReason::Cancelled => "cancelled",
            EndReason::PromptTooLong => "prompt_too_long",
            EndReason::ModelError => "model_error",
        }
    }
}

/// Told to the model in place of a result, and after whatever it had said.
const INTERRUPTED: &str = "[Request interrupted by user]";

/// Why calls get no result of their own, as the user and the model are told.
struct GivenUp {
    cancelled: bool,
    message: &'static str,
}

const NOT_RUN: GivenUp =
    GivenUp { cancelled: true, message: "The user interrupted the turn; this call did not run." };
const BROKEN_OFF: GivenUp = GivenUp {
    cancelled: false,
    message: "The answer of the model broke off; this call did not run.",
};
const UNFINISHED: GivenUp = GivenUp {
    cancelled: false,
    message: "The answer ended before this call was complete; it did not run.",
};
/// Says whether a call may run beside others. Given by the tools, which the machine does not know.
pub type Parallel = Arc<dyn Fn(&str, &Value) -> bool + Send + Sync>;

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Phase {
    /// Waiting for the prompt.
    New,
    /// A request is under way.
    Answering,
    /// The answer is complete; calls are still running.
    Working,
    /// Cancelled, or the model failed; calls that run are being stopped.
    Stopping,
    Ended,
}

pub struct Turn {
    id: String,
    phase: Phase,
    parallel: Parallel,
    max_answers: Option<u32>,
    answer: Answer,
    calls: Calls,
    /// What the user added since the last request.
    steered: Vec<(String, Vec<Block>)>,
    answers: u32,
    usage: Usage,
    /// What the turn ends with once the calls have stopped, when the model failed.
    failure: Option<(EndReason, ModelError)>,
}

impl Turn {
    pub fn new(id: impl Into<String>, max_answers: Option<u32>, parallel: Parallel) -> Self {
        Self {
            id: id.into(),
            phase: Phase::New,
            parallel,
            max_answers,
            answer: Answer::default(),
            calls: Calls::default(),
            steered: Vec::new(),
            answers: 0,
            usage: Usage::default(),
            failure: None,
        }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Takes one input and says what is to be done. An input that makes no sense in the present
    /// phase (a late stream event after a cancel, a result for an unknown call) changes nothing.
    pub fn on(&mut self, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        match (self.phase, input) {
            (Phase::New, Input::Prompt { message_id, content }) => {
                effects.push(self.user_record(message_id, content));
                self.call_model(&mut effects);
            }
            (Phase::Answering, Input::Model(event)) => self.on_stream(event, &mut effects),
            (Phase::Answering, Input::ModelFailed(error)) => self.on_failure(error, &mut effects),
            (
                Phase::Answering | Phase::Working | Phase::Stopping,
                Input::CallEnded { id, outcome },
            ) => {
                self.calls.finish(&id, outcome);
                self.advance(&mut effects);
            }
            (
                Phase::Answering | Phase::Working | Phase::Stopping,
                Input::Steer { message_id, content },
            ) => self.steered.push((message_id, content)),
            (Phase::Answering | Phase::Working, Input::Cancel) => self.cancel(&mut effects),
            _ => {}
        }
        effects
    }

    /// What was steered in too late to be sent; the session starts a new turn with it.
    pub fn take_steered(&mut self) -> Vec<(String, Vec<Block>)> {
        std::mem::take(&mut self.steered)
    }

    fn user_record(&self, message_id: String, content: Vec<Block>) -> Effect {
        Effect::Journal(Record::User { id: message_id, turn: self.id.clone(), content })
    }

    fn call_model(&mut self, effects: &mut Vec<Effect>) {
        self.answers += 1;
        self.answer = Answer::new(format!("{}.{}", self.id, self.answers));
        self.phase = Phase::Answering;
        effects.push(Effect::CallModel);
    }

    fn on_stream(&mut self, event: StreamEvent, effects: &mut Vec<Effect>) {
        match event {
            StreamEvent::Stopped { reason } => return self.on_stopped(reason, effects),
            StreamEvent::Usage(usage) => {
                self.answer.usage.update(usage);
                let mut total = self.usage;
                total.add(self.answer.usage);
                effects.push(Effect::Show(Shown::Usage { answer: self.answer.usage, total }));
                return;
            }
            _ => {}
        }
        if let Some(call) = self.answer.on(event, effects) {
            match call.input {
                Ok(input) => {
                    let parallel = (self.parallel)(&call.name, &input);
                    let written = ToolCall { id: call.id, name: call.name, input };
                    self.calls.add(call.index, written, parallel);
                    effects.extend(self.calls.start().into_iter().map(Effect::StartCall));
                }
                Err(problem) => {
                    let message = format!(
                        "The input of this call was not valid JSON ({problem}). Send the call \
                         again with a complete JSON object."
                    );
                    effects.push(Effect::Show(Shown::ToolDropped {
                        id: call.id.clone(),
                        cancelled: false,
                        message: message.clone(),
                    }));
                    self.calls.add_finished(call.index, call.id, CallOutcome::error(message));
                }
            }
        }
    }

    fn on_stopped(&mut self, reason: StopReason, effects: &mut Vec<Effect>) {
        self.close_answer(effects);
        self.journal_answer(Some(reason.clone()), effects);
        self.phase = Phase::Working;
        if !self.calls.is_empty() {
            return self.advance(effects);
        }
        let end = match reason {
            StopReason::PauseTurn => None,
            StopReason::MaxTokens => Some(EndReason::MaxTokens),
            StopReason::Refusal => Some(EndReason::Refusal),
            StopReason::ModelContextWindowExceeded => Some(EndReason::PromptTooLong),
            _ => Some(EndReason::EndTurn),
        };
        match end {
            // A complete answer is not cut off by the limit; the session sends what was steered.
            Some(EndReason::EndTurn) if !self.steered.is_empty() && !self.at_limit() => {
                self.next_request(effects);
            }
            Some(end) => self.end(end, None, effects),
            // A paused answer goes back as it is: text of the user after it would end it.
            None => self.resume(effects),
        }
    }

    /// Starts what may start; when everything has its result, goes on.
    fn advance(&mut self, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Stopping {
            effects.extend(self.calls.start().into_iter().map(Effect::StartCall));
        }
        if self.phase == Phase::Answering || !self.calls.all_finished() {
            return;
        }
        self.journal_results(effects);
        match (self.phase, self.failure.take()) {
            (Phase::Stopping, Some((reason, error))) => self.end(reason, Some(error), effects),
            (Phase::Stopping, None) => self.end(EndReason::Cancelled, None, effects),
            _ => self.next_request(effects),
        }
    }

    fn at_limit(&self) -> bool {
        self.max_answers.is_some_and(|max| self.answers >= max)
    }

    fn next_request(&mut self, effects: &mut Vec<Effect>) {
        if !self.at_limit() {
            for (message_id, content) in std::mem::take(&mut self.steered) {
                effects.push(self.user_record(message_id, content));
            }
        }
        self.resume(effects);
    }

    fn resume(&mut self, effects: &mut Vec<Effect>) {
        match self.at_limit() {
            true => self.end(EndReason::MaxTurns, None, effects),
            false => self.call_model(effects),
        }
    }

    fn on_failure(&mut self, error: ModelError, effects: &mut Vec<Effect>) {
        let reason = match error.kind {
            ModelErrorKind::PromptTooLong | ModelErrorKind::RequestTooLarge => {
                EndReason::PromptTooLong
            }
            _ => EndReason::ModelError,
        };
        // Calls that already ran belong to the conversation, whatever became of the answer.
        self.abandon_answer(&BROKEN_OFF, effects);
        if self.calls.is_empty() {
            return self.end(reason, Some(error), effects);
        }
        self.failure = Some((reason, error));
        self.stop_calls(&BROKEN_OFF, effects);
    }

    fn cancel(&mut self, effects: &mut Vec<Effect>) {
        if self.phase == Phase::Answering {
            effects.push(Effect::StopModel);
            self.abandon_answer(&NOT_RUN, effects);
        }
        if self.calls.is_empty() {
            effects.push(self.note(INTERRUPTED));
            return self.end(EndReason::Cancelled, None, effects);
        }
        self.stop_calls(&NOT_RUN, effects);
    }

    /// Gives up what waits, stops what runs, and goes on when every call has its result.
    fn stop_calls(&mut self, why: &GivenUp, effects: &mut Vec<Effect>) {
        self.phase = Phase::Stopping;
        show_dropped(self.calls.drop_queued(why.message), why, effects);
        effects.extend(self.calls.running().into_iter().map(|id| Effect::StopCall { id }));
        self.advance(effects);
    }

    fn note(&self, text: &str) -> Effect {
        Effect::Journal(Record::Results { turn: self.id.clone(), content: vec![Block::text(text)] })
    }

    fn close_answer(&mut self, effects: &mut Vec<Effect>) {
        let unfinished = self.answer.close(effects);
        show_dropped(unfinished, &UNFINISHED, effects);
    }

    /// Keeps what is whole of an answer that will not be finished.
    fn abandon_answer(&mut self, why: &GivenUp, effects: &mut Vec<Effect>) {
        let unfinished = self.answer.abandon(effects);
        show_dropped(unfinished, why, effects);
        self.journal_answer(None, effects);
    }

    fn journal_answer(&mut self, stop_reason: Option<StopReason>, effects: &mut Vec<Effect>) {
        let answer = std::mem::take(&mut self.answer);
        self.usage.add(answer.usage);
        if answer.has_content() {
            effects.push(Effect::Journal(answer.into_record(self.id.clone(), stop_reason)));
        }
    }

    fn journal_results(&mut self, effects: &mut Vec<Effect>) {
        let mut content = self.calls.take_results();
        if self.phase == Phase::Stopping && self.failure.is_none() {
            content.push(Block::text(INTERRUPTED));
        }
        effects.push(Effect::Journal(Record::Results { turn: self.id.clone(), content }));
    }

    fn end(&mut self, reason: EndReason, error: Option<ModelError>, effects: &mut Vec<Effect>) {
        self.phase = Phase::Ended;
        let ending = Ending { reason, usage: self.usage, answers: self.answers, error };
        effects.push(Effect::End(ending));
    }
}

fn show_dropped(ids: Vec<String>, why: &GivenUp, effects: &mut Vec<Effect>) {
    effects.extend(ids.into_iter().map(|id| {
        let message = why.message.to_owned();
        Effect::Show(Shown::ToolDropped { id, cancelled: why.cancelled, message })
    }));
}
