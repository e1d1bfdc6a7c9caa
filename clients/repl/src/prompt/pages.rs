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
        self.add_with_end(body, 0, room, lines);
    }

    /// The same, for a body whose first `whole` rows matter to their end: it is in sight from the
    /// first page on.
    pub fn add_with_end(
        &mut self,
        body: Vec<Line>,
        whole: usize,
        room: usize,
        lines: &mut Vec<Line>,
    ) {
        let total = body.len();
        // Two rows: the last one alone may hold the end of a word.
        let end = match whole > room {
            true if room > 3 => 2,
            true => 1,
            false => 0,
        };
        let room = room.saturating_sub(end).max(1);
        self.page = room;
        if total <= room {
            self.scroll = 0;
            lines.extend(body);
            return;
        }
        self.scroll = self.scroll.min(total - room);
        let seen = self.scroll + room;
        let end = whole.saturating_sub(end).max(seen)..whole.max(seen);
        let mark = if end.is_empty() { "" } else { "; the end:" };
        let (above, below) = (self.scroll, total - seen);
        let note = format!("… {above} rows above, {below} below (PgUp, PgDn){mark}");
        lines.extend_from_slice(&body[self.scroll..seen]);
        lines.push(Line::styled(note, theme::WARN));
        lines.extend_from_slice(&body[end]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::line::plain_text;

    fn check(pages: &mut Pages, whole: usize, expect: &str) {
        let body = (1..=9).map(|n| Line::plain(n.to_string())).collect();
        let mut lines = Vec::new();
        pages.add_with_end(body, whole, 5, &mut lines);
        let text =
            plain_text(&lines).replace(" rows above, ", "^").replace(" below (PgUp, PgDn)", "v");
        assert_eq!(text.trim_end().replace('\n', " "), expect);
    }

    #[test]
    fn the_end_is_in_sight_from_the_first_page_on() {
        let down = KeyEvent::from(KeyCode::PageDown);
        let mut pages = Pages::default();
        check(&mut pages, 0, "1 2 3 4 5 … 0^4v");
        check(&mut pages, 5, "1 2 3 4 5 … 0^4v");
        check(&mut pages, 7, "1 2 3 … 0^6v; the end: 6 7");
        check(&mut pages, 9, "1 2 3 … 0^6v; the end: 8 9");
        pages.on_key(down);
        check(&mut pages, 9, "4 5 6 … 3^3v; the end: 8 9");
        check(&mut pages, 7, "4 5 6 … 3^3v; the end: 7");
        pages.on_key(down);
        check(&mut pages, 9, "7 8 9 … 6^0v");
        check(&mut pages, 7, "7 8 9 … 6^0v");
    }
}
