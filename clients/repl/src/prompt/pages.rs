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
        let note = format!("… {above} rows above, {below} below (PgUp, PgDn)");
        lines.push(Line::styled(note, theme::WARN));
    }
}
