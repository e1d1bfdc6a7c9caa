//! `result`: how a turn ended, what it came to and what it cost. Exactly one for each.

use std::time::{Duration, Instant};

use agent::StopReason as ApiStop;
use protocol::event::{StopReason, TurnEnded, Usage};
use protocol::session::SessionCostResult;
use serde_json::{Value, json};

use super::{Teller, retry};
use crate::doors::headless::model_usage;

/// What is known of the turn that runs.
#[derive(Default)]
pub(super) struct Account {
    /// The words of the model's last answer.
    pub(super) text: String,
    pub(super) denials: Vec<Value>,
    pub(super) cost: SessionCostResult,
    pub(super) compacting: bool,
    pub(super) compacting_since: Option<Instant>,
    /// A command that waits for what it began.
    pub(super) command: Option<(String, String)>,
    /// Time that the provider took.
    api: Duration,
    first_word: Option<Duration>,
    stop_reason: Option<Value>,
    /// The message that began it.
    message: Option<String>,
    results: u64,
}

impl Account {
    fn begin(&mut self, message: &str) {
        self.text.clear();
        self.denials.clear();
        (self.api, self.first_word, self.stop_reason) = (Duration::ZERO, None, None);
        self.message = Some(message.to_owned());
    }

    pub(super) fn first_word(&mut self, asked: Instant) {
        self.first_word.get_or_insert_with(|| asked.elapsed());
    }

    pub(super) fn answered(&mut self, asked: Instant, stop_reason: Option<&ApiStop>) {
        self.api += asked.elapsed();
        self.stop_reason = stop_reason.and_then(|reason| serde_json::to_value(reason).ok());
    }
}

/// How a turn ended, in the host's terms.
struct Verdict {
    subtype: &'static str,
    is_error: bool,
    /// The answer, or why there is none.
    text: String,
}

impl Teller {
    pub(super) fn turn_started(&mut self, message_id: &str) {
        self.owed.turn_started(message_id);
        self.account.begin(message_id);
    }

    pub(super) fn turn_ended(&mut self, ended: &TurnEnded) {
        self.owed.turn_ended();
        let verdict = self.verdict(ended);
        self.shared.provider_took(millis(self.account.api));
        if let Some(error) = &ended.error {
            self.say_error(error);
        }
        let mut result = json!({
            "stop_reason": self.account.stop_reason.clone()
                .unwrap_or_else(|| ended.stop_reason.as_str().into()),
            "duration_ms": ended.duration_ms,
            "duration_api_ms": millis(self.account.api),
            "num_turns": ended.answers.unwrap_or_default(),
            "terminal_reason": terminal(ended),
        });
        if let Some(first) = self.account.first_word {
            result["ttft_ms"] = millis(first).into();
        }
        if let Some(status) = ended.error.as_ref().and_then(|error| error.status) {
            result["api_error_status"] = status.into();
        }
        if let Some(schema) = self.schema.as_ref().filter(|_| !verdict.is_error)
            && let Ok(value) = schema.read(&self.account.text)
        {
            result["structured_output"] = value;
        }
        result["user_message_uuid"] = self.account.message.clone().into();
        self.say_result(&verdict, result, &ended.usage);
    }

    fn verdict(&self, ended: &TurnEnded) -> Verdict {
        let error = ended.error.as_ref().map(|error| error.message.clone());
        let said = |text: &str| error.clone().unwrap_or_else(|| text.to_owned());
        let reason = ended.terminal_reason.as_deref();
        let (subtype, is_error, text) = match &ended.stop_reason {
            StopReason::MaxTurns => {
                ("error_max_turns", true, said("The limit of turns was reached (--max-turns)."))
            }
            StopReason::MaxBudget => {
                let why = "The budget was used up (--max-budget-usd, --task-budget).";
                ("error_max_budget_usd", true, said(why))
            }
            // Whoever stopped it knows, and did not mean it as a failure.
            StopReason::Cancelled => {
                ("error_during_execution", false, "[Request interrupted by user]".to_owned())
            }
            _ if reason == Some("structured_output_retry_exhausted") => {
                let why = "The answer did not follow the schema.";
                ("error_max_structured_output_retries", true, said(why))
            }
            StopReason::ModelError | StopReason::PromptTooLong => {
                ("success", true, format!("API Error: {}", said("The model could not be asked.")))
            }
            StopReason::HookStopped | StopReason::Blocked => {
                ("error_during_execution", false, said("A hook stopped the turn."))
            }
            StopReason::EndTurn
            | StopReason::MaxTokens
            | StopReason::Refusal
            | StopReason::ToolDeferred => ("success", false, self.account.text.clone()),
            other => ("error_during_execution", true, said(other.as_str())),
        };
        Verdict { subtype, is_error, text }
    }

    /// Hosts show a failure like an answer, with its kind.
    fn say_error(&mut self, error: &protocol::event::Problem) {
        let text = format!("API Error: {}", error.message);
        self.push(json!({
            "type": "assistant",
            "message": {
                "id": super::ids::fresh(),
                "type": "message",
                "role": "assistant",
                "model": "<synthetic>",
                "content": [{ "type": "text", "text": text }],
                "stop_reason": "stop_sequence",
                "stop_sequence": "",
                "usage": usage(&Usage::default()),
            },
            "parent_tool_use_id": null,
            "error": retry::kind(&error.kind, error.status),
        }));
    }

    /// A prompt that was a command, or was not taken.
    pub(super) fn local_result(&mut self, command: &str, text: &str, failed: bool) {
        let verdict = Verdict { subtype: "success", is_error: failed, text: text.to_owned() };
        let more = json!({
            "stop_reason": null,
            "duration_ms": 0,
            "duration_api_ms": 0,
            "num_turns": 0,
            "terminal_reason": "completed",
            "local_command": command,
        });
        self.say_result(&verdict, more, &Usage::default());
    }

    pub(super) fn refused(&mut self, uuid: &str, problem: &str) {
        self.owed.dropped(uuid);
        self.ours.remove(uuid);
        self.work_begins();
        self.say_init();
        self.say_setup_failed(problem, None);
    }

    /// The session could not begin: the host gets a result all the same.
    pub(super) fn failed(&mut self, problem: String) {
        self.say_setup_failed(&problem, Some("session_open_failed"));
        self.failure = Some(problem);
    }

    fn say_setup_failed(&mut self, problem: &str, reason: Option<&str>) {
        let subtype = "error_during_execution";
        let verdict = Verdict { subtype, is_error: true, text: problem.to_owned() };
        let mut more = json!({
            "stop_reason": null,
            "duration_ms": millis(self.began.elapsed()),
            "duration_api_ms": 0,
            "num_turns": 0,
            "terminal_reason": "turn_setup_failed",
        });
        if let Some(reason) = reason {
            more["startup_failure_reason"] = reason.into();
        }
        self.say_result(&verdict, more, &Usage::default());
    }

    fn say_result(&mut self, verdict: &Verdict, more: Value, used: &Usage) {
        self.exit_code = u8::from(verdict.is_error);
        let mut result = json!({
            "type": "result",
            "subtype": verdict.subtype,
            "is_error": verdict.is_error,
            "total_cost_usd": self.account.cost.cost_usd,
            "usage": usage(used),
            "modelUsage": model_usage(&self.account.cost),
            "permission_denials": std::mem::take(&mut self.account.denials),
            "queued_turn_count": self.owed.queued(),
            "result_index": self.account.results,
        });
        self.account.results += 1;
        match verdict.subtype {
            "success" => result["result"] = verdict.text.clone().into(),
            _ => result["errors"] = json!([verdict.text]),
        }
        if let (Value::Object(result), Value::Object(more)) = (&mut result, more) {
            result.extend(more);
        }
        self.push(result);
    }
}

/// The host's list has fewer reasons than ours.
fn terminal(ended: &TurnEnded) -> Option<&str> {
    match ended.terminal_reason.as_deref() {
        Some("max_output_tokens" | "refusal") => Some("completed"),
        Some("model_error") => Some("api_error"),
        reason => reason,
    }
}

fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "output_tokens": usage.output_tokens,
        "server_tool_use": { "web_search_requests": 0, "web_fetch_requests": 0 },
        "service_tier": "standard",
    })
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
