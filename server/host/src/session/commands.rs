//! The `/commands` that every door has: one table, and one file for each.
//!
//! A prompt that begins with `/name` is a command. It is carried out here, at once, also while a
//! turn runs; the model hears of it only when the command is a prompt in short. A name that is in
//! no table is an error, so that no slip of the hand costs a question to the model.

mod add_dir;
mod clear;
mod code_review;
mod compact;
mod config;
mod context;
mod cost;
mod doctor;
mod effort;
mod export;
mod help;
mod init;
mod mode;
mod model;
mod output_style;
mod permissions;
mod plugin;
mod rename;
mod repeat;
mod status;
mod tasks;
mod thinking;
mod todos;

use agent::Block;
use futures::future::BoxFuture;
use protocol::event::CommandOutput;
use protocol::prompt::Block as PromptBlock;

use super::Session;

/// One command of the table.
struct Command {
    name: &'static str,
    /// What may follow it.
    argument: &'static str,
    what: &'static str,
    run: Run,
}

enum Run {
    Now(fn(&mut Session, &str) -> Outcome),
    /// Waits for the disk or the journal.
    Waits(for<'a> fn(&'a mut Session, &'a str) -> BoxFuture<'a, Outcome>),
}

/// The error is a sentence for the user.
type Outcome = Result<Done, String>;

/// What became of a command.
enum Done {
    /// That is all: words for the user.
    Said(String),
    /// It stands for this prompt.
    Prompt(Vec<Block>),
}

impl Done {
    /// A prompt of ours. The transcript shows what the user wrote, the model gets both.
    fn instruct(written: &str, instructions: &str) -> Self {
        Self::Prompt(vec![Block::text(written), Block::text(tools::reminder(instructions))])
    }
}

use Run::{Now, Waits};

#[rustfmt::skip]
const ALL: &[Command] = &[
    Command { name: "help",         argument: "",                  what: "the commands there are",                      run: Now(help::run) },
    Command { name: "init",         argument: "[what to mind]",    what: "write instructions for agents: AGENTS.md",    run: Now(init::run) },
    Command { name: "code-review",  argument: "[what]",            what: "have the changes of this branch looked over", run: Now(code_review::run) },
    Command { name: "loop",         argument: "[5m|2h|1d] prompt", what: "say a prompt now, and again and again",       run: Waits(repeat::run) },
    Command { name: "model",        argument: "[id]",              what: "which model answers",                         run: Now(model::run) },
    Command { name: "effort",       argument: "[level]",           what: "how hard the model works",                    run: Now(effort::run) },
    Command { name: "thinking",     argument: "[on|off|tokens]",   what: "whether the model thinks first",              run: Now(thinking::run) },
    Command { name: "mode",         argument: "[mode]",            what: "what may be done without asking",             run: Now(mode::run) },
    Command { name: "output-style", argument: "[name]",            what: "how answers are written",                     run: Now(output_style::run) },
    Command { name: "permissions",  argument: "",                  what: "the rules, and what was refused lately",      run: Waits(permissions::run) },
    Command { name: "plugin",       argument: "[enable|disable NAME]", what: "plugins, and switching them on and off", run: Waits(plugin::run) },
    Command { name: "add-dir",      argument: "folder",            what: "work in one more folder",                     run: Now(add_dir::run) },
    Command { name: "todos",        argument: "",                  what: "the list of steps",                           run: Now(todos::run) },
    Command { name: "tasks",        argument: "[stop|output ID]",  what: "what runs in the background",                 run: Waits(tasks::run) },
    Command { name: "compact",      argument: "[what to keep]",    what: "sum up the conversation to make room",        run: Now(compact::run) },
    Command { name: "context",      argument: "",                  what: "what fills the window",                       run: Waits(context::run) },
    Command { name: "clear",        argument: "",                  what: "forget the conversation; files stay",         run: Waits(clear::run) },
    Command { name: "rename",       argument: "title",             what: "give the session a title",                    run: Waits(rename::run) },
    Command { name: "export",       argument: "[file]",            what: "write the session to a file",                 run: Waits(export::run) },
    Command { name: "cost",         argument: "",                  what: "tokens and money of this session",            run: Now(cost::run) },
    Command { name: "config",       argument: "",                  what: "the settings of this session",                run: Now(config::run) },
    Command { name: "status",       argument: "",                  what: "session, model, folders and sandbox",         run: Now(status::run) },
    Command { name: "doctor",       argument: "",                  what: "what does not work here, and why",            run: Waits(doctor::run) },
];

/// The list, as clients get it.
pub(super) fn advertised() -> Vec<protocol::session::Command> {
    let wire = |command: &Command| protocol::session::Command {
        name: command.name.to_owned(),
        description: command.what.to_owned(),
        argument_hint: Some(command.argument.to_owned()).filter(|hint| !hint.is_empty()),
    };
    ALL.iter().map(wire).collect()
}

/// What a prompt turned out to be.
pub(super) enum Told {
    /// No command at all, or one that stands for this content.
    Prompt(Vec<Block>),
    /// A command, and it is done.
    Handled,
}

impl Session {
    /// Carries out a prompt that is a command; any other goes on as it is.
    pub(super) async fn run_command(
        &mut self,
        message_id: &str,
        shown: &[PromptBlock],
        content: Vec<Block>,
    ) -> Result<Told, String> {
        let [PromptBlock::Text(only)] = shown else { return Ok(Told::Prompt(content)) };
        let Some((name, argument)) = read(&only.text) else { return Ok(Told::Prompt(content)) };
        let Some(command) = ALL.iter().find(|command| command.name == name) else {
            return Err(unknown(name));
        };
        let done = match command.run {
            Now(run) => run(self, argument),
            Waits(run) => run(self, argument).await,
        };
        match done? {
            Done::Prompt(content) => Ok(Told::Prompt(content)),
            Done::Said(text) => {
                let command = only.text.trim_end().to_owned();
                let text = self.state.redactor().redact(&text).into_owned();
                self.emit(CommandOutput { message_id: message_id.to_owned(), command, text });
                Ok(Told::Handled)
            }
        }
    }
}

/// The name and what follows it. A path (`/usr/bin`) is no command, and neither is what does not
/// stand at the very beginning: a blank before it makes it a prompt.
fn read(text: &str) -> Option<(&str, &str)> {
    let line = text.strip_prefix('/')?;
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let part = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(part);
    is_name.then(|| (name, argument.trim()))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = ALL.iter().map(|command| command.name).collect();
    let meant = extend::nearest(name, &names)
        .map_or_else(|| "/help lists them.".to_owned(), |near| format!("Did you mean /{near}?"));
    format!("There is no command /{name}. {meant} (A blank before the slash makes it a prompt.)")
}

/// A table in plain text: names to the left, what they are to the right.
fn rows<'a>(rows: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let rows: Vec<(&str, String)> = rows.into_iter().collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let lines = rows.iter().map(|(name, what)| format!("{name:<width$}  {what}"));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_command() {
        let check = |text: &str, expect| assert_eq!(read(text), expect, "{text:?}");
        check("/cost", Some(("cost", "")));
        check("/loop 5m  look again \n", Some(("loop", "5m  look again")));
        check("/mcp:prompt x", Some(("mcp:prompt", "x")));
        check("/usr/bin/env is missing", None);
        check("/", None);
        check("/ cost", None);
        check("/2", None);
        check(" /cost", None);
        check("cost", None);
    }

    #[test]
    fn a_slip_is_told() {
        assert!(unknown("comapct").contains("Did you mean /compact?"));
        assert!(unknown("sail").contains("/help lists them."));
    }

    #[test]
    fn names_are_unique_and_can_be_written() {
        for (at, command) in ALL.iter().enumerate() {
            assert_eq!(read(&format!("/{}", command.name)), Some((command.name, "")));
            assert!(ALL[..at].iter().all(|earlier| earlier.name != command.name));
        }
    }
}
