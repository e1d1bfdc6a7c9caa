//! What goes into a turn and what comes out of it.

use serde_json::Value;

use super::reason::{Ending, Why};
use crate::journal::Record;
use crate::message::{Block, ResultPart};
use crate::stream::{ModelError, StreamEvent};
use crate::usage::Usage;

/// Everything that can happen to a turn.
#[derive(Clone, Debug)]
pub enum Input {
    /// The prompt that starts it; the first input, and only the first.
    Prompt {
        message_id: String,
        content: Vec<Block>,
    },
    Model(StreamEvent),
    /// `jitter` is a random number from 0 to 1: the machine has no dice of its own.
    ModelFailed {
        error: ModelError,
        jitter: f64,
    },
    /// What [`Effect::Wait`] asked for is over.
    Waited,
    /// What became of [`Effect::MakeRoom`].
    RoomMade {
        made: bool,
    },
    /// The request cannot be sent: the window is full, and nothing more can be taken out.
    Full {
        message: String,
    },
    /// What became of [`Effect::AskStopHooks`].
    StopHooks(StopVerdict),
    /// Something beside the turn was paid for before its request went out.
    Recount,
    /// A hook that looked at a call wants the turn to end.
    HookStopped {
        message: String,
    },
    /// A hook put a call off, and nobody is here who could decide about it: the turn ends until
    /// somebody goes on.
    Deferred,
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

/// What the hooks say when the model is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopVerdict {
    Fine,
    /// Not done yet: the model is told this and goes on.
    GoOn {
        message: String,
    },
    /// The turn ends here, whatever else would make it go on.
    End {
        message: String,
    },
}

/// What the session task has to do, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Append to the journal and to the conversation before anything that follows.
    Journal(Record),
    /// Send the conversation as it now stands, as [`super::Turn::ask`] says.
    CallModel(Why),
    /// Stop asking: the stream, or the wait for the next attempt.
    StopModel,
    /// Send the input `Waited` after this long, unless `StopModel` comes first.
    Wait {
        /// Which attempt failed, from one.
        attempt: u32,
        delay_ms: u64,
        error: ModelError,
    },
    /// Another model stands in for the rest of the turn.
    UseFallback {
        model: String,
        error: ModelError,
    },
    /// Make the conversation smaller, and say with `RoomMade` whether it is.
    MakeRoom(Room),
    /// The model is done: ask the stop hooks. `again` says that they made it go on before.
    AskStopHooks {
        again: bool,
    },
    StartCall(ToolCall),
    StopCall {
        id: String,
    },
    Show(Shown),
    End(Ending),
}

/// What can be done when the provider says that a request is too large, the gentlest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Take out images and documents.
    StripMedia,
    /// Carry out what was already decided to be left out.
    Drain,
    /// Sum the conversation up.
    Compact,
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
    /// Everything shown of this message is void: the request is sent again.
    Retracted {
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
    /// A call has ended, and its result is recorded.
    ToolEnded {
        id: String,
    },
    /// A call that will never run (the turn was cancelled, or its input was no JSON).
    ToolDropped {
        id: String,
        cancelled: bool,
        message: String,
    },
    Usage {
        answer: Usage,
        /// What the turn has cost so far, in US dollars.
        cost_usd: f64,
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
