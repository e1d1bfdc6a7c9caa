//! `decide`: the one answer for every effect of every tool.
//!
//! The order is the same everywhere: deny rules, things never done, ask rules, protected things,
//! then the mode and the allow rules. A call with several subjects gets its strictest answer.

mod command;
mod decision;
mod file;
mod remote;

use std::path::{Path, PathBuf};

use crate::mode::Mode;
use crate::rules::{Behavior, Entry, Rules};
use crate::visible::visible;
use crate::wildcard::wildcard;
pub(crate) use command::only_looks;
pub use decision::{Decision, Verdict, Why};
pub use file::DeniedPaths;

/// One thing a tool call touches. Paths are absolute; `resolved` is the real path after links,
/// as the caller found it (for a file to be created: its real folder and the new name).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Read {
        path: PathBuf,
        resolved: PathBuf,
    },
    Edit {
        path: PathBuf,
        resolved: PathBuf,
        /// How many names the file has; 0 for one that is not there yet, or was not looked at.
        links: u64,
    },
    Command {
        command: String,
        cwd: PathBuf,
        run: Run,
    },
    Fetch {
        url: String,
    },
    /// Words that go to whoever searches the web.
    Search {
        query: String,
    },
    Mcp {
        server: String,
        tool: String,
        /// Why no rule and no mode may answer for the user, as a sentence.
        only_a_person: Option<String>,
    },
    Agent {
        name: String,
    },
    Skill {
        name: String,
    },
    /// Leaves plan mode, to carry a plan out.
    LeavePlan,
    /// Touches nothing outside the session.
    Internal,
}

/// How a command will run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Run {
    /// In the sandbox: the system itself keeps it in.
    Contained,
    /// In the sandbox, but asked about as if there were none: the settings want it so.
    Watched,
    /// No sandbox is on: rules and proof decide.
    #[default]
    Open,
    /// The model asks to leave the sandbox that is on.
    Escaping,
}

/// A tool call, reduced to what it touches.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub tool: &'a str,
    pub subjects: &'a [Subject],
    /// The call's own arguments that are plain values, for rules such as `Agent(model:opus)`.
    pub params: &'a [(String, String)],
}

/// What the answer depends on besides the call.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub mode: Mode,
    pub rules: &'a Rules,
    /// The working directory first, then the added directories; all real paths.
    pub roots: &'a [PathBuf],
    pub home: Option<&'a Path>,
}

/// Whether the call may run, must be asked about, or is refused.
pub fn decide(request: &Request<'_>, context: &Context<'_>) -> Decision {
    let decision = request
        .subjects
        .iter()
        .map(|subject| decide_subject(request.tool, subject, context))
        .reduce(Decision::and)
        .unwrap_or_else(|| without_subjects(request.tool, context));
    let decision = match by_params(request, context) {
        Some(named) => named.and(decision),
        None => decision,
    };
    let decision = match judged_anyway(request, context, &decision) {
        true => Decision::ask(Why::Mode, JUDGED_ANYWAY, Vec::new()),
        false => decision,
    };
    let decision = Decision { reason: visible(&decision.reason).into_owned(), ..decision };
    match (decision.verdict, context.mode) {
        (Verdict::Ask, _) if context.rules.limits().deny_instead_of_asking => Decision::deny(
            Why::Mode,
            format!("{} By the settings, what would be asked is denied.", decision.reason),
        ),
        (Verdict::Ask, Mode::DontAsk) => Decision::deny(
            Why::Mode,
            format!("{} In the mode dontAsk, what would be asked is denied.", decision.reason),
        ),
        _ => decision,
    }
}

const JUDGED_ANYWAY: &str = "The settings want every command judged in the mode auto.";

/// Whether a command that could just run is to be judged all the same.
fn judged_anyway(request: &Request<'_>, context: &Context<'_>, decision: &Decision) -> bool {
    let runs = |subject: &Subject| matches!(subject, Subject::Command { .. });
    context.mode == Mode::Auto
        && context.rules.limits().judge_all_commands
        && decision.verdict == Verdict::Allow
        && request.subjects.iter().any(runs)
}

/// Deny and ask rules that name an argument of the call: `Agent(model:opus)`.
fn by_params(request: &Request<'_>, context: &Context<'_>) -> Option<Decision> {
    let find = |behavior| {
        let named = |entry: &&Entry| entry.rule.names(request.tool);
        context.rules.with(behavior).filter(named).find(|entry| {
            entry.rule.param().is_some_and(|(name, value)| {
                request.params.iter().any(|(mine, given)| mine == name && wildcard(value, given))
            })
        })
    };
    match (find(Behavior::Deny), find(Behavior::Ask)) {
        (Some(entry), _) => Some(Decision::deny(Why::Rule, because(entry))),
        (None, Some(entry)) => Some(Decision::always_ask(Why::Rule, because(entry))),
        (None, None) => None,
    }
}

fn decide_subject(called: &str, subject: &Subject, context: &Context<'_>) -> Decision {
    match subject {
        Subject::Read { path, resolved } => {
            file::read(called, &file::Place { path, resolved, links: 0 }, context)
        }
        Subject::Edit { path, resolved, links } => {
            file::edit(called, &file::Place { path, resolved, links: *links }, context)
        }
        Subject::Command { command, cwd, run } => {
            command::decide(called, &command::Command { command, cwd, run: *run }, context)
        }
        Subject::Fetch { url } => remote::fetch(called, url, context),
        Subject::Search { query } => remote::search(called, query, context),
        Subject::Mcp { server, tool, only_a_person } => {
            let of_server = remote::Called { by: called, server, tool };
            remote::mcp(&of_server, only_a_person.as_deref(), context)
        }
        Subject::Agent { name } | Subject::Skill { name } => named(called, name, context),
        Subject::LeavePlan => leave_plan(called, context),
        Subject::Internal => internal(called, context),
    }
}

/// A call that does not say what it touches is judged by the bare rules alone.
fn without_subjects(tool: &str, context: &Context<'_>) -> Decision {
    match by_tool_name(tool, context) {
        decision if decision.verdict == Verdict::Deny => decision,
        _ => Decision::always_ask(
            Why::Unproven,
            format!("The tool {tool} does not say what it touches."),
        ),
    }
}

fn internal(tool: &str, context: &Context<'_>) -> Decision {
    by_tool_name(tool, context)
}

/// A plan is for the user to approve, whoever else might like it.
fn leave_plan(tool: &str, context: &Context<'_>) -> Decision {
    match by_tool_name(tool, context) {
        decision if decision.verdict == Verdict::Deny => decision,
        _ => Decision::always_ask(Why::Plan, "Once the plan is approved, files may be changed."),
    }
}

/// A tool whose rules name what it calls up: `Agent(Explore)`, `Skill(deploy)`, `Skill(deploy *)`.
fn named(tool: &str, name: &str, context: &Context<'_>) -> Decision {
    let speaks = |entry: &&Entry| {
        entry.rule.names(tool) && entry.rule.spec().is_none_or(|spec| names_it(spec, name))
    };
    let find = |behavior| context.rules.with(behavior).find(speaks);
    if let Some(entry) = find(Behavior::Deny) {
        return Decision::deny(Why::Rule, because(entry));
    }
    if let Some(entry) = find(Behavior::Ask) {
        return Decision::always_ask(Why::Rule, because(entry));
    }
    Decision::allow(Why::Internal, "What it does is decided call by call.")
}

/// Exactly, or up to a word's end with ` *`.
fn names_it(spec: &str, name: &str) -> bool {
    match spec.strip_suffix(" *").or_else(|| spec.strip_suffix(":*")) {
        Some(start) => {
            name.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        }
        None => spec == name,
    }
}

/// Deny and ask rules that speak about `tool` as a whole. A pattern nobody here can check still
/// counts: it asks, because ignoring it could run what it forbids.
fn by_tool_name(tool: &str, context: &Context<'_>) -> Decision {
    let names = |entry: &&Entry| entry.rule.names(tool) && entry.rule.param().is_none();
    let bare = |entry: &&Entry| entry.rule.names(tool) && entry.rule.spec().is_none();
    if let Some(entry) = context.rules.with(Behavior::Deny).find(bare) {
        return Decision::deny(Why::Rule, because(entry));
    }
    let strict = context.rules.with(Behavior::Ask).chain(context.rules.with(Behavior::Deny));
    if let Some(entry) = strict.into_iter().find(names) {
        return Decision::always_ask(Why::Rule, because(entry));
    }
    Decision::allow(Why::Internal, "It touches nothing outside the session.")
}

/// The reason sentence for a rule that decided.
pub(crate) fn because(entry: &Entry) -> String {
    let text = entry.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase()).unwrap_or_default();
    format!("{first}{} this.", chars.as_str())
}

#[cfg(test)]
mod tests;
