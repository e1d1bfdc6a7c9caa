//! Starting a process: the one place that does.

#![expect(clippy::disallowed_methods, reason = "this is the one place where processes start")]

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{Child, Command};

use crate::sandbox::Walls;

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

/// What every process has in common: a group of its own, exactly this environment, outputs that
/// come to us, and an end when it is dropped.
pub(crate) fn start(
    program: &OsStr,
    arguments: &[OsString],
    cwd: &Path,
    env: &[(OsString, OsString)],
    input: Stdio,
    walls: &Walls,
) -> Result<Child, SpawnError> {
    if let Walls::Within(_) = walls {
        return Err(SpawnError::NoWalls(
            "the sandbox is not ready: run the command without it".to_owned(),
        ));
    }
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(cwd)
        .env_clear()
        .envs(env.iter().map(|(name, value)| (name, value)))
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        // The leader is reaped by the runtime even if we are dropped; the group ends by `Group`.
        .kill_on_drop(true);
    command.spawn().map_err(|source| match source.kind() {
        _ if !cwd.is_dir() => SpawnError::NoFolder(cwd.to_owned()),
        io::ErrorKind::NotFound => SpawnError::NoProgram(PathBuf::from(program)),
        _ => SpawnError::Failed { program: PathBuf::from(program), source },
    })
}
