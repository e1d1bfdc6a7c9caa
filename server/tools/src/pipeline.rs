//! The one way a call goes: schema, the tool's own checks, policy, the user, the journal, the run,
//! the result's budget. There is no other way to run a tool.

use std::borrow::Cow;
use std::path::PathBuf;

use agent::ResultPart;
use agent::turn::{CallOutcome, ToolCall};
use futures::future::BoxFuture;
use policy::{Decision, Redactor, Verdict};
use serde_json::Value;

use crate::context::{Context, Todo};
use crate::registry::Registry;
use crate::tool::{FileChange, Kind, Outcome, Plan, Preview, Problem};

/// More of a result than this would crowd out the conversation.
const RESULT_CAP: usize = 100_000;

/// What the session does for a call on its way: ask, write down, show.
pub trait Gate: Send + Sync {
    /// The plan is known; the call waits for what follows.
    fn planned<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, ()>;

    /// Asks the user. Nobody there means no.
    fn ask<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Answer>;

    /// Writes the decision down; the call acts only after this returned `Ok`.
    fn record<'a>(
        &'a self,
        call: &'a ToolCall,
        allowed: bool,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), Problem>>;

    /// The call acts from here on.
    fn running<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ()>;
}

/// What is to be decided about.
pub struct Proposal<'a> {
    pub call: &'a ToolCall,
    pub title: &'a str,
    pub kind: Kind,
    pub preview: &'a Preview,
    pub locations: &'a [PathBuf],
    pub decision: &'a Decision,
}

/// The user's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// `reason` says who allowed it and how long that holds.
    Allow { reason: String, edited_input: Option<Value> },
    /// `feedback` is what the user wants instead.
    Deny { reason: String, feedback: Option<String> },
    /// The turn was cancelled while the question stood.
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStatus {
    Completed,
    Failed,
    Denied,
    Cancelled,
}

/// How a call ended: for the model, and for people.
#[derive(Clone, Debug, PartialEq)]
pub struct CallReport {
    pub status: CallStatus,
    pub outcome: CallOutcome,
    pub diffs: Vec<FileChange>,
    pub exit_code: Option<i32>,
    pub todos: Option<Vec<Todo>>,
}

impl CallReport {
    fn ended(status: CallStatus, message: impl Into<String>) -> Self {
        Self {
            status,
            outcome: CallOutcome::error(message),
            diffs: Vec::new(),
            exit_code: None,
            todos: None,
        }
    }

    /// The tool itself broke down: our bug, told as such.
    pub fn crashed(what: &str) -> Self {
        let message = format!("The tool broke down ({what}). Try another way, and report this.");
        Self::ended(CallStatus::Failed, message)
    }

    pub fn cancelled() -> Self {
        Self::ended(
            CallStatus::Cancelled,
            "This call was stopped before it finished; what it had done by then is unknown.",
        )
    }

    /// Neither the model nor the journal gets to see a secret that a tool came across.
    fn redact(&mut self, redactor: &Redactor) {
        for part in &mut self.outcome.content {
            if let ResultPart::Text { text } = part
                && let Cow::Owned(redacted) = redactor.redact(text)
            {
                *text = redacted;
            }
        }
    }
}

/// Takes a call from the model's words to its result. Never fails: whatever goes wrong is a
/// result that tells the model what to do about it.
pub async fn run_call(
    registry: &Registry,
    call: ToolCall,
    cx: Context,
    gate: &dyn Gate,
) -> CallReport {
    let cancel = cx.cancel.clone();
    let redactor = cx.session.redactor();
    let cx = Context { progress: cx.progress.redacted(&redactor), ..cx };
    let whole = async {
        match permitted(registry, call, &cx, gate).await {
            // A stop that came while the permission was written down still counts.
            Ok(_) if cx.cancel.is_cancelled() => CallReport::cancelled(),
            Ok((call, plan)) => {
                gate.running(&call).await;
                (plan.run)(cx).await.map_or_else(|problem| failed(&problem), finished)
            }
            Err(report) => report,
        }
    };
    // A tool that notices the cancel itself reports what it had; one that does not is dropped,
    // and dropping kills what it started.
    let grace = async {
        cancel.cancelled().await;
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    };
    let mut report = tokio::select! {
        report = whole => report,
        () = grace => CallReport::cancelled(),
    };
    if cancel.is_cancelled() && report.status == CallStatus::Failed {
        report.status = CallStatus::Cancelled;
    }
    report.redact(&redactor);
    report
}

/// Goes through everything that may stand in the way of a call.
async fn permitted(
    registry: &Registry,
    mut call: ToolCall,
    cx: &Context,
    gate: &dyn Gate,
) -> Result<(ToolCall, Plan), CallReport> {
    // Once more when the user edited the input: policy must see what will really run.
    for round in 0.. {
        let title = registry.title(&call.name, &call.input, cx.session.cwd());
        let kind = registry.kind(&call.name).unwrap_or(Kind::Think);
        let planned = registry.plan(&call, cx).await;
        let plan = planned.map_err(|problem| failed(&problem))?;
        let permissions = cx.session.permissions();
        let decision = policy::decide(
            &policy::Request {
                tool: &call.name,
                subjects: &plan.subjects,
                params: &scalars(&call.input),
            },
            &policy::Context {
                mode: permissions.mode,
                rules: &permissions.rules,
                roots: &permissions.roots,
                home: permissions.home.as_deref(),
            },
        );
        let proposal = Proposal {
            call: &call,
            title: &title,
            kind,
            preview: &plan.preview,
            locations: &plan.locations,
            decision: &decision,
        };
        gate.planned(&proposal).await;
        let answer = match decision.verdict {
            Verdict::Allow => Answer::Allow { reason: decision.reason.clone(), edited_input: None },
            Verdict::Deny => Answer::Deny { reason: decision.reason.clone(), feedback: None },
            // The user approved the edited input by writing it; only a deny rule still counts.
            Verdict::Ask if round > 0 => Answer::Allow {
                reason: "edited and allowed by the user".into(),
                edited_input: None,
            },
            Verdict::Ask => gate.ask(&proposal).await,
        };
        match answer {
            Answer::Allow { edited_input: Some(input), .. } if input != call.input => {
                call.input = input;
            }
            Answer::Allow { reason, .. } => {
                let recorded = gate.record(&call, true, &reason).await;
                return recorded.map(|()| (call, plan)).map_err(|problem| failed(&problem));
            }
            Answer::Deny { reason, feedback } => {
                return Err(deny(gate, &call, &reason, feedback).await);
            }
            Answer::Cancelled => break,
        }
    }
    Err(CallReport::cancelled())
}

/// The arguments of a call that are plain values; rules may name them.
fn scalars(input: &Value) -> Vec<(String, String)> {
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    };
    let fields = input.as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.clone(), plain(value)?))).collect()
}

async fn deny(
    gate: &dyn Gate,
    call: &ToolCall,
    reason: &str,
    feedback: Option<String>,
) -> CallReport {
    // A refusal stands whether or not it could be written down.
    if let Err(problem) = gate.record(call, false, reason).await {
        tracing::warn!(%problem, "a refusal could not be journalled");
    }
    let mut message = format!("This call was not allowed: {reason}");
    match feedback {
        Some(feedback) if !feedback.trim().is_empty() => {
            message.push_str("\nThe user says: ");
            message.push_str(feedback.trim());
        }
        _ => message.push_str("\nDo not try to get the same effect another way; ask what to do."),
    }
    CallReport::ended(CallStatus::Denied, message)
}

fn failed(problem: &Problem) -> CallReport {
    CallReport::ended(CallStatus::Failed, problem.to_string())
}

fn finished(outcome: Outcome) -> CallReport {
    let status = if outcome.is_error { CallStatus::Failed } else { CallStatus::Completed };
    let content = outcome.content.into_iter().map(cap).collect();
    CallReport {
        status,
        outcome: CallOutcome { content, is_error: outcome.is_error },
        diffs: outcome.diffs,
        exit_code: outcome.exit_code,
        todos: outcome.todos,
    }
}

/// A last line of defence; every tool has a limit of its own.
fn cap(part: ResultPart) -> ResultPart {
    match part {
        ResultPart::Text { text } if text.len() > RESULT_CAP => {
            let head = text.floor_char_boundary(RESULT_CAP);
            let left_out = text.len() - head;
            let text = format!("{}\n… {left_out} bytes left out …", &text[..head]);
            ResultPart::Text { text }
        }
        part => part,
    }
}
