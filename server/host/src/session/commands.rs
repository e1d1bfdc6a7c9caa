//! The `/commands` that every door has: one table, and one file for each. Skills and commands that
//! users write join them (`session/skills`).
//!
//! A prompt that begins with `/name` is a command. It is carried out here, at once, also while a
//! turn runs; the model hears of it only when the command is a prompt in short. A name that is in
//! no table is an error, so that no slip of the hand costs a question to the model. What needs a
//! screen is in the table, too, so that it is known everywhere: a client that has one does it itself.

mod add_dir;
mod agents;
mod asks;
mod bug;
mod clear;
mod client_settings;
mod code_review;
mod compact;
mod config;
mod context;
mod cost;
mod diff;
mod doctor;
mod effort;
mod export;
mod fork;
mod help;
mod hooks;
mod init;
mod mcp;
mod memory;
mod mode;
mod model;
mod output_style;
mod permissions;
mod plugin;
mod queue;
mod rename;
mod repeat;
mod resume;
mod review;
mod rewind;
mod skills;
mod status;
mod tasks;
mod thinking;
mod todos;
mod trust;

use agent::Block;
use futures::future::BoxFuture;
use protocol::event::{CommandOutput, CommandsUpdated};
use protocol::prompt::Block as PromptBlock;

use super::{Expansion, Filling, Msg, Session};
use asks::Asking;

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
    /// Makes requests, as a client would, and says later what came of them.
    Asks(fn(&mut Session, &str) -> Result<Asking, String>),
    /// A client with a screen does it; this is for one without.
    Screen(&'static str),
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

use Run::{Asks, Now, Screen, Waits};

const TRANSCRIPT: &str =
    "The terminal client shows the whole conversation on a page; /export writes it to a file.";
const KEYS: &str =
    "The terminal client has keys of its own; $BOWLINE_HOME/keybindings.json changes them.";
const EXIT: &str = "Close this client to leave. The session is kept; /resume lists it later.";

#[rustfmt::skip]
const ALL: &[Command] = &[
    Command { name: "help",         argument: "",                              what: "the commands there are",                                       run: Now(help::run) },
    Command { name: "init",         argument: "[what to mind]",                what: "write instructions for agents: AGENTS.md",                     run: Now(init::run) },
    Command { name: "code-review",  argument: "[what]",                        what: "have the changes of this branch looked over",                  run: Now(code_review::run) },
    Command { name: "loop",         argument: "[5m|2h|1d] prompt",             what: "say a prompt now, and again and again",                        run: Waits(repeat::run) },
    Command { name: "skills",       argument: "",                              what: "skills and commands of your own, and what is wrong with them", run: Waits(skills::run) },
    Command { name: "plugin",       argument: "[enable|disable NAME]",         what: "plugins, and switching them on and off",                       run: Waits(plugin::run) },
    Command { name: "mcp",          argument: "[NAME|reconnect|login|enable|disable|approve NAME]", what: "MCP servers: how they stand, and what can be done",  run: Asks(mcp::run) },
    Command { name: "model",        argument: "[id]",                          what: "which model answers",                                          run: Now(model::run) },
    Command { name: "effort",       argument: "[level]",                       what: "how hard the model works",                                     run: Now(effort::run) },
    Command { name: "thinking",     argument: "[on|off|tokens]",               what: "whether the model thinks first",                               run: Now(thinking::run) },
    Command { name: "mode",         argument: "[mode]",                        what: "what may be done without asking",                              run: Now(mode::run) },
    Command { name: "output-style", argument: "[name]",                        what: "how answers are written",                                      run: Now(output_style::run) },
    Command { name: "permissions",  argument: "[allow|ask|deny|remove RULE]",  what: "the rules, and what was refused lately",                       run: Waits(permissions::run) },
    Command { name: "hooks",        argument: "",                              what: "the hooks there are, and their last runs",                     run: Now(hooks::run) },
    Command { name: "trust",        argument: "[yes|no]",                      what: "whether this folder's settings count",                         run: Asks(trust::run) },
    Command { name: "add-dir",      argument: "folder",                        what: "work in one more folder",                                      run: Waits(add_dir::run) },
    Command { name: "memory",       argument: "[show path|user note]",         what: "memory files; a note for later sessions",                      run: Asks(memory::run) },
    Command { name: "todos",        argument: "",                              what: "the list of steps",                                            run: Now(todos::run) },
    Command { name: "tasks",        argument: "[stop|output ID]",              what: "what runs in the background",                                  run: Waits(tasks::run) },
    Command { name: "agents",       argument: "[show|tell|stop WHO]",          what: "the agents there are, and those at work",                      run: Asks(agents::run) },
    Command { name: "queue",        argument: "[remove N]",                    what: "prompts that wait",                                            run: Asks(queue::run) },
    Command { name: "review",       argument: "[accept|reject]",               what: "look at what the agent changed",                               run: Asks(review::run) },
    Command { name: "diff",         argument: "[file]",                        what: "what the agent changed, as a diff",                            run: Asks(diff::run) },
    Command { name: "rewind",       argument: "[N [both|files|conversation]]", what: "go back to an earlier message",                                run: Asks(rewind::run) },
    Command { name: "compact",      argument: "[what to keep]",                what: "sum up the conversation to make room",                         run: Now(compact::run) },
    Command { name: "context",      argument: "",                              what: "what fills the window",                                        run: Waits(context::run) },
    Command { name: "clear",        argument: "",                              what: "forget the conversation; files stay",                          run: Waits(clear::run) },
    Command { name: "rename",       argument: "title",                         what: "give the session a title",                                     run: Waits(rename::run) },
    Command { name: "fork",         argument: "[message id]",                  what: "go on in a copy; this session stays",                          run: Asks(fork::run) },
    Command { name: "resume",       argument: "[words]",                       what: "go on with an older session",                                  run: Asks(resume::run) },
    Command { name: "export",       argument: "[file]",                        what: "write the session to a file",                                  run: Waits(export::run) },
    Command { name: "cost",         argument: "",                              what: "tokens and money of this session",                             run: Now(cost::run) },
    Command { name: "usage",        argument: "",                              what: "the same",                                                     run: Now(cost::run) },
    Command { name: "config",       argument: "",                              what: "the settings of this session",                                 run: Now(config::run) },
    Command { name: "status",       argument: "",                              what: "session, model, folders and sandbox",                          run: Now(status::run) },
    Command { name: "doctor",       argument: "",                              what: "what does not work here, and why",                             run: Asks(doctor::run) },
    Command { name: "bug",          argument: "[what went wrong]",             what: "what to send when something is wrong with Bowline",            run: Now(bug::run) },
    Command { name: "theme",        argument: "[NAME]",                        what: "how the terminal looks",                                       run: Waits(client_settings::theme) },
    Command { name: "vim",          argument: "[on|off]",                      what: "keys of vi in the terminal",                                   run: Waits(client_settings::vim) },
    Command { name: "transcript",   argument: "",                              what: "the whole conversation, to scroll and search",                 run: Screen(TRANSCRIPT) },
    Command { name: "keybindings",  argument: "[init]",                        what: "all keys of the terminal, and a file to change them",          run: Screen(KEYS) },
    Command { name: "exit",         argument: "",                              what: "leave (also Ctrl-D)",                                          run: Screen(EXIT) },
];

impl Session {
    /// All commands there are for a user, as clients get them. Of one name the table's counts.
    pub(super) fn commands(&self) -> Vec<protocol::session::Command> {
        let hint = |text: &str| Some(text.to_owned()).filter(|hint| !hint.is_empty());
        let own = ALL.iter().map(|command| protocol::session::Command {
            name: command.name.to_owned(),
            description: command.what.to_owned(),
            argument_hint: hint(command.argument),
            source: Some("built-in".to_owned()),
        });
        let is_free = |name: &str| ALL.iter().all(|command| command.name != name);
        let skills = self.skills.iter().filter(|skill| !skill.head.not_for_user);
        let skills = skills.filter(|skill| is_free(&skill.name));
        own.chain(skills.map(|skill| protocol::session::Command {
            name: skill.name.clone(),
            description: extend::one_line(&skill.head.description),
            argument_hint: skill.head.argument_hint.as_deref().map(extend::one_line),
            source: Some(skill.source.name().to_owned()),
        }))
        .chain(self.server_prompts())
        .collect()
    }

    /// Tells everybody who listens, when something is other than before.
    pub(super) fn advertise(&mut self) {
        let commands = self.commands();
        let changed = self.facts.send_if_modified(|facts| {
            let changed = facts.commands != commands;
            facts.commands.clone_from(&commands);
            changed
        });
        if changed && !self.doors.is_empty() {
            self.emit(CommandsUpdated { commands, agents: None });
        }
    }

    /// A command that took its time has something to say.
    pub(super) fn on_command_done(&mut self, message_id: String, command: String, text: &str) {
        let text = self.state.redactor().redact(text).into_owned();
        self.emit(CommandOutput { message_id, command, text });
    }
}

/// What a prompt turned out to be.
pub(super) enum Told {
    /// No command at all, or one that stands for this content.
    Prompt(Vec<Block>),
    /// A command, and it is done.
    Handled,
    /// A skill, which has commands to run first.
    Later(Box<Expansion>),
    /// A prompt of a server, which has to fill it in.
    Asked(Box<Filling>),
}

impl Session {
    /// Carries out a prompt that is a command; any other goes on as it is.
    pub(super) async fn run_command(
        &mut self,
        message_id: &str,
        shown: &[PromptBlock],
        content: Vec<Block>,
    ) -> Result<Told, String> {
        let [PromptBlock::Text(first), more @ ..] = shown else { return Ok(Told::Prompt(content)) };
        let Some((name, argument)) = read(&first.text) else { return Ok(Told::Prompt(content)) };
        if let Some(command) = ALL.iter().find(|command| command.name == name && more.is_empty()) {
            return self.run_built_in(command, message_id, &first.text, argument).await;
        }
        if let Some(filling) = self.call_server_prompt(name, argument, &first.text)? {
            return Ok(Told::Asked(Box::new(filling)));
        }
        self.look_at_skills().await;
        match self.call_skill(name, argument)? {
            Some(expansion) if expansion.takes_time() => Ok(Told::Later(Box::new(expansion))),
            Some(expansion) => {
                let ready = expansion.at_once();
                let mut said = self.said_with(message_id, shown, ready);
                said.extend(content.into_iter().skip(1));
                Ok(Told::Prompt(said))
            }
            None if is_name(name) && more.is_empty() => Err(self.unknown(name)),
            None => Ok(Told::Prompt(content)),
        }
    }

    async fn run_built_in(
        &mut self,
        command: &Command,
        message_id: &str,
        written: &str,
        argument: &str,
    ) -> Result<Told, String> {
        let done = match command.run {
            Now(run) => run(self, argument),
            Waits(run) => run(self, argument).await,
            Screen(text) => Ok(Done::Said(text.to_owned())),
            Asks(run) => {
                let asking = run(self, argument)?;
                let (own, message_id) = (self.own.clone(), message_id.to_owned());
                let command = written.trim_end().to_owned();
                tokio::spawn(async move {
                    let text = asking.await.unwrap_or_else(|problem| problem);
                    let _ = own.send(Msg::CommandDone { message_id, command, text }).await;
                });
                return Ok(Told::Handled);
            }
        };
        match done? {
            Done::Prompt(content) => Ok(Told::Prompt(content)),
            Done::Said(text) => {
                let (message_id, command) = (message_id.to_owned(), written.trim_end().to_owned());
                self.on_command_done(message_id, command, &text);
                Ok(Told::Handled)
            }
        }
    }

    fn unknown(&self, name: &str) -> String {
        let commands = self.commands();
        let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
        unknown(name, &names)
    }
}

/// What stands behind a slash at the very beginning, and what follows it: a blank before the slash
/// makes it a prompt.
fn read(text: &str) -> Option<(&str, &str)> {
    let line = text.strip_prefix('/')?;
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (!name.is_empty()).then(|| (name, argument.trim()))
}

/// Whether somebody who wrote this meant a command: a path (`/usr/bin`) is none.
fn is_name(name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(part)
}

fn unknown(name: &str, names: &[&str]) -> String {
    let meant = extend::nearest(name, names)
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
        let check = |text: &str, expect| {
            let found = read(text).filter(|(name, _)| is_name(name));
            assert_eq!(found, expect, "{text:?}");
        };
        check("/cost", Some(("cost", "")));
        check("/loop 5m  look again \n", Some(("loop", "5m  look again")));
        check("/mcp:prompt x", Some(("mcp:prompt", "x")));
        check("/usr/bin/env is missing", None);
        check("/", None);
        check("/ cost", None);
        check("/2", None);
        check(" /cost", None);
        check("cost", None);
        // A skill may be called so, where there is one.
        assert_eq!(read("/sub/dir:name x"), Some(("sub/dir:name", "x")));
    }

    #[test]
    fn a_slip_is_told() {
        let names: Vec<&str> = ALL.iter().map(|command| command.name).collect();
        assert!(unknown("comapct", &names).contains("Did you mean /compact?"));
        assert!(unknown("sail", &names).contains("/help lists them."));
    }

    #[test]
    fn names_are_unique_and_can_be_written() {
        for (at, command) in ALL.iter().enumerate() {
            assert_eq!(read(&format!("/{}", command.name)), Some((command.name, "")));
            assert!(is_name(command.name));
            assert!(ALL[..at].iter().all(|earlier| earlier.name != command.name));
        }
    }
}
