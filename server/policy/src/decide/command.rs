//! Running a command: what speaks against it first, on every suspicion; what speaks for it last,
//! on proof alone.

mod objections;
mod parts;

use std::path::Path;

use super::{Context, Decision, Run, Why, because};
use crate::mode::Mode;
use crate::rules::{Behavior, Entry};
use crate::shell::prove::prove;
use crate::shell::{LARGEST, LONGEST};
use objections::Objections;
use parts::Parts;

/// A command as it will be run.
pub(super) struct Command<'a> {
    pub(super) command: &'a str,
    pub(super) cwd: &'a Path,
    pub(super) run: Run,
}

pub(super) fn decide(tool: &str, subject: &Command<'_>, context: &Context<'_>) -> Decision {
    let Command { command, cwd, run } = *subject;
    if command.len() > LARGEST {
        return Decision::deny(
            Why::Forbidden,
            "It is longer than any command line can be: write it to a file.",
        );
    }
    let objections = Objections::new(tool, command, cwd, context);
    if let Some(decision) = objections.denied() {
        return decision;
    }
    if context.mode == Mode::Plan {
        let looking = looks_only(tool, command, cwd, context);
        return looking
            .and(objections.asked().unwrap_or_else(|| Decision::allow(Why::ReadOnly, "")));
    }
    if let Some(decision) = objections.asked().or_else(|| objections.guarded()) {
        return decision;
    }
    match run {
        Run::Escaping => {
            return Decision::always_ask(Why::Escaping, "It would run outside the sandbox.");
        }
        Run::Contained => return Decision::allow(Why::Sandbox, "It runs in the sandbox."),
        Run::Open => {}
    }
    if context.mode == Mode::BypassPermissions {
        return Decision::allow(Why::Mode, "The mode bypassPermissions allows this.");
    }
    if command.chars().count() > LONGEST {
        return Decision::always_ask(
            Why::Unproven,
            format!("It is longer than {LONGEST} characters."),
        );
    }
    if let Some(entry) = allows_everything(tool, context) {
        return Decision::allow(Why::Rule, because(entry));
    }
    match prove(command, context.home) {
        Ok(commands) => Parts::new(tool, cwd, context).judge(&commands),
        Err(unproven) => {
            Decision::always_ask(Why::Unproven, format!("It cannot be checked: {}.", unproven.why))
        }
    }
}

/// In plan mode a command runs only if it is proven to look and nothing else; no rule changes that.
fn looks_only(tool: &str, command: &str, cwd: &Path, context: &Context<'_>) -> Decision {
    let proven =
        if command.chars().count() > LONGEST { None } else { prove(command, context.home).ok() };
    match proven {
        Some(commands) if Parts::only_look(&commands) => {
            Parts::new(tool, cwd, context).judge(&commands)
        }
        _ => Decision::deny(
            Why::Mode,
            "Plan mode is on: only commands that are known to change nothing may run until the user approves the plan.",
        ),
    }
}

/// A bare allow rule for the tool.
fn allows_everything<'a>(tool: &str, context: &Context<'a>) -> Option<&'a Entry> {
    context
        .rules
        .with(Behavior::Allow)
        .find(|entry| entry.rule.spec().is_none() && allow_speaks_of(entry, tool))
}

/// Every executor obeys the rules for Bash, so that none is a way around them.
fn speaks_of(entry: &Entry, tool: &str) -> bool {
    entry.rule.names("Bash") || entry.rule.names(tool)
}

fn allow_speaks_of(entry: &Entry, tool: &str) -> bool {
    !entry.rule.has_tool_wildcard() && speaks_of(entry, tool)
}
