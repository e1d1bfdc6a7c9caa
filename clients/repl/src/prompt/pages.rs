//! Rows that may not fit: the part in sight, and the keys that show the rest.

use crossterm::event::{KeyCode, KeyEvent};

use crate::render::line::Line;
use crate::render::theme;

#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// Rows that are scrolled away.
    scroll: usize,
    /// Rows that are in sight: as many as one may scroll without missing one.
    page: usize,
}

impl Pages {
    /// False for a key that scrolls nothing.
    pub fn on_key(&mut self, key: KeyEvent) -> bool {
        match key.code {
            KeyCode::PageDown | KeyCode::Char(' ') => {
                self.scroll = self.scroll.saturating_add(self.page);
            }
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            _ => return false,
        }
        true
    }

    /// Other rows: back to the first one.
    pub fn start_over(&mut self) {
        self.scroll = 0;
    }

    /// The part of the body that fits, and how much of it is out of sight.
    pub fn add(&mut self, body: Vec<Line>, room: usize, lines: &mut Vec<Line>) {
        self.place(body, room, Vec::new(), lines);
    }

    /// The same, for rows whose end matters as much as the beginning: it is always in sight.
    pub fn add_to_the_end(&mut self, body: Vec<Line>, room: usize, lines: &mut Vec<Line>) {
        if body.len() <= room {
            return self.place(body, room, Vec::new(), lines);
        }
        // Two rows: the last one alone may hold the end of a word.
        let end = if room > 3 { 2 } else { 1 };
        let last = body[body.len() - end..].to_vec();
        self.place(body, room.saturating_sub(end).max(1), last, lines);
    }

    fn place(&mut self, body: Vec<Line>, room: usize, mut last: Vec<Line>, lines: &mut Vec<Line>) {
        let total = body.len();
        self.page = room;
        if total <= room {
            self.scroll = 0;
            lines.extend(body);
            return;
        }
        self.scroll = self.scroll.min(total - room);
        let (above, below) = (self.scroll, total - room - self.scroll);
        lines.extend(body.into_iter().skip(self.scroll).take(room));
        // Those of the end that are in sight anyway are not shown twice.
        last.drain(..last.len().saturating_sub(below));
        let end = if last.is_empty() { "" } else { "; the end:" };
        let note = format!("… {above} rows above, {below} below (PgUp, PgDn){end}");
        lines.push(Line::styled(note, theme::WARN));
        lines.extend(last);
    }
}
