//! Why a turn asks the model once more, and why it ends: every reason there is, by name.

use crate::spending::Spending;
use crate::stream::ModelError;

/// Why the model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The user said something.
    Prompt,
    /// The results of its calls are there.
    NextTurn,
    /// It was done, but the user had added something.
    Steered,
    /// It paused, and gets its own answer back.
    Paused,
    /// The last attempt failed.
    Retry,
    /// Another model stands in.
    Fallback,
    CollapseDrainRetry,
    ReactiveCompactRetry,
    MediaStripRetry,
    /// The same request, with room for a longer answer.
    MaxOutputTokensEscalate,
    /// It was cut off and is to go on from there.
    MaxOutputTokensRecovery,
    /// It said nothing at all.
    EmptyAnswer,
    StopHookBlocking,
    TokenBudgetContinuation,
    /// Its answer did not follow the schema.
    StructuredOutputRetry,
}

impl Why {
    pub fn name(self) -> &'static str {
        match self {
            Why::Prompt => "prompt",
            Why::NextTurn => "next_turn",
            Why::Steered => "steered",
            Why::Paused => "paused",
            Why::Retry => "retry",
            Why::Fallback => "fallback",
            Why::CollapseDrainRetry => "collapse_drain_retry",
            Why::ReactiveCompactRetry => "reactive_compact_retry",
            Why::MediaStripRetry => "media_strip_retry",
            Why::MaxOutputTokensEscalate => "max_output_tokens_escalate",
            Why::MaxOutputTokensRecovery => "max_output_tokens_recovery",
            Why::EmptyAnswer => "empty_answer",
            Why::StopHookBlocking => "stop_hook_blocking",
            Why::TokenBudgetContinuation => "token_budget_continuation",
            Why::StructuredOutputRetry => "structured_output_retry",
        }
    }

    /// The same question once more, in place of an answer that never came.
    pub fn repeats(self) -> bool {
        matches!(
            self,
            Why::Retry
                | Why::Fallback
                | Why::CollapseDrainRetry
                | Why::ReactiveCompactRetry
                | Why::MediaStripRetry
                | Why::MaxOutputTokensEscalate
        )
    }

    /// What happens in every turn is not worth a line in the journal.
    pub fn is_unusual(self) -> bool {
        !matches!(self, Why::Prompt | Why::NextTurn | Why::Steered | Why::Paused)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    pub reason: EndReason,
    /// Summed over all requests of the turn.
    pub spent: Spending,
    /// How many answers the model gave.
    pub answers: u32,
    pub error: Option<ModelError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    Completed,
    /// Cut off, and still so after it was told to go on.
    MaxOutputTokens,
    MaxTurns,
    BudgetExhausted,
    Refusal,
    AbortedStreaming,
    AbortedTools,
    PromptTooLong,
    /// The window is full before the model was even asked.
    BlockingLimit,
    /// An image or a document that the provider does not take.
    ImageError,
    ModelError,
    /// The model made the same failing call over and over.
    RepeatedFailure,
    StructuredOutputRetryExhausted,
    StopHookPrevented,
    HookStopped,
    /// A call waits for a decision that somebody makes later.
    ToolDeferred,
}

impl EndReason {
    /// As the journal and the result of a headless run spell it.
    pub fn name(self) -> &'static str {
        match self {
            EndReason::Completed => "completed",
            EndReason::MaxOutputTokens => "max_output_tokens",
            EndReason::MaxTurns => "max_turns",
            EndReason::BudgetExhausted => "budget_exhausted",
            EndReason::Refusal => "refusal",
            EndReason::AbortedStreaming => "aborted_streaming",
            EndReason::AbortedTools => "aborted_tools",
            EndReason::PromptTooLong => "prompt_too_long",
            EndReason::BlockingLimit => "blocking_limit",
            EndReason::ImageError => "image_error",
            EndReason::ModelError => "model_error",
            EndReason::RepeatedFailure => "malformed_tool_use_exhausted",
            EndReason::StructuredOutputRetryExhausted => "structured_output_retry_exhausted",
            EndReason::StopHookPrevented => "stop_hook_prevented",
            EndReason::HookStopped => "hook_stopped",
            EndReason::ToolDeferred => "tool_deferred",
        }
    }

    /// The fewer reasons that clients know.
    pub fn stop_reason(self) -> &'static str {
        match self {
            EndReason::Completed => "end_turn",
            EndReason::MaxOutputTokens => "max_tokens",
            EndReason::MaxTurns => "max_turns",
            EndReason::BudgetExhausted => "max_budget",
            EndReason::Refusal => "refusal",
            EndReason::AbortedStreaming | EndReason::AbortedTools => "cancelled",
            EndReason::PromptTooLong | EndReason::BlockingLimit => "prompt_too_long",
            EndReason::ImageError
            | EndReason::ModelError
            | EndReason::RepeatedFailure
            | EndReason::StructuredOutputRetryExhausted => "model_error",
            EndReason::StopHookPrevented | EndReason::HookStopped => "hook_stopped",
            EndReason::ToolDeferred => "tool_deferred",
        }
    }

    pub fn is_abort(self) -> bool {
        matches!(self, EndReason::AbortedStreaming | EndReason::AbortedTools)
    }
}
