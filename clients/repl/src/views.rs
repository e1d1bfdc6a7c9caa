//! Pages that take the whole terminal: older sessions, the whole conversation, background tasks. Each is a
//! small machine like a question: keys in, wishes out, rows to show. None of them sends anything.

pub(crate) mod sessions;
pub(crate) mod tasks;
pub(crate) mod transcript;

use crate::render::line::Line;
use crate::render::theme;

/// Rows of a page and the caret among them.
pub(crate) type Drawn = (Vec<Line>, Option<(usize, usize)>);

/// What stands at the two ends of a row; the left one gives way.
pub(crate) fn ends(left: Line, right: Line, width: usize) -> Line {
    let room = width.saturating_sub(right.width() + 1);
    let mut line = left.truncated(room);
    let gap = width.saturating_sub(line.width() + right.width());
    line.push(&" ".repeat(gap), theme::PLAIN);
    line.extend(&right);
    line.truncated(width)
}

pub(crate) fn rule(width: usize) -> Line {
    Line::styled("─".repeat(width), theme::DIM)
}

/// `key what · key what`, as many as fit; the first ones matter most.
pub(crate) fn hints(pairs: &[(String, &str)], width: usize) -> Line {
    let mut line = Line::default();
    for (key, what) in pairs {
        let gap = if line.spans.is_empty() { "" } else { " · " };
        let more = Line::styled(gap, theme::DIM)
            .with(key, theme::ACCENT)
            .with(format!(" {what}"), theme::DIM);
        if line.width() + more.width() > width {
            break;
        }
        line.extend(&more);
    }
    line
}

/// A part of many rows: which one is on top, and whether the end is followed.
#[derive(Debug, Default)]
pub(crate) struct Scroll {
    pub top: usize,
    pub follows: bool,
    /// Rows in sight, and rows there are, when it was drawn last.
    pub room: usize,
    total: usize,
}

impl Scroll {
    /// The end first.
    pub fn at_end() -> Self {
        Self { follows: true, ..Self::default() }
    }

    fn last_top(&self) -> usize {
        self.total.saturating_sub(self.room)
    }

    pub fn down(&mut self, rows: usize) {
        self.top = (self.top + rows).min(self.last_top());
        self.follows = self.top == self.last_top();
    }

    pub fn up(&mut self, rows: usize) {
        self.top = self.top.saturating_sub(rows);
        self.follows = false;
    }

    pub fn page(&self) -> usize {
        self.room.saturating_sub(1).max(1)
    }

    pub fn go_to_start(&mut self) {
        (self.top, self.follows) = (0, false);
    }

    pub fn go_to_end(&mut self) {
        (self.top, self.follows) = (self.last_top(), true);
    }

    /// Puts a row into sight, with some rows above it.
    pub fn show(&mut self, row: usize) {
        let seen = self.top..self.top + self.room;
        if !seen.contains(&row) {
            self.top = row.saturating_sub(self.room / 3).min(self.last_top());
        }
        self.follows = false;
    }

    /// The rows in sight.
    pub fn fit(&mut self, total: usize, room: usize) -> std::ops::Range<usize> {
        (self.total, self.room) = (total, room);
        self.top = if self.follows { self.last_top() } else { self.top.min(self.last_top()) };
        self.top..(self.top + room).min(total)
    }

    /// `12%`, `all`, `end`.
    pub fn place(&self) -> String {
        if self.total <= self.room {
            return "all".to_owned();
        }
        match self.top == self.last_top() {
            true => "end".to_owned(),
            false => format!("{}%", (self.top + self.room) * 100 / self.total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_stays_within_and_follows_the_end() {
        let mut scroll = Scroll::at_end();
        assert_eq!(scroll.fit(100, 10), 90..100);
        assert_eq!(scroll.fit(120, 10), 110..120);
        scroll.up(5);
        assert_eq!(scroll.fit(130, 10), 105..115);
        scroll.down(1000);
        assert_eq!(scroll.fit(131, 10), 121..131);
        scroll.show(3);
        assert_eq!(scroll.fit(131, 10), 0..10);
        assert_eq!(scroll.place(), "7%");
        assert_eq!(scroll.fit(5, 10), 0..5);
        assert_eq!(scroll.place(), "all");
    }

    #[test]
    fn the_left_end_gives_way() {
        let line = ends(Line::plain("a long title"), Line::plain("end"), 10);
        assert_eq!(line.text(), "a lon… end");
        assert_eq!(ends(Line::plain("a"), Line::plain("end"), 10).text(), "a      end");
    }
}
