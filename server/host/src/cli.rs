//! The command line: what can be asked for, and which room does it.

mod acp;
mod agents;
mod args;
mod attach;
mod auth;
mod completions;
mod config;
mod doctor;
mod environment;
mod headless;
mod log;
mod mcp;
mod meant;
mod model_server;
mod plugin;
mod repl;
mod schema;
mod sdk;
mod serve;
mod sessions;
mod stdio;
mod sweep;
mod worktree;

use std::process::ExitCode;

use std::time::Instant;

use clap::Parser as _;

use args::{Args, Command};
use log::Beginning;

use crate::terminal;

/// A mistake in the call itself, as clap counts it too.
const USAGE: u8 = 2;

/// Runs the command and returns the exit code. Errors are one sentence on stderr.
pub fn main() -> ExitCode {
    let begun = Instant::now();
    let args = match Args::try_parse() {
        Ok(args) => args,
        // Help and version are errors to clap, but not to the shell.
        Err(error) => {
            match meant::suggestion(words()).filter(|_| error.use_stderr()) {
                Some(meant) => terminal::note(&meant),
                None => drop(error.print()),
            }
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    if let Some(meant) = meant::suggestion(words()).filter(|_| args.command.is_none()) {
        terminal::note(&meant);
        return ExitCode::from(USAGE);
    }
    let forks = args.fork_session || args.resume_session_at.is_some();
    if forks && args.resume.is_none() && !args.continue_latest {
        terminal::note("There is nothing to copy: say which session, by --resume or --continue.");
        return ExitCode::from(USAGE);
    }
    if let Some(problem) = args.meant_for_others() {
        terminal::note(&problem);
        return ExitCode::from(USAGE);
    }
    let begin = Beginning::new(begun, &args.log);
    run(&args, &begin).unwrap_or_else(|problem| {
        terminal::note(&problem.message);
        ExitCode::from(problem.code)
    })
}

/// What the command line says, as far as it is text.
fn words() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

fn run(args: &Args, begin: &Beginning) -> Outcome {
    match &args.command {
        Some(Command::Serve(serve)) => serve::run(serve, begin),
        Some(Command::Acp(acp)) => acp::run(acp, begin),
        Some(Command::Attach(attach)) => attach::run(attach),
        Some(Command::Config(config)) => config::run(config, begin),
        Some(Command::Sessions(sessions)) => sessions::run(sessions, begin),
        Some(Command::Auth(auth)) => auth::run(auth, begin),
        Some(Command::Plugin(plugin)) => plugin::run(plugin, begin),
        Some(Command::Mcp(mcp)) => mcp::run(mcp, begin),
        Some(Command::Agents(agents)) => agents::run(agents, begin),
        Some(Command::Doctor(doctor)) => doctor::run(doctor, begin),
        Some(Command::Completions(shell)) => completions::completions(shell),
        Some(Command::Man(man)) => completions::man(man),
        Some(Command::Schema(schema)) => begin.watch().and_then(|()| schema::run(schema)),
        Some(Command::ModelServer(server)) => {
            begin.watch().and_then(|()| model_server::run(server))
        }
        None if args.speaks_json() => sdk::run(args, begin),
        None if args.print => headless::run(args, begin),
        None => repl::run(args),
    }
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
struct Problem {
    message: String,
    code: u8,
}

impl Problem {
    fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: USAGE }
    }
}

type Outcome = Result<ExitCode, Problem>;
