//! Which key does what while a prompt is written: a table, and nothing else.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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

pub(crate) fn action(key: KeyEvent) -> Option<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Char(character) if control => with_control(character.to_ascii_lowercase()),
        KeyCode::Char(character) if alt => with_alt(character.to_ascii_lowercase()),
        KeyCode::Char(character) => Some(Action::Insert(character)),
        KeyCode::Enter if alt || control || key.modifiers.contains(KeyModifiers::SHIFT) => {
            Some(Action::Newline)
        }
        KeyCode::Enter => Some(Action::Submit),
        KeyCode::BackTab => Some(Action::CycleMode),
        KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => Some(Action::CycleMode),
        KeyCode::Tab => Some(Action::Complete),
        KeyCode::Esc => Some(Action::Escape),
        KeyCode::Backspace if alt || control => Some(Action::KillWord),
        KeyCode::Backspace => Some(Action::Backspace),
        KeyCode::Delete if alt || control => Some(Action::KillWordRight),
        KeyCode::Delete => Some(Action::Delete),
        KeyCode::Left if alt || control => Some(Action::WordLeft),
        KeyCode::Right if alt || control => Some(Action::WordRight),
        KeyCode::Left => Some(Action::Left),
        KeyCode::Right => Some(Action::Right),
        KeyCode::Up => Some(Action::Up),
        KeyCode::Down => Some(Action::Down),
        KeyCode::Home => Some(Action::LineStart),
        KeyCode::End => Some(Action::LineEnd),
        _ => None,
    }
}

fn with_control(character: char) -> Option<Action> {
    Some(match character {
        'a' => Action::LineStart,
        'b' => Action::Left,
        'c' => Action::Interrupt,
        'd' => Action::EndOfInput,
        'e' => Action::LineEnd,
        'f' => Action::Right,
        'h' => Action::Backspace,
        'j' => Action::Newline,
        'k' => Action::KillToEnd,
        'l' => Action::Redraw,
        'n' => Action::Down,
        'p' => Action::Up,
        'r' => Action::Search,
        's' => Action::Steer,
        'u' => Action::KillToStart,
        'w' => Action::KillBigWord,
        'y' => Action::Yank,
        // A terminal sends Ctrl-_ as one of these, by its keyboard protocol.
        '_' | '-' | '7' | '/' => Action::Undo,
        _ => return None,
    })
}

fn with_alt(character: char) -> Option<Action> {
    Some(match character {
        'b' => Action::WordLeft,
        'f' => Action::WordRight,
        'd' => Action::KillWordRight,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_people_have_in_their_fingers() {
        let key = |code, modifiers| action(KeyEvent::new(code, modifiers));
        let none = KeyModifiers::NONE;
        let control = KeyModifiers::CONTROL;
        let alt = KeyModifiers::ALT;
        for (code, modifiers, expect) in [
            (KeyCode::Enter, none, Some(Action::Submit)),
            (KeyCode::Enter, alt, Some(Action::Newline)),
            (KeyCode::Char('j'), control, Some(Action::Newline)),
            (KeyCode::Char('A'), KeyModifiers::SHIFT, Some(Action::Insert('A'))),
            (KeyCode::Char('w'), control, Some(Action::KillBigWord)),
            (KeyCode::Char('7'), control, Some(Action::Undo)),
            (KeyCode::Char('f'), alt, Some(Action::WordRight)),
            (KeyCode::BackTab, KeyModifiers::SHIFT, Some(Action::CycleMode)),
            (KeyCode::Left, control, Some(Action::WordLeft)),
            (KeyCode::F(5), none, None),
            (KeyCode::Char('x'), control, None),
        ] {
            assert_eq!(key(code, modifiers), expect, "{modifiers:?} {code:?}");
        }
    }
}
