//! Questions that the agent, or an MCP server through it, puts to the user.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::macros::{methods, open_enum, wire};
use crate::method::Empty;

methods! {
    /// Puts questions, a form or a link to the user.
    ToClient Ask = "agent/ask" (AskParams) -> AskResult;
    /// Answers a question from a door that did not get it.
    ToServer AskRespond = "agent/ask/respond" (AskRespondParams) -> Empty;
}

wire! {
    /// Exactly one of `questions`, `form` and `url` is present.
    pub struct AskParams {
        /// The id that `agent/ask/respond` and `agent/request/resolved` name.
        request_id: String,
        /// The session that asks.
        session_id: String,
        /// One or two sentences above the questions, the form or the link.
        message?: String,
        /// Questions with choices.
        questions?: Vec<Question>,
        /// A form.
        form?: Form,
        /// A page to open in a browser, for example to sign in.
        url?: String,
    }

    /// A question with choices.
    pub struct Question {
        /// The key of the answer in `content`.
        id: String,
        /// A word or two, for a tab or a chip.
        header?: String,
        /// The question.
        text: String,
        /// The choices; empty means free text.
        options: Vec<Choice>,
        /// True when several choices may be taken.
        multi_select?: bool,
        /// True when an answer beside the choices is welcome.
        free_text?: bool,
    }

    /// One choice of a question.
    pub struct Choice {
        /// What the user sees, and what the answer holds.
        label: String,
        /// What taking it means.
        description?: String,
    }

    /// A form to fill in.
    pub struct Form {
        /// A JSON Schema of one flat object.
        schema: Value,
    }

    /// What the user did.
    pub struct AskResult {
        /// Whether there is an answer.
        action: AskAction,
        /// With `accept`: question id or form field → answer. A question's answer is a string, or
        /// a list of strings when several choices were allowed.
        content?: BTreeMap<String, Value>,
    }

    /// The same from a door that was not asked.
    pub struct AskRespondParams {
        /// The question's id.
        request_id: String,
        /// Whether there is an answer.
        action: AskAction,
        /// As in the answer to `agent/ask`.
        content?: BTreeMap<String, Value>,
    }
}

open_enum! {
    /// What the user did with a question.
    pub enum AskAction {
        /// Answered it.
        Accept = "accept",
        /// Declined to answer.
        Decline = "decline",
        /// Closed it without saying.
        Cancel = "cancel",
    }
}
