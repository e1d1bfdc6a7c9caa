//! What holds for one turn from its beginning to its end.

use std::sync::Arc;

use serde_json::Value;

/// Says whether a call may run beside others. Given by the tools, which the machine does not know.
pub type Parallel = Arc<dyn Fn(&str, &Value) -> bool + Send + Sync>;

/// Looks at the text of a final answer; what is wrong with it is told to the model.
pub type AnswerCheck = Arc<dyn Fn(&str) -> Result<(), String> + Send + Sync>;

#[derive(Clone)]
pub struct Rules {
    pub parallel: Parallel,
    /// The model that is asked, and those that stand in when it is overloaded.
    pub models: Vec<String>,
    pub max_answers: Option<u32>,
    /// How often a request that failed is sent again.
    pub max_retries: u32,
    /// How long the first wait is; each further one is twice as long.
    pub first_wait_ms: u64,
    /// Who is asked to wait longer than this is told so instead of being left waiting.
    pub longest_asked_ms: u64,
    pub budget: Budget,
    /// Answers are kept shorter than the model could make them.
    pub can_answer_longer: bool,
    pub check: Option<AnswerCheck>,
    /// There is somebody to ask before the turn ends.
    pub stop_hooks: bool,
}

/// What may be used up before the next request is not sent any more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Tokens the model may write in this turn. It is also told to use them: as long as most of
    /// them are left and it gets somewhere, it goes on.
    pub tokens: Option<u64>,
    /// US dollars that are left.
    pub cost_usd: Option<f64>,
}

impl Rules {
    pub const MAX_RETRIES: u32 = 10;
    pub const FIRST_WAIT_MS: u64 = 500;
    pub const LONGEST_ASKED_MS: u64 = 60_000;

    pub fn new(model: impl Into<String>, parallel: Parallel) -> Self {
        Self {
            parallel,
            models: vec![model.into()],
            max_answers: None,
            max_retries: Self::MAX_RETRIES,
            first_wait_ms: Self::FIRST_WAIT_MS,
            longest_asked_ms: Self::LONGEST_ASKED_MS,
            budget: Budget::default(),
            can_answer_longer: false,
            check: None,
            stop_hooks: false,
        }
    }
}
