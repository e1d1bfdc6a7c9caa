//! Questions that wait for the user: permissions, the agent's own questions, lists to pick from,
//! changes to review. Each is a small machine: keys in, an answer out, rows to show. None of them sends anything.

pub(crate) mod ask;
mod pages;
pub(crate) mod permission;
pub(crate) mod picker;
pub(crate) mod review;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::connection::ServerId;
use crate::editor::buffer::Buffer;
use crate::editor::layout;
use crate::render::line::Line;
use crate::render::theme;

/// How an answer travels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Origin {
    /// The server asked us: the answer is the response.
    Request(ServerId),
    /// We joined while it was open: the answer is a request of our own.
    Pending,
}

/// What a key did to a question.
#[derive(Debug, PartialEq)]
pub(crate) enum Step<A> {
    /// Still open.
    Open,
    Answered(A),
}

/// A key that gives up: Esc or Ctrl-C.
pub(crate) fn is_escape(key: KeyEvent) -> bool {
    key.code == KeyCode::Esc || is_interrupt(key)
}

pub(crate) fn is_interrupt(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// The digit of a key, as the place in a list: `1` is 0.
pub(crate) fn digit(key: KeyEvent) -> Option<usize> {
    let KeyCode::Char(character) = key.code else { return None };
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return None;
    }
    usize::try_from(character.to_digit(10)?).ok()?.checked_sub(1)
}

/// Moves a mark through a list of `count` entries; false for a key that is no arrow.
pub(crate) fn move_mark(mark: &mut usize, count: usize, key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Up => *mark = (*mark + count.max(1) - 1) % count.max(1),
        KeyCode::Down => *mark = (*mark + 1) % count.max(1),
        KeyCode::Char('p') if control => *mark = (*mark + count.max(1) - 1) % count.max(1),
        KeyCode::Char('n') if control => *mark = (*mark + 1) % count.max(1),
        _ => return false,
    }
    true
}

/// `❯ 1. label`, marked or not.
pub(crate) fn option_row(at: usize, marked: bool, label: &str) -> Line {
    let (sign, style) = if marked { ("❯ ", theme::ACCENT.bold()) } else { ("  ", theme::PLAIN) };
    Line::styled(sign, style).with(format!("{}. ", at + 1), theme::DIM).with(label, style)
}

/// What a key does to a text that is written in a question.
pub(crate) fn write(text: &mut Buffer, key: KeyEvent) {
    match key.code {
        KeyCode::Backspace => text.backspace(),
        KeyCode::Left => text.move_left(),
        KeyCode::Right => text.move_right(),
        KeyCode::Char(character)
            if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) =>
        {
            text.insert(character.encode_utf8(&mut [0; 4]));
        }
        _ => {}
    }
}

/// The rows of such a text, and where its caret stands among them.
pub(crate) fn written(text: &Buffer, width: usize) -> (Vec<Line>, (usize, usize)) {
    let view = layout::view(text, width.saturating_sub(2), 5);
    let row = |(at, row): (usize, &String)| {
        let sign = if at == 0 { "› " } else { "  " };
        Line::styled(sign, theme::ACCENT).with(row, theme::PLAIN)
    };
    let rows = view.rows.iter().enumerate().map(row).collect();
    (rows, (view.caret_row, 2 + view.caret_column))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A key by its name, for tables of tests.
    pub(crate) fn key(name: &str) -> KeyEvent {
        let code = match name {
            "esc" => KeyCode::Esc,
            "enter" => KeyCode::Enter,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "backspace" => KeyCode::Backspace,
            "pagedown" => KeyCode::PageDown,
            "space" => KeyCode::Char(' '),
            "tab" => KeyCode::Tab,
            "backtab" => KeyCode::BackTab,
            name if name.starts_with("ctrl-") || name.starts_with("alt-") => {
                let (modifier, letter) = name.split_once('-').unwrap_or_default();
                let control = modifier == "ctrl";
                let with = if control { KeyModifiers::CONTROL } else { KeyModifiers::ALT };
                return KeyEvent::new(key(letter).code, with);
            }
            other => KeyCode::Char(other.chars().next().unwrap_or(' ')),
        };
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    #[test]
    fn marks_go_round() {
        let mut mark = 0;
        assert!(move_mark(&mut mark, 3, key("up")));
        assert_eq!(mark, 2);
        assert!(move_mark(&mut mark, 3, key("down")));
        assert_eq!(mark, 0);
        assert!(!move_mark(&mut mark, 3, key("x")));
        assert_eq!(digit(key("1")), Some(0));
        assert_eq!(digit(key("0")), None);
    }
}
