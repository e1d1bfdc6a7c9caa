//! A numbered list to pick one thing from: a session, a model, a mode, yes or no.

use crossterm::event::{KeyCode, KeyEvent};

use super::pages::Pages;
use super::{Step, digit, is_escape, move_mark, option_row};
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::theme;
use crate::render::wrap::{Margin, wrap};

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
    /// What the choice is about, below the title.
    body: Vec<Line>,
    entries: Vec<Entry<T>>,
    marked: usize,
    pages: Pages,
    /// What can be chosen beside each entry; empty when there is nothing.
    levels: Vec<Levels>,
}

/// Steps beside an entry, as the effort of a model.
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels {
    pub names: Vec<String>,
    /// None until one is chosen.
    pub at: Option<usize>,
}

impl Levels {
    fn step(&mut self, more: bool) {
        let last = self.names.len().saturating_sub(1);
        self.at = match (self.at, more) {
            (Some(at), true) => Some((at + 1).min(last)),
            (Some(at), false) => Some(at.saturating_sub(1)),
            (None, true) => Some(last),
            (None, false) => Some(0),
        };
    }

    fn row(&self) -> Line {
        let mut line = Line::plain("     effort ");
        for (at, name) in self.names.iter().enumerate() {
            let style = if Some(at) == self.at { theme::ACCENT.bold() } else { theme::DIM };
            let sign = if Some(at) == self.at { ["[", "]"] } else { [" ", " "] };
            line.push(&format!("{}{}{}", sign[0], strict(name), sign[1]), style);
        }
        line
    }
}

impl<T: Clone> Picker<T> {
    pub fn new(title: impl Into<String>, entries: Vec<Entry<T>>, marked: usize) -> Self {
        Self {
            title: title.into(),
            body: Vec::new(),
            entries,
            marked,
            pages: Pages::default(),
            levels: Vec::new(),
        }
    }

    pub fn about(mut self, body: Vec<Line>) -> Self {
        self.body = body;
        self
    }

    pub fn with_levels(mut self, levels: Vec<Levels>) -> Self {
        self.levels = levels;
        self
    }

    /// The entry with this number, counted from one.
    pub fn value(&self, number: usize) -> Option<&T> {
        self.entries.get(number.checked_sub(1)?).map(|entry| &entry.value)
    }

    pub fn marked_value(&self) -> Option<&T> {
        self.entries.get(self.marked).map(|entry| &entry.value)
    }

    /// The step that is chosen beside the marked entry.
    pub fn level(&self) -> Option<&str> {
        let levels = self.levels.get(self.marked)?;
        levels.names.get(levels.at?).map(String::as_str)
    }

    /// `Answered(None)` when the user picked nothing.
    pub fn on_key(&mut self, key: KeyEvent) -> Step<Option<T>> {
        if is_escape(key) {
            return Step::Answered(None);
        }
        if move_mark(&mut self.marked, self.entries.len(), key) || self.pages.on_key(key) {
            return Step::Open;
        }
        if let (KeyCode::Left | KeyCode::Right, Some(levels)) =
            (key.code, self.levels.get_mut(self.marked))
            && !levels.names.is_empty()
        {
            levels.step(key.code == KeyCode::Right);
            return Step::Open;
        }
        let at = match key.code {
            KeyCode::Enter => Some(self.marked),
            _ => digit(key),
        };
        match at.and_then(|at| Some((at, self.entries.get(at)?))) {
            Some((at, entry)) => {
                self.marked = at;
                Step::Answered(Some(entry.value.clone()))
            }
            None => Step::Open,
        }
    }

    pub fn draw(&mut self, width: usize, height: usize) -> Vec<Line> {
        let mut lines = vec![
            Line::styled("─".repeat(width), theme::DIM),
            Line::styled(strict(&self.title), theme::BOLD).truncated(width),
        ];
        if !self.body.is_empty() {
            let wrapped = |row: &Line| wrap(&row.spans, width, &Margin::indent(2));
            let body = self.body.iter().flat_map(wrapped).collect();
            let room = height.saturating_sub(self.entries.len() + 4).max(3);
            self.pages.add(body, room, &mut lines);
        }
        let levels = self.levels.get(self.marked).filter(|levels| !levels.names.is_empty());
        let room = height.saturating_sub(lines.len() + 1 + usize::from(levels.is_some())).max(1);
        let top = (self.marked + 1).saturating_sub(room);
        for (at, entry) in self.entries.iter().enumerate().skip(top).take(room) {
            lines.push(self.entry_row(at, entry, width));
            if let Some(levels) = levels.filter(|_| at == self.marked) {
                lines.push(levels.row().truncated(width));
            }
        }
        let hint = match self.levels.iter().any(|levels| !levels.names.is_empty()) {
            true => "↑↓ or a number, ←→ effort, enter to pick, esc to leave",
            false => "↑↓ or a number, enter to pick, esc to leave",
        };
        lines.push(Line::styled(hint, theme::DIM).truncated(width));
        lines
    }

    /// A long label gives way to the detail, down to half of the row.
    fn entry_row(&self, at: usize, entry: &Entry<T>, width: usize) -> Line {
        let detail = Line::styled(format!("  {}", strict(&entry.detail)), theme::DIM);
        let room = width.saturating_sub(detail.width()).max(width / 2);
        let mut row = option_row(at, at == self.marked, &strict(&entry.label)).truncated(room);
        row.extend(&detail);
        row.truncated(width)
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

    #[test]
    fn a_detail_stays_in_sight_behind_a_long_label() {
        let entry = Entry { label: "long ".repeat(20), detail: "2m ago".into(), value: 1 };
        let mut picker: Picker<u32> = Picker::new("Pick", vec![entry], 0);
        let text = plain_text(&picker.draw(30, 9));
        assert!(text.contains("❯ 1. long long long l…  2m ago"), "{text}");
    }

    #[test]
    fn what_it_is_about_can_be_read_whole() {
        let body: Vec<Line> = (1..=9).map(|n| Line::plain(format!("row {n}"))).collect();
        let mut picker = picker().about(body);
        let text = plain_text(&picker.draw(60, 12));
        assert!(text.contains("row 4\n… 0 rows above, 5 below"), "{text}");
        assert!(text.contains("entry 4"), "{text}");
        picker.on_key(key("pagedown"));
        picker.on_key(key("pagedown"));
        let text = plain_text(&picker.draw(60, 12));
        assert!(text.contains("row 9\n… 5 rows above, 0 below"), "{text}");
    }

    #[test]
    fn steps_beside_an_entry() {
        let names = || ["low", "medium", "high"].map(str::to_owned).to_vec();
        let levels = vec![Levels { names: names(), at: Some(1) }, Levels::default()];
        let mut picker = picker().with_levels(levels);
        assert_eq!(picker.level(), Some("medium"));
        let text = plain_text(&picker.draw(60, 12));
        assert!(text.contains("effort  low [medium] high"), "{text}");
        picker.on_key(KeyEvent::from(KeyCode::Right));
        picker.on_key(KeyEvent::from(KeyCode::Right));
        assert_eq!(picker.level(), Some("high"));
        picker.on_key(key("down"));
        picker.on_key(KeyEvent::from(KeyCode::Left));
        assert_eq!(picker.level(), None);
        assert!(!plain_text(&picker.draw(60, 12)).contains("effort  "));
    }
}
