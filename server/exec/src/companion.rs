//! A process that stays and is spoken to by its standard input and output, such as a language
//! server.
//!
//! Its standard error belongs to people: every line goes to the log, and the last ones are kept,
//! because they often say why a process ended.

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::capture::Decoder;
use crate::group::Group;
use crate::listen::Pipe;
use crate::run::{Exit, exit_of};
use crate::sandbox::{Contained, Walls, Wanted};
use crate::start::{SpawnError, Started, start};

/// How long its last words may still come after the process itself has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// The most of its standard error that is kept.
const KEPT: usize = 8 * 1024;

/// A process just started, with its ends of the conversation.
#[derive(Debug)]
pub struct Companion {
    pub input: ChildStdin,
    pub output: ChildStdout,
    pub process: Process,
}

/// The process itself. Dropped, it ends at once, and its whole group with it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Option<Group>,
    last_words: LastWords,
    /// Reads the standard error, so that the process never waits for a reader.
    listener: JoinHandle<()>,
    /// After the group, which ends before its walls go.
    contained: Option<Contained>,
    program: PathBuf,
    cwd: PathBuf,
}

impl Companion {
    /// Starts `program` with exactly this environment and no shell in between. Building walls takes
    /// as long as the disk does.
    pub fn start(
        program: impl Into<OsString>,
        arguments: &[OsString],
        cwd: &Path,
        env: &[(OsString, OsString)],
        walls: &Walls,
    ) -> Result<Companion, SpawnError> {
        let program = program.into();
        let wanted = Wanted { program: &program, arguments, cwd, env };
        let name = program.display().to_string();
        let Started { mut child, group, mut contained } =
            start(wanted, Stdio::piped(), walls, &name)?;
        if let Some(contained) = &mut contained {
            contained.stays();
        }
        let lost = || SpawnError::Failed {
            program: program.clone().into(),
            source: std::io::ErrorKind::BrokenPipe.into(),
        };
        let input = child.stdin.take().ok_or_else(lost)?;
        let output = child.stdout.take().ok_or_else(lost)?;
        let last_words = LastWords::default();
        let listener = tokio::spawn(listen(child.stderr.take(), name, last_words.clone()));
        Ok(Companion {
            input,
            output,
            process: Process {
                child,
                group,
                last_words,
                listener,
                contained,
                program: program.into(),
                cwd: cwd.to_owned(),
            },
        })
    }
}

impl Process {
    /// `None` once it has ended.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// The last line that is not blank of what it wrote to its standard error; empty if there is
    /// none.
    pub fn last_line(&self) -> String {
        let words = self.last_words.text();
        words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").to_owned()
    }

    /// The end of what it writes to its standard error, also later and when it is gone.
    pub fn last_words(&self) -> LastWords {
        self.last_words.clone()
    }

    /// Waits until it has ended and its last words were heard. May be dropped and asked again.
    pub async fn ended(&mut self) -> Exit {
        let status = self.child.wait().await;
        // Another member of its group may hold the pipe open; nobody waits for that one.
        if !self.listener.is_finished() {
            drop(timeout(DRAIN, &mut self.listener).await);
        }
        status.map_or(Exit::Code(-1), exit_of)
    }

    /// Once it has ended: why the program never ran, where its walls found that out.
    pub async fn failure(&mut self) -> Option<SpawnError> {
        let contained = self.contained.as_mut()?;
        contained.failure(&self.program, &self.cwd).await
    }

    /// Lets it end by itself for as long as `patience` lasts, then ends its whole group.
    pub async fn end(&mut self, patience: Duration) -> Exit {
        let by_itself = timeout(patience, self.ended()).await;
        // Also when the leader has gone: what it started ends with it.
        self.group = None;
        match by_itself {
            Ok(exit) => exit,
            Err(_) => self.ended().await,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn listen(errors: Option<ChildStderr>, name: String, last_words: LastWords) {
    let mut pipe = Pipe::new(errors);
    let mut decoder = Decoder::default();
    while pipe.is_open() {
        let chunk = pipe.read().await;
        let text = if chunk.is_empty() { decoder.finish() } else { decoder.push(chunk) };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            tracing::debug!(program = name, "{line}");
        }
        last_words.push(&text);
    }
}

/// The end of what a process wrote to its standard error.
#[derive(Clone, Debug, Default)]
pub struct LastWords(Arc<Mutex<String>>);

impl LastWords {
    /// As far as it was heard by now.
    pub fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn push(&self, more: &str) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        text.push_str(more);
        // Trimmed only now and then, so that many small pieces do not each move the whole.
        if text.len() > 2 * KEPT {
            let cut = text.ceil_char_boundary(text.len() - KEPT);
            text.drain(..cut);
        }
    }
}
