//! The commands the client handles itself, because they need its screen: a table, and one file for
//! each.
//!
//! Everything here works through requests of the contract; any other command goes to the server as a
//! prompt, which has a table of its own.

mod clear;
mod effort;
mod exit;
mod fork;
mod help;
mod memory;
mod mode;
mod model;
mod permissions;
mod queue;
mod resume;
mod review;
mod rewind;
mod trust;

use tokio::time::Instant;

use crate::app::App;

/// A command of the client.
pub(crate) struct Command {
    pub name: &'static str,
    /// What may follow it.
    pub argument: &'static str,
    pub what: &'static str,
    run: fn(&mut App, &str, Instant),
}

#[rustfmt::skip]
pub(crate) const ALL: &[Command] = &[
    Command { name: "help",        argument: "",                        what: "commands and keys",                      run: help::run },
    Command { name: "review",      argument: "[accept|reject|undo]",    what: "look at what the agent changed",         run: review::run },
    Command { name: "rewind",      argument: "[undo|id]",               what: "go back to an earlier message",          run: rewind::run },
    Command { name: "model",       argument: "[id]",                    what: "pick the model",                         run: model::run },
    Command { name: "effort",      argument: "[level]",                 what: "how hard the model works",               run: effort::run },
    Command { name: "mode",        argument: "[mode]",                  what: "what may be done without asking",        run: mode::run },
    Command { name: "permissions", argument: "[allow|ask|deny|remove]", what: "rules, and what was refused lately",     run: permissions::run },
    Command { name: "trust",       argument: "[yes|no]",                what: "whether this folder's settings count",   run: trust::run },
    Command { name: "memory",      argument: "[show path|user note]",   what: "memory files; a note (also: # note)",    run: memory::run },
    Command { name: "queue",       argument: "[remove|move|edit N]",    what: "prompts that wait",                      run: queue::run },
    Command { name: "clear",       argument: "",                        what: "start a new session",                    run: clear::run },
    Command { name: "resume",      argument: "[id|text]",               what: "go on with an older session",            run: resume::run },
    Command { name: "fork",        argument: "[message id]",            what: "go on in a copy; this session stays",    run: fork::run },
    Command { name: "exit",        argument: "",                        what: "leave (also Ctrl-D)",                    run: exit::run },
];

/// Runs a command of the client; false when the text is none and belongs to the server.
pub(crate) fn run(app: &mut App, text: &str, now: Instant) -> bool {
    if let Some(note) = memory::note_of(text) {
        memory::offer(app, note);
        return true;
    }
    let Some(line) = text.trim().strip_prefix('/') else { return false };
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let name = if name == "quit" { "exit" } else { name };
    let Some(command) = ALL.iter().find(|command| command.name == name) else { return false };
    (command.run)(app, argument.trim(), now);
    true
}
