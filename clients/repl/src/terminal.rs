//! The terminal's modes: raw input, bracketed paste, word of the focus, and their undoing whatever happens.

use std::io::{self, Write};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
};
use crossterm::{execute, terminal};

/// Raw mode while it lives. Dropped on every way out, a panic included.
pub(crate) struct RawTerminal;

impl RawTerminal {
    pub fn enter() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        // From here on Drop restores, even if the next step fails.
        let guard = Self;
        execute!(io::stdout(), EnableBracketedPaste, EnableFocusChange)?;
        Ok(guard)
    }

    /// Gives the terminal to another program, or takes it back.
    pub fn lend(away: bool) {
        // A terminal that cannot be switched is one that is gone; the next read says so.
        let _ = match away {
            true => execute!(io::stdout(), DisableBracketedPaste, DisableFocusChange)
                .and_then(|()| terminal::disable_raw_mode()),
            false => terminal::enable_raw_mode()
                .and_then(|()| execute!(io::stdout(), EnableBracketedPaste, EnableFocusChange)),
        };
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        let mut out = io::stdout();
        // Nothing can be done about a terminal that is gone.
        let _ = execute!(out, DisableBracketedPaste, DisableFocusChange);
        // The end of a frame that a panic cut off, and the cursor it hid.
        let _ = out.write_all(b"\x1b[?2026l\x1b[?25h");
        let _ = out.flush();
        let _ = terminal::disable_raw_mode();
    }
}
