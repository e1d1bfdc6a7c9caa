//! The one way a call goes: schema, the tool's own checks, guards and policy, the user, the journal,
//! the run, the result's budget. There is no other way to run a tool.

mod bound;
mod way;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent::ResultPart;
use agent::turn::{CallOutcome, ToolCall};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::{Decision, Mode, Redactor, Subject};
use serde_json::Value;

use crate::board::Board;
use crate::context::{Context, Todo};
use crate::guard::Guards;
use crate::registry::Registry;
use crate::show::reminder;
use crate::tool::{FileChange, Kind, Outcome, Preview, Problem};
pub(crate) use way::scalars;
use way::{After, Denial, Stop, Way};

/// More of a result than this would crowd out the conversation.
const RESULT_CAP: usize = 100_000;

/// What the session does for a call on its way: ask, write down, show.
pub trait Gate: Send + Sync {
    /// The plan is known; the call waits for what follows.
    fn planned<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, ()>;

    /// Those who look at every call.
    fn guards(&self) -> &Guards;

    /// Asks auto mode's check, in place of the user.
    fn judge<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Judgement>;

    /// A guard has something to say to the user.
    fn tell_user<'a>(&'a self, call: &'a ToolCall, text: String) -> BoxFuture<'a, ()>;

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

    /// Whether anybody looks at results.
    fn hears_results(&self) -> bool {
        false
    }

    /// The call is over; whoever looks at results may add to this one, or change it.
    fn ended<'a>(&'a self, _: EndedCall<'a>) -> BoxFuture<'a, Amended> {
        std::future::ready(Amended::default()).boxed()
    }
}

/// A call that is over, as those see it who look at results.
#[derive(Clone, Copy)]
pub struct EndedCall<'a> {
    /// As it was run.
    pub call: &'a ToolCall,
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    pub mode: Mode,
    pub subjects: &'a [Subject],
    pub report: &'a CallReport,
    pub duration: Duration,
}

/// What they make of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amended {
    /// What the model reads in place of the text of the result.
    pub text: Option<String>,
    /// For the model, with the result.
    pub context: Vec<String>,
    /// The whole turn should end here, with this as its reason.
    pub stop: Option<String>,
}

/// What is to be decided about.
pub struct Proposal<'a> {
    pub call: &'a ToolCall,
    pub title: &'a str,
    pub kind: Kind,
    /// What it touches, after links.
    pub subjects: &'a [Subject],
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

/// What auto mode's check says about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Allow {
        reason: String,
    },
    Deny {
        reason: String,
    },
    /// It did not answer, or not clearly: a person has to. `why` is a sentence for them.
    Unclear {
        why: String,
    },
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
    pub board: Option<Board>,
    pub loaded: Vec<String>,
    /// A guard ends the whole turn with this call, for this reason.
    pub stop: Option<String>,
    /// Auto mode's own check said no.
    pub checked_away: bool,
}

impl CallReport {
    fn ended(status: CallStatus, message: impl Into<String>) -> Self {
        Self {
            status,
            outcome: CallOutcome::error(message),
            diffs: Vec::new(),
            exit_code: None,
            todos: None,
            board: None,
            loaded: Vec::new(),
            stop: None,
            checked_away: false,
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

    /// The text of the result is this instead; pictures stay.
    fn reword(&mut self, text: String) {
        let content = &mut self.outcome.content;
        content.retain(|part| !matches!(part, ResultPart::Text { .. }));
        content.insert(0, cap(ResultPart::Text { text }));
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
        let started = Instant::now();
        let (mut call, mut way) = (call, Way::new(registry, &cx, gate));
        registry.strip(&mut call);
        let permitted = way.go(&mut call).await;
        let context = std::mem::take(&mut way.context);
        let mut subjects = Vec::new();
        let mut report = match permitted {
            // A stop that came while the permission was written down still counts.
            Ok(_) if cx.cancel.is_cancelled() => CallReport::cancelled(),
            Ok(plan) => {
                subjects = plan.subjects;
                gate.running(&call).await;
                (plan.run)(cx.clone()).await.map_or_else(|problem| failed(&problem), finished)
            }
            Err(Stop::Failed(problem)) => failed(&problem),
            Err(Stop::Denied(denial)) => deny(gate, &call, denial).await,
            Err(Stop::Cancelled) => CallReport::cancelled(),
        };
        if !gate.hears_results() {
            return with_context(report, &context);
        }
        // Nobody else sees a secret either.
        report.redact(&redactor);
        let permissions = cx.permissions();
        let ended = EndedCall {
            call: &call,
            cwd: cx.session.cwd(),
            home: permissions.home.as_deref(),
            mode: permissions.mode,
            subjects: &subjects,
            report: &report,
            duration: started.elapsed(),
        };
        let Amended { text, context: more, stop } = gate.ended(ended).await;
        if let Some(text) = text {
            report.reword(text);
        }
        report.stop = report.stop.or(stop);
        with_context(with_context(report, &context), &more)
    };
    // A tool that notices the cancel itself reports what it had; one that does not is dropped,
    // and dropping kills what it started.
    let grace = async {
        cancel.cancelled().await;
        tokio::time::sleep(Duration::from_secs(3)).await;
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

async fn deny(gate: &dyn Gate, call: &ToolCall, denial: Denial) -> CallReport {
    let Denial { reason, after, checked_away } = denial;
    // A refusal stands whether or not it could be written down.
    if let Err(problem) = gate.record(call, false, &reason).await {
        tracing::warn!(%problem, "a refusal could not be journalled");
    }
    let (then, stop) = match after {
        After::AskUser(Some(feedback)) if !feedback.trim().is_empty() => {
            (format!("The user says: {}", feedback.trim()), None)
        }
        After::AskUser(_) => {
            let then = "Do not try to get the same effect another way; ask what to do.";
            (then.to_owned(), None)
        }
        After::GoOn => {
            let then = "Follow that reason, or go on with other work. Do not try to get the same \
                        effect another way; if you need it, ask the user.";
            (then.to_owned(), None)
        }
        After::End(stop) => ("The turn ends here.".to_owned(), Some(stop)),
    };
    let message = format!("This call was not allowed: {reason}\n{then}");
    CallReport { stop, checked_away, ..CallReport::ended(CallStatus::Denied, message) }
}

/// What guards tell the model comes with the result, whatever it is.
fn with_context(mut report: CallReport, context: &[String]) -> CallReport {
    let notes = context.iter().map(|note| ResultPart::Text { text: reminder(note) });
    report.outcome.content.extend(notes);
    report
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
        board: outcome.board,
        loaded: outcome.loaded,
        stop: None,
        checked_away: false,
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

#[cfg(test)]
mod tests;
