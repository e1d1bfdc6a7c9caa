//! Running a command: what speaks against it first, on every suspicion; what speaks for it last,
//! on proof alone.

mod objections;
mod parts;

use std::path::Path;

use super::{Context, Decision, Run, Why, because};
use crate::mode::Mode;
use crate::rules::{Behavior, Entry};
use crate::shell::destructive::Loss;
use crate::shell::prove::{prove, prove_reading};
use crate::shell::reading::Reading;
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
    let reading = Reading::new(command, context.home.and_then(Path::to_str));
    let judged = Judged { tool, reading: &reading, cwd, run, context };
    let objections = Objections::new(&judged);
    if let Some(decision) = objections.denied() {
        return decision;
    }
    let asked = objections.asked(run).or_else(|| judged.escapes(run));
    if context.mode == Mode::Plan {
        let looking = judged.looks_only();
        return asked.map_or(looking.clone(), |asked| looking.and(asked));
    }
    let asked = asked.or_else(|| objections.guarded()).or_else(|| judged.loses(&objections));
    if let Some(decision) = asked {
        return decision;
    }
    if run == Run::Contained {
        return Decision::allow(Why::Sandbox, "It runs in the sandbox.");
    }
    if context.mode == Mode::BypassPermissions {
        return Decision::allow(Why::Mode, "The mode bypassPermissions allows this.");
    }
    if is_long(command) {
        return Decision::always_ask(
            Why::Unproven,
            format!("It is longer than {LONGEST} characters."),
        );
    }
    if let Some(entry) = allows_everything(tool, context) {
        return Decision::allow(Why::Rule, because(entry));
    }
    match prove_reading(&reading, context.home) {
        Ok(commands) => Parts::new(&judged).judge(&commands),
        Err(unproven) => {
            Decision::always_ask(Why::Unproven, format!("It cannot be checked: {}.", unproven.why))
        }
    }
}

/// A command with everything its judges look at.
#[derive(Clone, Copy)]
struct Judged<'a> {
    tool: &'a str,
    reading: &'a Reading<'a>,
    cwd: &'a Path,
    run: Run,
    context: &'a Context<'a>,
}

impl Judged<'_> {
    fn escapes(&self, run: Run) -> Option<Decision> {
        (run == Run::Escaping)
            .then(|| Decision::always_ask(Why::Escaping, "It would run outside the sandbox."))
    }

    /// In plan mode a command runs only if it is proven to look and nothing else; no rule changes
    /// that.
    fn looks_only(&self) -> Decision {
        let proven = if is_long(self.reading.text) {
            None
        } else {
            prove_reading(self.reading, self.context.home).ok()
        };
        match proven {
            Some(commands) if Parts::only_look(&commands) => Parts::new(self).judge(&commands),
            _ => Decision::deny(
                Why::Mode,
                "Plan mode is on: only commands that are known to change nothing may run until the user approves the plan.",
            ),
        }
    }

    /// Work that would be lost, unless the command is proven and a rule names what loses it.
    fn loses(&self, objections: &Objections<'_>) -> Option<Decision> {
        let losses = objections.losses();
        if losses.is_empty() {
            return None;
        }
        let parts = prove_reading(self.reading, self.context.home).unwrap_or_default();
        let named = Parts::new(self).named(&parts);
        losses.into_iter().find_map(|(words, loss)| match loss {
            Loss::Settings => Some(Decision::always_ask(
                Why::Protected,
                "It changes settings of git, which decide what git runs.",
            )),
            Loss::Work { what, .. } => (!named.iter().any(|named| named == words)).then(|| {
                let text = format!("`{}` {what}.", words.join(" "));
                Decision::always_ask(Why::Destructive, text)
            }),
        })
    }
}

/// Whether a command is proven to change nothing, wherever it reads.
pub(crate) fn only_looks(command: &str, home: Option<&Path>) -> bool {
    !is_long(command) && prove(command, home).is_ok_and(|parts| Parts::only_look(&parts))
}

fn is_long(command: &str) -> bool {
    command.len() > LONGEST && command.chars().count() > LONGEST
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
