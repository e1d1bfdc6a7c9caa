//! Seeing one process to its end.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::group::Group;
use crate::listen::{Heard, Pipe};
use crate::sandbox::{Denial, Walls, Wanted};
use crate::shell::FolderReport;
use crate::spec::{Program, Spec};
use crate::start::{self, SpawnError, Started};

/// How long a group may take to end by itself once it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long output may still come from others after the process itself has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// More pieces than two pipes can hold.
const WAITING: usize = 16;
/// Nothing is waiting in a pipe that gives nothing for this long.
const SILENCE: Duration = Duration::from_millis(10);
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
    /// What the walls refused, as far as it is known.
    pub denials: Vec<Denial>,
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
    let spec = Arc::new(spec);
    // Dropped from here on, it ends the group.
    let Started { mut child, group, contained } = begin(&spec, report.as_ref()).await?;
    let mut heard = Heard::new(spec.output_cap, on_output);
    let limits = Limits { at: started + spec.timeout, cancel };
    let fed = feed(child.stdin.take(), &spec.input);
    let status = tokio::select! {
        status = watch(&mut child, group.as_ref(), &mut heard, &limits) => status,
        never = fed => match never {},
    };
    drop(group);
    let (stdout, stderr, output) = heard.finish();
    let status =
        status.map_err(|source| SpawnError::Failed { program: name(&spec.program), source })?;
    let denials = match contained {
        Some(contained) => {
            contained.finish(&name(&spec.program), &spec.cwd, status, &output).await?
        }
        None => Vec::new(),
    };
    let cwd_after = report.and_then(FolderReport::read);
    Ok(Finished { status, stdout, stderr, output, cwd_after, duration: started.elapsed(), denials })
}

/// Writes the input for as long as somebody reads it, and never ends by itself: what counts is the
/// process.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) -> Infallible {
    if let Some(mut stdin) = stdin {
        // A process that does not read all of its input has read enough.
        let _ = stdin.write_all(input).await;
        let _ = stdin.shutdown().await;
    }
    std::future::pending().await
}

/// Walls are built from what is on the disk, and that may take a while.
async fn begin(spec: &Arc<Spec>, report: Option<&FolderReport>) -> Result<Started, SpawnError> {
    let script = match &spec.program {
        Program::Script { text, .. } => report.map(|report| report.added_to(text)),
        Program::Argv { .. } => None,
    };
    if matches!(spec.walls, Walls::Open) {
        return start(spec, script);
    }
    let spec = Arc::clone(spec);
    let starting = tokio::task::spawn_blocking(move || start(&spec, script));
    let stopped = |error| SpawnError::NoWalls(format!("the sandbox could not be built: {error}"));
    starting.await.map_err(stopped)?
}

fn start(spec: &Spec, script: Option<Vec<u8>>) -> Result<Started, SpawnError> {
    let input = || if spec.input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let run = |program: &OsStr, arguments: &[OsString]| {
        let wanted = Wanted { program, arguments, cwd: &spec.cwd, env: &spec.env };
        start::start(wanted, input(), &spec.walls, &spec.program.to_string())
    };
    match &spec.program {
        Program::Argv { program, arguments } => run(program, arguments),
        Program::Script { text, .. } if text.len() > LONGEST_SCRIPT => {
            Err(SpawnError::TooLong(text.len()))
        }
        Program::Script { shell, text } => {
            let script = script.unwrap_or_else(|| text.clone().into_bytes());
            run(shell.as_os_str(), &["-c".into(), OsString::from_vec(script)])
        }
    }
}

fn name(program: &Program) -> PathBuf {
    match program {
        Program::Argv { program, .. } => PathBuf::from(program),
        Program::Script { shell, .. } => shell.clone(),
    }
}

/// The process's own idea of a temporary folder.
fn temporary_folder(spec: &Spec) -> PathBuf {
    if let Walls::Within(confinement) = &spec.walls {
        return confinement.temp.clone();
    }
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
                drain(&mut stdout, &mut stderr, heard).await;
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

/// What was said before time ran out and nobody came to read: on a busy machine patience can be
/// over first.
async fn drain<O, E, F>(stdout: &mut Pipe<O>, stderr: &mut Pipe<E>, heard: &mut Heard<F>)
where
    O: AsyncRead + Unpin,
    E: AsyncRead + Unpin,
    F: FnMut(&str) + Send,
{
    for _ in 0..WAITING {
        if !stdout.is_open() && !stderr.is_open() {
            return;
        }
        tokio::select! {
            biased;
            chunk = stdout.read() => heard.stdout(chunk),
            chunk = stderr.read() => heard.stderr(chunk),
            () = sleep(SILENCE) => return,
        }
    }
}

pub(crate) fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}

#[cfg(test)]
pub(crate) mod tests;
