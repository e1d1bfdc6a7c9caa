//! The commands the client handles itself, because they need its screen: a table, and one file for
//! each.
//!
//! The server has the table of all commands, with what each is for; what is not taken here goes to it
//! as a prompt. Everything here works through requests of the contract.

mod effort;
mod exit;
mod fork;
mod help;
mod keybindings;
mod memory;
mod mode;
mod model;
mod permissions;
mod queue;
mod resume;
mod review;
mod rewind;
mod tasks;
mod theme;
mod todos;
mod transcript;
mod trust;
mod vim;

use tokio::time::Instant;

use crate::app::App;

/// A command of the client.
struct Command {
    name: &'static str,
    /// With which arguments it needs the screen.
    when: fn(&str) -> bool,
    run: fn(&mut App, &str, Instant),
}

fn always(_: &str) -> bool {
    true
}

/// To pick from a list; with a word the server knows what to do.
fn to_pick(argument: &str) -> bool {
    argument.is_empty()
}

#[rustfmt::skip]
const ALL: &[Command] = &[
    Command { name: "help",        when: always,            run: help::run },
    Command { name: "review",      when: always,            run: review::run },
    Command { name: "rewind",      when: always,            run: rewind::run },
    Command { name: "model",       when: to_pick,           run: model::run },
    Command { name: "effort",      when: to_pick,           run: effort::run },
    Command { name: "mode",        when: to_pick,           run: mode::run },
    Command { name: "permissions", when: permissions::when, run: permissions::run },
    Command { name: "trust",       when: always,            run: trust::run },
    Command { name: "memory",      when: always,            run: memory::run },
    Command { name: "queue",       when: always,            run: queue::run },
    Command { name: "resume",      when: always,            run: resume::run },
    Command { name: "fork",        when: always,            run: fork::run },
    Command { name: "tasks",       when: to_pick,           run: tasks::run },
    Command { name: "todos",       when: todos::when,       run: todos::run },
    Command { name: "transcript",  when: always,            run: transcript::run },
    Command { name: "keybindings", when: always,            run: keybindings::run },
    Command { name: "theme",       when: always,            run: theme::run },
    Command { name: "vim",         when: always,            run: vim::run },
    Command { name: "exit",        when: always,            run: exit::run },
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
    let argument = argument.trim();
    let is_it = |command: &&Command| command.name == name && (command.when)(argument);
    let Some(command) = ALL.iter().find(is_it) else { return false };
    (command.run)(app, argument, now);
    true
}
