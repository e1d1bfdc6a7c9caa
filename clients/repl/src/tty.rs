//! The controlling terminal, for a question when stdin or stdout is a pipe.
#![expect(
    clippy::disallowed_methods,
    reason = "the terminal is a device that only the client talks to"
)]

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};

/// Shows `text` on the terminal and reads one line; `None` when there is no terminal.
pub(crate) fn ask(text: &str) -> Option<String> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    terminal.write_all(text.as_bytes()).ok()?;
    terminal.flush().ok()?;
    let mut line = String::new();
    let read = BufReader::new(terminal).read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim().to_owned())
}
