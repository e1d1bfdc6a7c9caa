//! Starting one process and seeing it to its end.

#![expect(clippy::disallowed_methods, reason = "this is the one place where processes start")]

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::group::Group;
use crate::listen::{Heard, Pipe};
use crate::shell::FolderReport;
use crate::spec::{Program, Spec};

/// How long a group may take to end by itself once it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long output may still come from others after the process itself has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// Linux takes no longer argument than 128 KiB; the report of the folder needs some of it.
const LONGEST_SCRIPT: usize = 120_000;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    TimedOut,
    Cancelled,
}

/// A process that has ended, and its whole group with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub status: Exit,
    pub stdout: String,
    pub stderr: String,
    /// Both outputs in the order in which they came.
    pub output: String,
    /// The folder a script ended in; `None` for other programs and for scripts cut short.
    pub cwd_after: Option<PathBuf>,
    pub duration: Duration,
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("the folder {} does not exist: choose another working directory", .0.display())]
    NoFolder(PathBuf),
    #[error("the program `{}` was not found: install it or give its full path", .0.display())]
    NoProgram(PathBuf),
    #[error(
        "the script has {0} bytes, more than a command line can hold: write it to a file and run that"
    )]
    TooLong(usize),
    #[error("`{}` could not be started: {source}", .program.display())]
    Failed { program: PathBuf, source: io::Error },
}

/// Runs a process to its end. `on_output` sees every piece of either output as it comes.
///
/// When this returns, or its future is dropped, no member of the process's group is alive.
pub async fn run(
    spec: Spec,
    cancel: CancellationToken,
    on_output: impl FnMut(&str) + Send,
) -> Result<Finished, SpawnError> {
    let started = Instant::now();
    let report = match &spec.program {
        Program::Script { shell, .. } => {
            let failed = |source| SpawnError::Failed { program: shell.clone(), source };
            Some(FolderReport::new(&temporary_folder(&spec)).map_err(failed)?)
        }
        Program::Argv { .. } => None,
    };
    let mut child = start(&spec, report.as_ref())?;
    // Before the first await, so that being dropped at any point ends the group.
    let group = child.id().and_then(|leader| Group::led_by(leader, &spec.program.to_string()));
    let mut heard = Heard::new(spec.output_cap, on_output);
    let limits = Limits { at: started + spec.timeout, cancel };
    let status = watch(&mut child, group.as_ref(), &mut heard, &limits).await;
    drop(group);
    let (stdout, stderr, output) = heard.finish();
    let status =
        status.map_err(|source| SpawnError::Failed { program: name(&spec.program), source })?;
    let cwd_after = report.and_then(FolderReport::read);
    Ok(Finished { status, stdout, stderr, output, cwd_after, duration: started.elapsed() })
}

fn start(spec: &Spec, report: Option<&FolderReport>) -> Result<Child, SpawnError> {
    let mut command = match &spec.program {
        Program::Argv { program, arguments } => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        Program::Script { shell, text } => {
            if text.len() > LONGEST_SCRIPT {
                return Err(SpawnError::TooLong(text.len()));
            }
            let script =
                report.map_or_else(|| text.clone().into_bytes(), |report| report.added_to(text));
            let mut command = Command::new(shell);
            command.arg("-c").arg(OsString::from_vec(script));
            command
        }
    };
    command
        .current_dir(&spec.cwd)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        // The leader is reaped by the runtime even if we are dropped; the group ends by `Group`.
        .kill_on_drop(true);
    command.spawn().map_err(|source| match source.kind() {
        _ if !spec.cwd.is_dir() => SpawnError::NoFolder(spec.cwd.clone()),
        io::ErrorKind::NotFound => SpawnError::NoProgram(name(&spec.program)),
        _ => SpawnError::Failed { program: name(&spec.program), source },
    })
}

fn name(program: &Program) -> PathBuf {
    match program {
        Program::Argv { program, .. } => PathBuf::from(program),
        Program::Script { shell, .. } => shell.clone(),
    }
}

/// The process's own idea of a temporary folder.
fn temporary_folder(spec: &Spec) -> PathBuf {
    let named = spec
        .env
        .iter()
        .rev()
        .find(|(name, _)| name == "TMPDIR")
        .map(|(_, value)| PathBuf::from(value));
    named
        .filter(|folder| folder.is_absolute() && folder.is_dir())
        .unwrap_or_else(|| Path::new("/tmp").to_path_buf())
}

/// What ends a process before its time.
struct Limits {
    at: Instant,
    cancel: CancellationToken,
}

/// Reads both outputs until the process has ended and they are closed, or nobody will close them.
async fn watch<F: FnMut(&str) + Send>(
    child: &mut Child,
    group: Option<&Group>,
    heard: &mut Heard<F>,
    limits: &Limits,
) -> io::Result<Exit> {
    let mut stdout = Pipe::new(child.stdout.take());
    let mut stderr = Pipe::new(child.stderr.take());
    let mut ended: Option<ExitStatus> = None;
    let mut stopped: Option<Exit> = None;
    // When patience runs out: with a group asked to end, or with output nobody closes.
    let mut patience: Option<Instant> = None;
    while ended.is_none() || stdout.is_open() || stderr.is_open() {
        let stop = tokio::select! {
            chunk = stdout.read() => { heard.stdout(chunk); None }
            chunk = stderr.read() => { heard.stderr(chunk); None }
            status = child.wait(), if ended.is_none() => {
                ended = Some(status?);
                patience = patience.or(Some(Instant::now() + DRAIN));
                None
            }
            () = limits.cancel.cancelled(), if stopped.is_none() && ended.is_none() => Some(Exit::Cancelled),
            () = sleep_until(limits.at), if stopped.is_none() && ended.is_none() => Some(Exit::TimedOut),
            () = sleep_until(patience.unwrap_or(limits.at)), if patience.is_some() => {
                if let Some(group) = group {
                    group.kill();
                }
                if ended.is_none() {
                    ended = Some(child.wait().await?);
                }
                break;
            }
        };
        if let Some(exit) = stop {
            stopped = Some(exit);
            patience = Some(Instant::now() + GRACE);
            if let Some(group) = group {
                group.terminate();
            }
        }
    }
    Ok(stopped.unwrap_or_else(|| ended.map_or(Exit::Cancelled, exit_of)))
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}

#[cfg(test)]
mod tests;
