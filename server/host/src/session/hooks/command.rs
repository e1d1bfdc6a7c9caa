//! A hook that is a command: told by JSON on its standard input, heard by its exit code and output.
//!
//! It runs behind the walls of any command, in a session of its own without a terminal. A shell gets
//! the command line as it was written; nothing of what happened becomes part of it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use exec::{Disk, Exit, Finished, Program, Spec};
use extend::hooks::HookShell;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::Hooks;
use super::around::Around;
use super::output::Printed;

/// Longer answers than this are no answers.
const OUTPUT_CAP: usize = 1024 * 1024;
/// A first line that says that it goes on by itself is no longer than this.
const FIRST_LINE: usize = 4096;

/// What to run.
pub(super) struct Command {
    pub(super) command: String,
    pub(super) args: Option<Vec<String>>,
    pub(super) shell: HookShell,
    /// Variables of a plugin.
    pub(super) env: Vec<(OsString, OsString)>,
    /// Where it may write down variables for later commands.
    pub(super) env_file: Option<PathBuf>,
    pub(super) input: String,
    pub(super) timeout: Duration,
}

/// The walls are named by the call that the hook is about, so that a question about a host is asked
/// in its name.
pub(super) async fn run(
    around: &Around,
    call: &str,
    command: Command,
    first_line: Option<oneshot::Sender<String>>,
) -> Result<Printed, String> {
    let (shelter, id) = (around.shelter.clone(), call.to_owned());
    // Building walls looks at the disk.
    let walls = tokio::task::spawn_blocking(move || match shelter.missing() {
        Some(missing) => Err(missing),
        None => shelter.of_command(&id, Disk::Roots),
    });
    let walls = walls.await.map_err(|error| format!("has no walls to run in ({error})"))?;
    let walls = walls.map_err(|error| format!("has no walls to run in: {error}"))?;
    let program = program(around, &command)?;
    let mut spec = Spec::new(program, around.state.cwd(), walls);
    spec.env = around.env(command.env, command.env_file.as_deref());
    spec.input = command.input.into_bytes();
    spec.timeout = command.timeout;
    spec.output_cap = OUTPUT_CAP;
    let listener = FirstLine::new(first_line);
    let finished = exec::run(spec, CancellationToken::new(), |piece| listener.hear(piece)).await;
    printed(finished.map_err(|error| format!("could not be started: {error}"))?)
}

impl Hooks {
    /// Runs a command that helps a terminal: without a network, told by JSON, heard by its output.
    pub(in crate::session) fn run_helper(
        &self,
        line: String,
        input: Value,
        within: Duration,
    ) -> impl Future<Output = Result<String, String>> + Send + 'static {
        let hooks = self.clone();
        async move {
            let around = &hooks.0.around;
            let shelter = around.shelter.clone();
            let walls = tokio::task::spawn_blocking(move || shelter.of_helper(Disk::Closed)).await;
            let walls = walls.map_err(|error| error.to_string())??;
            let arguments = vec!["-c".into(), line.into()];
            let program = Program::Argv { program: "/bin/sh".into(), arguments };
            let mut spec = Spec::new(program, around.state.cwd(), walls);
            spec.env = around.env(Vec::new(), None);
            (spec.input, spec.timeout) = (input.to_string().into_bytes(), within);
            spec.output_cap = OUTPUT_CAP;
            let finished = exec::run(spec, CancellationToken::new(), |_| {}).await;
            let printed = printed(finished.map_err(|error| error.to_string())?)?;
            match printed.code {
                0 => Ok(printed.stdout),
                code => Err(format!("it ended with exit code {code}")),
            }
        }
    }
}

fn printed(finished: Finished) -> Result<Printed, String> {
    let Finished { status, stdout, stderr, .. } = finished;
    match status {
        Exit::Code(code) => Ok(Printed { code, stdout, stderr }),
        Exit::Signal(signal) => Err(format!("was ended by signal {signal}")),
        Exit::TimedOut => Err("did not answer in time".to_owned()),
        Exit::Cancelled => Err("was stopped".to_owned()),
    }
}

fn program(around: &Around, command: &Command) -> Result<Program, String> {
    let line = command.command.as_str();
    match &command.args {
        None => {
            let shell = match command.shell {
                HookShell::Usual => "/bin/sh",
                HookShell::Bash => "bash",
                HookShell::PowerShell => "pwsh",
            };
            let flag = if command.shell == HookShell::PowerShell { "-Command" } else { "-c" };
            let arguments = vec![flag.into(), line.into()];
            Ok(Program::Argv { program: shell.into(), arguments })
        }
        // Without a shell there is nobody else to fill in the folder.
        Some(args) => {
            let fill = |text: &String| OsString::from(around.filled(text));
            let program = OsString::from(around.filled(line));
            if program.is_empty() {
                return Err("has no program to start".to_owned());
            }
            Ok(Program::Argv { program, arguments: args.iter().map(fill).collect() })
        }
    }
}

/// Passes the first line on as soon as it is there: a hook may say in it that nobody should wait.
struct FirstLine(Mutex<(String, Option<oneshot::Sender<String>>)>);

impl FirstLine {
    fn new(to: Option<oneshot::Sender<String>>) -> Arc<FirstLine> {
        Arc::new(FirstLine(Mutex::new((String::new(), to))))
    }

    fn hear(&self, piece: &str) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (line, to) = &mut *heard;
        if to.is_none() {
            return;
        }
        line.push_str(piece);
        if !line.trim_start().starts_with('{') || line.len() > FIRST_LINE {
            *to = None;
        } else if let Some((first, _)) = line.split_once('\n')
            && let Some(to) = to.take()
        {
            let _ = to.send(first.to_owned());
        }
    }
}
