//! What is written down: one record a line, append-only, and enough to rebuild the conversation.
//!
//! The store that writes the lines (with their time) is in `host`; here is only what they say.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{Block, ResultPart};
use crate::spending::Spending;
use crate::stream::StopReason;
use crate::title::TitleOrigin;
use crate::usage::Usage;

/// The format of the journal. A reader refuses a newer one instead of misreading it.
pub const VERSION: u32 = 1;

/// Where a copied conversation comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForkedFrom {
    pub session: String,
    /// The last message of the copy, when it is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a user chose for one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chosen {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// See [`crate::Thinking::name`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_style: Option<String>,
    /// The agent that leads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub led_by: Option<String>,
}

impl Chosen {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// The first line.
    Session {
        version: u32,
        id: String,
        cwd: String,
        model: String,
        mode: String,
        /// Whose conversation this one begins with, when it is a copy.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<ForkedFrom>,
    },
    /// This is the journal of an agent: which one, and what started it.
    Agent {
        agent: String,
        /// Under which others write to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// What it was asked, in a few words.
        description: String,
        call: String,
        depth: u32,
    },
    /// What the user said.
    User { id: String, turn: String, content: Vec<Block> },
    /// What the model answered, as far as it is whole.
    Assistant {
        id: String,
        turn: String,
        model: String,
        /// The model that was asked, where the one that answered calls itself something else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<String>,
        content: Vec<Block>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_reason: Option<StopReason>,
        usage: Usage,
    },
    /// One complete block of an answer that still streams, recorded before clients are told that it
    /// ended. The record of the whole answer replaces it.
    AnswerBlock {
        /// The id of the answer.
        id: String,
        turn: String,
        model: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<String>,
        /// Its place in the answer.
        index: usize,
        block: Block,
    },
    /// The request is sent again: the recorded blocks of this answer are void.
    AnswerRetracted { id: String },
    /// The result of one call, recorded before clients are told that it ended, while other calls of
    /// the answer still run. The record of all results replaces it.
    CallResult {
        turn: String,
        call: String,
        content: Vec<ResultPart>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// The results of that answer's calls, and notes to the model, as one user message.
    Results { turn: String, content: Vec<Block> },
    /// The model was asked once more for a reason that not every turn has: a retry, a recovery.
    Continued { turn: String, why: String },
    /// The provider refused an image or a document: those said so far are left out from here on.
    MediaStripped { turn: String },
    /// These answers are left out from here on, with the results of their calls, and those others
    /// are cut short: work of old turns, attempts that failed.
    Snipped { answers: Vec<String>, shortened: Vec<String> },
    /// Results of these calls are cleared from here on: they are old, or a later one shows the same.
    Cleared { calls: Vec<String>, why: String },
    /// The provider cleared results by itself before the model read the last request. They are sent
    /// again all the same: it decides anew each time.
    ClearedByProvider { turn: String, results: u64, tokens: u64 },
    /// The notes on the session cover everything up to this message and the results of its calls.
    Noted { until: String },
    /// The conversation so far is replaced by what it comes to; the last entries stay.
    Compacted {
        id: String,
        /// `manual`, `auto` or `reactive`.
        trigger: String,
        content: Vec<Block>,
        #[serde(default)]
        kept: usize,
        /// Tokens in the window before and after.
        before: u64,
        after: u64,
        /// Who wrote the summary; empty where notes on the session took its place.
        model: String,
        usage: Usage,
        cost_usd: f64,
    },
    /// Written before a call acts, or when it was refused.
    Permission {
        turn: String,
        call: String,
        tool: String,
        input: Value,
        allowed: bool,
        /// Who decided: a rule, the mode, the user.
        reason: String,
    },
    /// A change of the session's settings.
    Config {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
        /// What the user chose for this session, where that is not what the settings say.
        #[serde(default, flatten)]
        chosen: Chosen,
    },
    /// What was checked out when the next prompt was said.
    Checkout {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    },
    Title {
        title: String,
        #[serde(default)]
        origin: TitleOrigin,
    },
    /// The tasks of the session, all of them, in the shape of the tool that owns them.
    Steps { board: Value },
    /// Tools whose definitions the model has asked for.
    ToolsLoaded { names: Vec<String> },
    /// Something the model is told with the next message, for example that a change was rejected.
    Note { text: String },
    /// A prompt was accepted while a turn ran. The same id again: the prompt was changed.
    Queued {
        id: String,
        content: Vec<Block>,
        /// As the client sent it.
        shown: Value,
        /// The turn it was said into; without one it waits for the turn to end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<String>,
    },
    /// A prompt that waited was taken back.
    Unqueued { id: String },
    /// A prompt that waits got another place, from zero.
    QueueMoved { id: String, to: usize },
    /// The conversation went back to before a message of the user.
    Rewound { to: String, token: String },
    /// A rewind was taken back.
    Unrewound { token: String },
    /// An inline edit ended. It is no part of the conversation, but of the cost.
    Inline {
        id: String,
        /// The file, and what was asked.
        input: Value,
        status: String,
        message: String,
        model: String,
        usage: Usage,
        cost_usd: f64,
    },
    /// Auto mode's check looked at a call. No part of the conversation, but of the cost.
    Judged {
        turn: String,
        call: String,
        /// `allow`, `deny` or `unclear`.
        verdict: String,
        reason: String,
        model: String,
        usage: Usage,
        cost_usd: f64,
    },
    /// A quick model was asked something beside the conversation. No part of it, but of the cost.
    Helped {
        call: String,
        /// What for: `page`, `search`, `memory`, `summary`.
        what: String,
        model: String,
        usage: Usage,
        cost_usd: f64,
    },
    TurnEnded {
        turn: String,
        /// As clients know it.
        reason: String,
        /// More precisely; see `turn::EndReason::name`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terminal: Option<String>,
        usage: Usage,
        cost_usd: f64,
        /// The same by model; journals of older versions do not have it.
        #[serde(default, skip_serializing_if = "Spending::is_empty")]
        models: Spending,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A kind written by a newer version: kept in the file, no part of the conversation.
    #[serde(other)]
    Unknown,
}
