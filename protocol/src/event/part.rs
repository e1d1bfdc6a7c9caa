//! What events are made of and nothing else is: reasons, problems, token counts.

use crate::lsp::Range;
use crate::macros::{open_enum, wire};
use crate::snapshot::TodoStatus;

wire! {
    /// Tokens that a turn took.
    #[derive(Eq, Default)]
    pub struct Usage {
        /// Read by the model, not from the cache.
        input_tokens: u64,
        /// Written by the model.
        output_tokens: u64,
        /// Read from the cache.
        cache_read_tokens: u64,
        /// Written to the cache.
        cache_write_tokens: u64,
    }

    /// What went wrong.
    #[derive(Eq)]
    pub struct Problem {
        /// What kind of problem it is.
        kind: ProblemKind,
        /// One sentence that says what to do.
        message: String,
        /// The HTTP status, when there was one.
        status?: u16,
    }

    /// Where a hunk is now.
    #[derive(Eq)]
    pub struct MovedHunk {
        /// The hunk's id.
        id: String,
        /// Its range.
        range: Range,
    }

    /// One step of a plan.
    #[derive(Eq)]
    pub struct PlanEntry {
        /// What is to be done.
        content: String,
        /// Where it stands.
        status: TodoStatus,
    }
}

open_enum! {
    /// Why a turn ended.
    pub enum StopReason {
        /// The model was done.
        EndTurn = "end_turn",
        /// The model's answer was too long.
        MaxTokens = "max_tokens",
        /// The limit of steps was reached.
        MaxTurns = "max_turns",
        /// The limit of cost was reached.
        MaxBudget = "max_budget",
        /// The model declined.
        Refusal = "refusal",
        /// The user stopped it.
        Cancelled = "cancelled",
        /// A hook stopped it.
        HookStopped = "hook_stopped",
        /// A hook put a call off until somebody decides about it; resuming the session asks the hook again.
        ToolDeferred = "tool_deferred",
        /// The conversation does not fit into the context.
        PromptTooLong = "prompt_too_long",
        /// The model could not be asked.
        ModelError = "model_error",
        /// The prompt was not let through, for example by a hook.
        Blocked = "blocked",
    }
}

open_enum! {
    /// What kind of problem it is.
    pub enum ProblemKind {
        /// The key or the sign-in is missing or wrong.
        Authentication = "authentication",
        /// The account may not do this, or has no credit.
        Billing = "billing",
        /// Too many requests.
        RateLimit = "rateLimit",
        /// The model's service is busy or broken.
        Overloaded = "overloaded",
        /// The service could not be reached.
        Network = "network",
        /// The request was not accepted, for example an unknown model.
        InvalidRequest = "invalidRequest",
        /// A bug, or a disk that is full.
        Internal = "internal",
    }
}

open_enum! {
    /// How bad a notice is.
    pub enum Severity {
        /// Good to know.
        Info = "info",
        /// Something is not as it should be.
        Warning = "warning",
        /// Something failed.
        Error = "error",
    }
}

open_enum! {
    /// Why a conversation is summed up.
    pub enum CompactionTrigger {
        /// The user asked.
        Manual = "manual",
        /// The context was nearly full.
        Auto = "auto",
    }
}

open_enum! {
    /// How a hook ended.
    pub enum HookOutcome {
        /// It had nothing against it.
        Success = "success",
        /// It said no.
        Blocked = "blocked",
        /// It failed; that does not stop anything.
        Failed = "failed",
        /// It was stopped.
        Cancelled = "cancelled",
    }
}
