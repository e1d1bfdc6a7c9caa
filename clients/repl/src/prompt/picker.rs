//! A numbered list to pick one thing from: a session, a model, a mode.

use crossterm::event::{KeyCode, KeyEvent};

use super::{Step, digit, is_escape, move_mark, option_row};
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::theme;

/// One thing to pick; `T` is what picking it gives.
#[derive(Debug, Clone)]
pub(crate) struct Entry<T> {
    pub label: String,
    pub detail: String,
    pub value: T,
}

#[derive(Debug)]
pub(crate) struct Picker<T> {
    title: String,
    entries: Vec<Entry<T>>,
    marked: usize,
}

impl<T: Clone> Picker<T> {
    pub fn new(title: impl Into<String>, entries: Vec<Entry<T>>, marked: usize) -> Self {
        Self { title: title.into(), entries, marked }
    }

    /// `Answered(None)` when the user picked nothing.
    pub fn on_key(&mut self, key: KeyEvent) -> Step<Option<T>> {
        if is_escape(key) {
            return Step::Answered(None);
        }
        if move_mark(&mut self.marked, self.entries.len(), key) {
            return Step::Open;
        }
        let at = match key.code {
            KeyCode::Enter => Some(self.marked),
            _ => digit(key),
        };
        match at.and_then(|at| self.entries.get(at)) {
            Some(entry) => Step::Answered(Some(entry.value.clone())),
            None => Step::Open,
        }
    }

    pub fn draw(&self, width: usize, height: usize) -> Vec<Line> {
        let mut lines = vec![
            Line::styled("─".repeat(width), theme::DIM),
            Line::styled(strict(&self.title), theme::BOLD).truncated(width),
        ];
        let room = height.saturating_sub(3).max(1);
        let top = (self.marked + 1).saturating_sub(room);
        for (at, entry) in self.entries.iter().enumerate().skip(top).take(room) {
            let row = option_row(at, at == self.marked, &strict(&entry.label));
            lines.push(
                row.with(format!("  {}", strict(&entry.detail)), theme::DIM).truncated(width),
            );
        }
        let hint = "↑↓ or a number, enter to pick, esc to leave";
        lines.push(Line::styled(hint, theme::DIM).truncated(width));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::key;
    use super::*;
    use crate::render::line::plain_text;

    fn picker() -> Picker<u32> {
        let entry =
            |value: u32| Entry { label: format!("entry {value}"), detail: "detail".into(), value };
        Picker::new("Pick one", (1..=4).map(entry).collect(), 0)
    }

    #[test]
    fn picks_by_mark_and_by_number() {
        for (keys, expect) in [
            ("enter", Some(1)),
            ("down down enter", Some(3)),
            ("up enter", Some(4)),
            ("2", Some(2)),
            ("9 1", Some(1)),
            ("esc", None),
        ] {
            let mut picker = picker();
            let answer = keys.split(' ').map(|name| picker.on_key(key(name))).last();
            assert_eq!(answer, Some(Step::Answered(expect)), "{keys}");
        }
    }

    #[test]
    fn the_mark_stays_in_sight() {
        let mut picker = picker();
        picker.on_key(key("up"));
        let text = plain_text(&picker.draw(30, 5));
        assert!(text.contains("❯ 4. entry 4"), "{text}");
        assert!(!text.contains("entry 1"), "{text}");
    }
}
