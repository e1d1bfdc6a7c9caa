//! What happened with one server lately, for people: its standard error, its own log messages, and
//! what we noticed. A ring, so that a server that talks without end costs nothing.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use exec::Process;

/// How many lines are kept, and how long one may be.
const LINES: usize = 200;
const LINE: usize = 500;
/// So many messages that are none are shown; then they are only counted.
const TOLD: u64 = 5;

#[derive(Default)]
pub(crate) struct Log(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    lines: VecDeque<String>,
    /// Messages that were none.
    garbage: u64,
    /// Asked for what the process wrote to its standard error.
    stderr: Option<exec::LastWords>,
}

impl Log {
    pub(crate) fn note(&self, line: &str) {
        // Cut before anything else: it may be as long as a message.
        let line = &line[..line.floor_char_boundary(2 * LINE)];
        let line: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line[..line.floor_char_boundary(LINE)].to_owned();
        let mut kept = self.kept();
        if kept.lines.len() >= LINES {
            kept.lines.pop_front();
        }
        kept.lines.push_back(line);
    }

    /// Something came that is no message. Noted the first few times, counted always.
    pub(crate) fn garbage(&self, what: &str) {
        let count = {
            let mut kept = self.kept();
            kept.garbage += 1;
            kept.garbage
        };
        if count <= TOLD {
            self.note(&format!("Not a message, passed over: {what}"));
        }
    }

    /// From now on, what this process writes to its standard error belongs to the log.
    pub(crate) fn follow(&self, process: &Process) {
        self.kept().stderr = Some(process.last_words());
    }

    /// The oldest line first; then the end of what the process wrote to its standard error.
    pub(crate) fn lines(&self) -> Vec<String> {
        let kept = self.kept();
        let mut lines: Vec<String> = kept.lines.iter().cloned().collect();
        if kept.garbage > TOLD {
            lines.push(format!("{} messages were none.", kept.garbage));
        }
        let stderr = kept.stderr.as_ref().map(exec::LastWords::text).unwrap_or_default();
        let said = stderr.lines().filter(|line| !line.trim().is_empty());
        lines.extend(said.map(|line| {
            let line = &line[..line.floor_char_boundary(LINE)];
            format!("stderr: {}", line.trim_end())
        }));
        lines
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
