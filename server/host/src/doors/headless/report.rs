//! What a run without a screen gives back: the answer as text, or everything as JSON.

use std::borrow::Cow;
use std::collections::BTreeSet;

use protocol::EventBody;
use protocol::event::{CompactionEnded, MessageEnded, Retry, StopReason, TurnEnded};
use protocol::session::SessionCostResult;
use protocol::snapshot::Role;
use protocol::tasks::TaskKind;
use protocol::tool::ToolStatus;
use serde_json::{Map, Value, json};

use crate::session::AnswerSchema;
use crate::terminal::Interrupt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OutputFormat {
    /// The answer, and nothing else.
    Text,
    /// One JSON object with the answer, the cost and what was denied.
    Json,
    /// Every message as a line of JSON, as it comes: for programs that drive Bowline.
    StreamJson,
}

/// Collected from the events of one turn.
pub struct Report {
    session_id: String,
    /// The last message of the model: what a script wants.
    answer: String,
    calls: Map<String, Value>,
    denials: Vec<Value>,
    ended: Option<TurnEnded>,
    /// The prompt was a command, which has said what it has to say.
    handled: bool,
    /// What the command began is not over yet.
    compacting: bool,
    failed: bool,
    /// What the session has cost, with all that was asked beside the conversation.
    cost: Option<SessionCostResult>,
    interrupt: Option<Interrupt>,
    /// Agents that work in the background: what they say is part of the answer.
    agents: BTreeSet<String>,
    schema: Option<AnswerSchema>,
}

/// A request that failed is sent again: for people who watch.
pub(super) fn retry(retry: &Retry) -> String {
    let seconds = retry.delay_ms.div_ceil(1000);
    format!("{} Trying again in {seconds} s (attempt {}).", retry.error.message, retry.attempt)
}

pub(in crate::doors) fn summed_up(ended: &CompactionEnded) -> String {
    match &ended.error {
        Some(error) => format!("The conversation was not summed up: {}", error.message),
        None if ended.summary.is_none() => "The conversation was not summed up.".to_owned(),
        None => format!("Summed up: {} tokens became {}.", ended.before, ended.after),
    }
}

/// What was used by model, in the official names.
pub(in crate::doors) fn model_usage(cost: &SessionCostResult) -> Map<String, Value> {
    let models = cost.models.iter().map(|used| {
        let value = json!({
            "inputTokens": used.usage.input_tokens,
            "outputTokens": used.usage.output_tokens,
            "cacheReadInputTokens": used.usage.cache_read_tokens,
            "cacheCreationInputTokens": used.usage.cache_write_tokens,
            "webSearchRequests": used.web_searches.unwrap_or_default(),
            "costUSD": used.cost_usd,
            "contextWindow": used.window,
            "maxOutputTokens": used.max_output,
        });
        (used.model.clone(), value)
    });
    models.collect()
}

impl Report {
    pub(super) fn new(session_id: String, schema: Option<AnswerSchema>) -> Self {
        let (calls, denials) = Default::default();
        let (answer, ended, cost, interrupt) = (String::new(), None, None, None);
        let (handled, compacting, failed) = (false, false, false);
        Self {
            session_id,
            answer,
            calls,
            denials,
            ended,
            cost,
            handled,
            compacting,
            failed,
            interrupt,
            agents: BTreeSet::new(),
            schema,
        }
    }

    pub(super) fn on(&mut self, event: &EventBody) {
        match event {
            EventBody::MessageStarted(started) if started.role == Role::Assistant => {
                self.answer.clear();
            }
            EventBody::MessageDelta(delta) => self.answer.push_str(&delta.text),
            // A hook wrote it anew, so there were no deltas.
            EventBody::MessageEnded(MessageEnded { text: Some(text), .. }) => {
                self.answer.push_str(text);
            }
            EventBody::MessageRetracted(_) => self.answer.clear(),
            EventBody::ToolStarted(started) => {
                let call =
                    json!({ "tool_name": started.name, "tool_use_id": started.tool_call_id });
                self.calls.insert(started.tool_call_id.clone(), call);
            }
            EventBody::ToolUpdated(update) => {
                let call = self.calls.get_mut(&update.tool_call_id);
                if let (Some(call), Some(input)) = (call, &update.input) {
                    call["tool_input"] = input.clone();
                }
            }
            EventBody::ToolEnded(ended) => {
                let call = self.calls.remove(&ended.tool_call_id);
                self.denials.extend(call.filter(|_| ended.status == ToolStatus::Denied));
            }
            // An agent that has ended wakes the session.
            EventBody::TurnStarted(_) => self.ended = None,
            EventBody::TurnEnded(ended) => self.ended = Some(ended.clone()),
            EventBody::TaskStarted(started)
                if matches!(started.task.kind, TaskKind::Agent | TaskKind::Mcp) =>
            {
                self.agents.insert(started.task.task_id.clone());
            }
            EventBody::TaskEnded(ended) => {
                self.agents.remove(&ended.task.task_id);
            }
            EventBody::CommandOutput(output) => {
                self.answer.clone_from(&output.text);
                self.handled = true;
            }
            EventBody::CompactionStarted(_) => self.compacting = true,
            EventBody::CompactionEnded(ended) => {
                self.compacting = false;
                if self.handled {
                    self.answer = summed_up(ended);
                    self.failed |= ended.summary.is_none();
                }
            }
            _ => {}
        }
    }

    pub(super) fn spent(&mut self, cost: Option<SessionCostResult>) {
        self.cost = cost;
    }

    pub(super) fn interrupted(&mut self, interrupt: Interrupt) {
        self.interrupt = Some(interrupt);
    }

    pub(super) fn is_complete(&self) -> bool {
        let waits = !self.agents.is_empty() && self.interrupt.is_none();
        (self.ended.is_some() && !waits) || (self.handled && !self.compacting)
    }

    /// The turn is over, and only agents are still at work.
    pub(super) fn only_waits(&self) -> bool {
        self.ended.is_some() && !self.is_complete()
    }

    /// Zero for an answer, one for an error, 128 plus the signal for an interrupt.
    pub fn exit_code(&self) -> u8 {
        match self.interrupt {
            Some(interrupt) => interrupt.exit_code(),
            None => u8::from(self.is_error()),
        }
    }

    fn is_error(&self) -> bool {
        if self.handled {
            return self.failed;
        }
        let reason = self.ended.as_ref().map(|ended| &ended.stop_reason);
        use StopReason::{EndTurn, MaxTokens, Refusal, ToolDeferred};
        !matches!(reason, Some(EndTurn | MaxTokens | Refusal | ToolDeferred))
    }

    /// The answer, or why there is none.
    fn result(&self) -> &str {
        let Some(ended) = &self.ended else { return &self.answer };
        match (&ended.error, &ended.stop_reason) {
            (Some(error), _) => &error.message,
            (None, StopReason::MaxTurns) => {
                "The limit of turns was reached (--max-turns) before the work was done."
            }
            (None, StopReason::MaxBudget) => {
                "The budget was used up (--max-budget-usd, --task-budget) before the work was done."
            }
            (None, StopReason::Cancelled) => "The run was interrupted.",
            (None, StopReason::ToolDeferred) => {
                "A hook put a call off. Resume the session (--resume) when it is decided about."
            }
            _ => &self.answer,
        }
    }

    pub fn print(&self, format: OutputFormat) -> Cow<'_, str> {
        match format {
            OutputFormat::Text => Cow::Borrowed(self.result()),
            OutputFormat::Json | OutputFormat::StreamJson => Cow::Owned(self.json().to_string()),
        }
    }

    /// The call that ended the turn, as the Messages API names its parts.
    fn deferred(&self) -> Value {
        let call = self.denials.last().cloned().unwrap_or_default();
        json!({ "id": call["tool_use_id"], "name": call["tool_name"], "input": call["tool_input"] })
    }

    fn json(&self) -> Value {
        let ended = self.ended.as_ref();
        let usage = ended.map(|ended| ended.usage.clone()).unwrap_or_default();
        let terminal = ended.and_then(|ended| ended.terminal_reason.as_deref());
        let subtype = match ended.map(|ended| &ended.stop_reason) {
            Some(StopReason::MaxTurns) => "error_max_turns",
            Some(StopReason::MaxBudget) => "error_max_budget_usd",
            _ if terminal == Some("structured_output_retry_exhausted") => {
                "error_max_structured_output_retries"
            }
            // The official result shape: the request failed, and `result` says how.
            Some(StopReason::ModelError | StopReason::PromptTooLong) => "success",
            _ if self.is_error() => "error_during_execution",
            _ => "success",
        };
        let mut result = json!({
            "type": "result",
            "subtype": subtype,
            "is_error": self.is_error(),
            "result": self.result(),
            "stop_reason": ended.map(|ended| ended.stop_reason.as_str()),
            "session_id": self.session_id,
            "num_turns": ended.and_then(|ended| ended.answers),
            "duration_ms": ended.map(|ended| ended.duration_ms),
            "total_cost_usd": self.cost.as_ref().map(|cost| cost.cost_usd),
            "usage": {
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cache_read_input_tokens": usage.cache_read_tokens,
                "cache_creation_input_tokens": usage.cache_write_tokens,
            },
            "modelUsage": self.cost.as_ref().map(model_usage).unwrap_or_default(),
            "permission_denials": self.denials,
            "terminal_reason": terminal,
        });
        if ended.is_some_and(|ended| ended.stop_reason == StopReason::ToolDeferred) {
            result["deferred_tool_use"] = self.deferred();
        }
        if let Some(Ok(value)) = self.schema.as_ref().map(|schema| schema.read(&self.answer)) {
            result["structured_output"] = value;
        }
        result
    }
}
