//! What can be done while a prompt is written. Which key does it is said in `keymap`.

/// What a key means to the editor and to the screen around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Action {
    Insert(char),
    Newline,
    /// Enter: send, or take the marked proposal.
    Submit,
    /// Ctrl-S: say it into the running turn.
    Steer,
    /// Tab: take the marked proposal.
    Complete,
    Backspace,
    Delete,
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Up,
    Down,
    KillToEnd,
    KillToStart,
    KillWord,
    KillBigWord,
    KillWordRight,
    Yank,
    Undo,
    Search,
    /// Esc: close what is open, else stop the turn.
    Escape,
    /// Ctrl-C: clear the input, else stop the turn, else leave.
    Interrupt,
    /// Ctrl-D: leave, or delete when there is text.
    EndOfInput,
    CycleMode,
    Redraw,
}
