//! What to run, as a value.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::sandbox::Walls;

/// A process to be started.
#[derive(Debug, Clone)]
pub struct Spec {
    pub program: Program,
    pub cwd: PathBuf,
    /// The whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    pub walls: Walls,
    /// What it reads from standard input; nothing if it is empty.
    pub input: Vec<u8>,
    pub timeout: Duration,
    /// How many bytes of each output are kept; the middle is left out beyond that.
    pub output_cap: usize,
}

#[derive(Debug, Clone)]
pub enum Program {
    /// A program and its arguments, with no shell in between.
    Argv { program: OsString, arguments: Vec<OsString> },
    /// A script for a shell, which also reports the folder it ends in.
    Script { shell: PathBuf, text: String },
}

/// The command line, as far as people need it.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Program::Argv { program, arguments } => {
                write!(f, "{}", program.display())?;
                arguments.iter().try_for_each(|argument| write!(f, " {}", argument.display()))
            }
            Program::Script { text, .. } => f.write_str(text.trim()),
        }
    }
}

impl Spec {
    /// Two minutes, as long as a person waits for a command.
    const TIMEOUT: Duration = Duration::from_secs(120);
    /// More than a model should ever be shown.
    const OUTPUT_CAP: usize = 1024 * 1024;

    /// A spec with an empty environment and the usual limits; change its fields as needed.
    pub fn new(program: Program, cwd: impl Into<PathBuf>, walls: Walls) -> Spec {
        Spec {
            program,
            cwd: cwd.into(),
            env: Vec::new(),
            walls,
            input: Vec::new(),
            timeout: Spec::TIMEOUT,
            output_cap: Spec::OUTPUT_CAP,
        }
    }
}
