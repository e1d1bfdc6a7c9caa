//! What a hook says with its exit code and its output.
//!
//! Code 0 lets its words count, code 2 is a no. Everything else, and words that begin like JSON and
//! are not the JSON we know, is a hook that broke down; who asked for a guard wants no call to slip
//! by a broken one.

use exec::{Exit, Finished};
use policy::Verdict;
use serde::Deserialize;
use serde_json::{Map, Value};
use tools::{Moment, Opinion, Ruling};

/// More than this of any one text is left out.
const TEXT_CAP: usize = 10_000;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Output {
    r#continue: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    /// The older way of saying it.
    decision: Option<Older>,
    reason: Option<String>,
    hook_specific_output: Option<Specific>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Older {
    #[serde(alias = "allow")]
    Approve,
    #[serde(alias = "deny")]
    Block,
    Ask,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Specific {
    hook_event_name: Option<String>,
    permission_decision: Option<Decision>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Map<String, Value>>,
    additional_context: Option<String>,
    decision: Option<Behaviour>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Decision {
    Allow,
    Deny,
    Ask,
    /// Somebody else is to decide later; here that is the user.
    Defer,
}

/// The answer to a question, in the user's place.
#[derive(Deserialize)]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Behaviour {
    Allow { updated_input: Option<Map<String, Value>> },
    Deny { message: Option<String>, interrupt: Option<bool> },
}

/// The name of the event, as hooks know it.
pub(super) fn event(moment: Moment) -> &'static str {
    match moment {
        Moment::BeforeCall => "PreToolUse",
        Moment::BeforeAsk => "PermissionRequest",
    }
}

/// What a hook said; the error ends a sentence that begins with its name.
pub(super) fn read(moment: Moment, finished: &Finished) -> Result<Opinion, String> {
    match finished.status {
        Exit::Code(0) => parse(moment, &finished.stdout),
        Exit::Code(2) => Ok(refusal(moment, finished)),
        Exit::Code(code) => Err(format!("ended with exit code {code}{}", said(&finished.stderr))),
        Exit::Signal(signal) => Err(format!("was ended by signal {signal}")),
        Exit::TimedOut => Err("did not answer in time".to_owned()),
        Exit::Cancelled => Err("was stopped".to_owned()),
    }
}

/// A no by exit code. What the hook printed can say why, but cannot take the no back.
fn refusal(moment: Moment, finished: &Finished) -> Opinion {
    let printed = parse(moment, &finished.stdout).unwrap_or_default();
    let written = finished.stderr.trim();
    let reason = match printed.ruling {
        _ if !written.is_empty() => cap(written),
        Some(ruling) => ruling.reason,
        None => String::new(),
    };
    let ruling = Some(Ruling { verdict: Verdict::Deny, reason });
    Opinion { ruling, input: None, ..printed }
}

/// The last line of what it complained about.
fn said(stderr: &str) -> String {
    let line = stderr.trim().lines().next_back().unwrap_or_default();
    if line.is_empty() { String::new() } else { format!(" ({})", cap(line)) }
}

fn parse(moment: Moment, stdout: &str) -> Result<Opinion, String> {
    let stdout = stdout.trim();
    if !stdout.starts_with('{') {
        return Ok(Opinion::default());
    }
    let output: Output = serde_json::from_str(stdout)
        .map_err(|error| format!("printed JSON that cannot be understood: {error}"))?;
    let specific = output.hook_specific_output.unwrap_or_default();
    if let Some(name) = specific.hook_event_name.filter(|name| name != event(moment)) {
        return Err(format!("answered about {name}, but was asked about {}", event(moment)));
    }
    let mut opinion = Opinion {
        context: specific.additional_context.as_deref().map(cap),
        notice: output.system_message.as_deref().map(cap),
        ..Opinion::default()
    };
    let older = output.decision.map(|older| (verdict_of(older), output.reason.clone()));
    let (ruling, input) = match moment {
        Moment::BeforeCall => {
            let newer = specific.permission_decision.map(|decision| {
                let verdict = match decision {
                    Decision::Allow => Verdict::Allow,
                    Decision::Deny => Verdict::Deny,
                    Decision::Ask | Decision::Defer => Verdict::Ask,
                };
                (verdict, specific.permission_decision_reason.clone().or(output.reason))
            });
            (newer.or(older), specific.updated_input)
        }
        Moment::BeforeAsk => match specific.decision {
            Some(Behaviour::Allow { updated_input }) => {
                (Some((Verdict::Allow, None)), updated_input)
            }
            Some(Behaviour::Deny { message, interrupt }) => {
                if interrupt == Some(true) {
                    opinion.stop = Some(message.as_deref().map_or_else(stopped, cap));
                }
                (Some((Verdict::Deny, message)), None)
            }
            None => (older, None),
        },
    };
    opinion.ruling = ruling.map(|(verdict, reason)| Ruling {
        verdict,
        reason: reason.as_deref().map(cap).unwrap_or_default(),
    });
    opinion.input = input.map(Value::Object);
    if output.r#continue == Some(false) {
        opinion.stop = Some(output.stop_reason.as_deref().map_or_else(stopped, cap));
    }
    Ok(opinion)
}

fn verdict_of(older: Older) -> Verdict {
    match older {
        Older::Approve => Verdict::Allow,
        Older::Block => Verdict::Deny,
        Older::Ask => Verdict::Ask,
    }
}

fn stopped() -> String {
    "a hook asked for it.".to_owned()
}

fn cap(text: &str) -> String {
    let head = &text[..text.floor_char_boundary(TEXT_CAP)];
    if head.len() == text.len() { text.to_owned() } else { format!("{head}…") }
}

#[cfg(test)]
mod tests;
