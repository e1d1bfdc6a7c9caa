//! Starting a process: the one place that does.

#![expect(clippy::disallowed_methods, reason = "this is the one place where processes start")]

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::{Child, Command};

use crate::group::Group;
use crate::sandbox::{Contained, Launch, Walls, Wanted};
use crate::{inherit, lasting};

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
    /// The walls could not be built; nothing ran.
    #[error("{0}")]
    NoWalls(String),
    #[error("`{}` could not be started: {source}", .program.display())]
    Failed { program: PathBuf, source: io::Error },
}

/// A process just started, and what it needs to be kept until it has ended.
pub(crate) struct Started {
    pub(crate) child: Child,
    /// Before its walls, so that it ends before they go.
    pub(crate) group: Option<Group>,
    pub(crate) contained: Option<Contained>,
}

/// Starts a process, known as `name`, where its walls allow it to be. Building walls takes as long
/// as the disk does.
pub(crate) fn start(
    wanted: Wanted<'_>,
    input: Stdio,
    walls: &Walls,
    name: &str,
) -> Result<Started, SpawnError> {
    let (child, contained) = begin(wanted, input, walls)?;
    let inner = contained.as_ref().map(Contained::leader);
    let group = child.id().and_then(|leader| Group::led_by(leader, inner, name));
    Ok(Started { child, group, contained })
}

fn begin(
    wanted: Wanted<'_>,
    input: Stdio,
    walls: &Walls,
) -> Result<(Child, Option<Contained>), SpawnError> {
    let launch = match walls {
        Walls::Open => {
            let mut command = Command::new(wanted.program);
            command.args(wanted.arguments).current_dir(wanted.cwd).env_clear();
            command.envs(wanted.env.iter().map(|(name, value)| (name, value)));
            let child = spawn(command, input, &[]).map_err(|source| why(source, wanted))?;
            return Ok((child, None));
        }
        Walls::Own(own) => Launch::own(wanted, own)?,
        Walls::Within(confinement) => Launch::new(wanted, confinement)?,
    };
    let Launch { program, arguments, cwd, env, passed, contained } = launch;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(cwd).env_clear().envs(env);
    let child = lasting::run(move || spawn(command, input, &passed))
        .unwrap_or_else(|| Err(io::ErrorKind::Interrupted.into()))
        .map_err(|source| SpawnError::NoWalls(format!("the sandbox did not start: {source}")))?;
    Ok((child, Some(contained)))
}

/// What every process has in common: a session and so a group of its own, exactly the environment
/// it was given, outputs that come to us, and an end when it is dropped.
fn spawn(mut command: Command, input: Stdio, passed: &[OwnedFd]) -> io::Result<Child> {
    inherit::limit(&mut command, passed);
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // The leader is reaped by the runtime even if we are dropped; the group ends by `Group`.
        .kill_on_drop(true)
        .spawn()
}

fn why(source: io::Error, wanted: Wanted<'_>) -> SpawnError {
    match source.kind() {
        _ if !wanted.cwd.is_dir() => SpawnError::NoFolder(wanted.cwd.to_owned()),
        io::ErrorKind::NotFound => SpawnError::NoProgram(PathBuf::from(wanted.program)),
        _ => SpawnError::Failed { program: PathBuf::from(wanted.program), source },
    }
}
