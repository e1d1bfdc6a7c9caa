//! The process's surroundings: what it prints, and the signals it gets.

use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The one place that writes to stdout outside the protocol. A reader that went away (`| head`)
/// is no error.
pub fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{text}{newline}").and_then(|()| out.flush());
}

/// For people, beside the answer that scripts read.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "bowline: {text}");
}

pub fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// More than this is not a prompt.
const STDIN_CAP: u64 = 10 * 1024 * 1024;

/// All of standard input, as far as it is text and not endless.
pub fn read_stdin() -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(STDIN_CAP + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("Standard input cannot be read: {error}."))?;
    if bytes.len() as u64 > STDIN_CAP {
        return Err(
            "Standard input is longer than 10 MB; save it to a file and name the file.".into()
        );
    }
    String::from_utf8(bytes).map_err(|_| {
        "Standard input is not UTF-8 text; save it to a file and name the file.".to_owned()
    })
}

/// The next line, or nothing when there is none.
pub fn read_line() -> Option<String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().take(STDIN_CAP).read_line(&mut line).ok()?;
    (read > 0).then_some(line)
}

/// One line from the terminal, without showing it.
pub fn read_hidden(prompt: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("The terminal cannot be read: {error}.");
    let _ = write!(std::io::stderr().lock(), "{prompt}");
    let hidden = Hidden::new().map_err(failed)?;
    let mut line = String::new();
    let read = std::io::stdin().lock().take(STDIN_CAP).read_line(&mut line);
    drop(hidden);
    let _ = writeln!(std::io::stderr().lock());
    read.map(|_| line).map_err(failed)
}

/// As long as this lives, the terminal does not show what is typed.
struct Hidden(Termios);

impl Hidden {
    fn new() -> std::io::Result<Hidden> {
        let before = tcgetattr(std::io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &silent)?;
        Ok(Hidden(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, &self.0);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// Ctrl-C.
    Int,
    Term,
}

impl Interrupt {
    /// As shells count.
    pub fn exit_code(self) -> u8 {
        match self {
            Interrupt::Int => 130,
            Interrupt::Term => 143,
        }
    }
}

/// The signals that ask us to stop.
pub struct Signals {
    int: Signal,
    term: Signal,
    hup: Signal,
}

impl Signals {
    pub fn new() -> std::io::Result<Self> {
        let (int, term) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { int: signal(int)?, term: signal(term)?, hup: signal(SignalKind::hangup())? })
    }

    pub async fn next(&mut self) -> Interrupt {
        tokio::select! {
            _ = self.int.recv() => Interrupt::Int,
            _ = self.term.recv() => Interrupt::Term,
            // The terminal is gone; there is nobody left to tell the two apart.
            _ = self.hup.recv() => Interrupt::Term,
        }
    }
}
