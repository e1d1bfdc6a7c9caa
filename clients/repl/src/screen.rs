//! The one writer to the terminal: finished rows go into the scrollback, the live part below them
//! is redrawn in place.
//!
//! A frame is one write inside a synchronized update, holds only the rows that changed, and never
//! uses the alternate screen. After a resize the terminal has wrapped our rows anew; how many rows
//! the live part takes now follows from their widths.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::render::line::Line;
use crate::render::theme::Theme;

const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";
const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";
const ERASE_ROW: &str = "\x1b[2K";

/// What is to be seen now.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Rows that are final and go into the scrollback, in order.
    pub finished: Vec<Line>,
    /// The live part, from the top.
    pub live: Vec<Line>,
    /// Row of the live part and column; hidden without it.
    pub caret: Option<(usize, usize)>,
}

pub(crate) struct Screen<W> {
    out: W,
    theme: Theme,
    width: usize,
    /// The live rows as they were written last, with their widths.
    shown: Vec<(String, usize)>,
    /// Rows below the finished ones that still hold an old live part.
    stale: usize,
    /// Where the cursor was left: a row of `shown`, and a column.
    cursor: (usize, usize),
    cursor_visible: bool,
    bytes: String,
}

impl<W: Write> Screen<W> {
    pub fn new(out: W, width: usize, theme: Theme) -> Self {
        Self {
            out,
            theme,
            width: width.max(1),
            shown: Vec::new(),
            stale: 0,
            cursor: (0, 0),
            cursor_visible: true,
            bytes: String::new(),
        }
    }

    /// The terminal has another width; the next frame is drawn whole.
    pub fn resize(&mut self, width: usize) {
        let width = width.max(1);
        if width == self.width {
            return;
        }
        // The terminal wraps rows that no longer fit; the cursor stays with its character.
        let rows_of = |columns: usize| columns.max(1).div_ceil(width);
        let above: usize = self.shown[..self.cursor.0.min(self.shown.len())]
            .iter()
            .map(|(_, columns)| rows_of(*columns))
            .sum();
        let row = above + self.cursor.1 / width;
        self.width = width;
        self.clear_live(row);
    }

    /// How the next frame is drawn.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
    }

    /// Draws everything anew, for Ctrl-L and after something else wrote to the terminal.
    pub fn forget(&mut self) {
        self.clear_live(self.cursor.0);
    }

    /// Rows that need no drawing are not written; an unchanged frame writes nothing at all.
    pub fn draw(&mut self, frame: &Frame) -> io::Result<()> {
        let theme = self.theme;
        let live: Vec<(String, usize)> =
            frame.live.iter().map(|line| encode(line, theme)).collect();
        let caret = frame.caret;
        let same_caret = match caret {
            Some(place) => self.cursor_visible && self.cursor == place,
            None => !self.cursor_visible,
        };
        if frame.finished.is_empty() && live == self.shown && same_caret && self.bytes.is_empty() {
            return Ok(());
        }
        // What a resize has left to erase comes first.
        let erasing = std::mem::take(&mut self.bytes);
        self.bytes.push_str(BEGIN);
        self.bytes.push_str(HIDE_CURSOR);
        self.bytes.push_str(&erasing);
        if !frame.finished.is_empty() {
            self.move_cursor_to_row(0);
            self.write_finished(&frame.finished);
        }
        self.write_live(live);
        self.place_cursor(caret);
        self.bytes.push_str(END);
        self.out.write_all(self.bytes.as_bytes())?;
        self.bytes.clear();
        self.out.flush()
    }

    /// Leaves the terminal with the cursor below everything, visible.
    pub fn finish(&mut self) -> io::Result<()> {
        self.draw(&Frame::default())?;
        self.out.write_all(SHOW_CURSOR.as_bytes())?;
        self.out.flush()
    }

    /// Forgets the live rows and erases them with the next frame; the cursor is `row` rows below
    /// their top.
    fn clear_live(&mut self, row: usize) {
        if row > 0 {
            let _ = write!(self.bytes, "\x1b[{row}A");
        }
        self.bytes.push_str("\r\x1b[J");
        self.shown.clear();
        self.cursor = (0, 0);
    }

    fn move_cursor_to_row(&mut self, row: usize) {
        let here = self.cursor.0;
        // Writing to a String cannot fail.
        if row < here {
            let _ = write!(self.bytes, "\x1b[{}A", here - row);
        } else if row > here {
            let _ = write!(self.bytes, "\x1b[{}B", row - here);
        }
        self.bytes.push('\r');
        self.cursor = (row, 0);
    }

    /// Rows are overwritten one by one: a terminal may take the erasing of a whole screen for
    /// something worth keeping, and put our old live part into its scrollback.
    fn write_finished(&mut self, lines: &[Line]) {
        for line in lines {
            self.bytes.push_str(ERASE_ROW);
            line.encode(&mut self.bytes, self.theme);
            self.bytes.push_str("\r\n");
        }
        self.stale = self.shown.len().saturating_sub(lines.len());
        self.shown.clear();
        self.cursor = (0, 0);
    }

    fn write_live(&mut self, live: Vec<(String, usize)>) {
        for (row, new) in live.iter().enumerate() {
            if self.shown.get(row) == Some(new) {
                continue;
            }
            if row < self.shown.len() || row == 0 {
                self.move_cursor_to_row(row);
            } else {
                // A row that does not exist yet is made by a line feed, which scrolls if needed.
                self.move_cursor_to_row(row - 1);
                self.bytes.push_str("\r\n");
                self.cursor = (row, 0);
            }
            self.bytes.push_str(ERASE_ROW);
            self.bytes.push_str(&new.0);
        }
        let old = self.shown.len().max(std::mem::take(&mut self.stale));
        for row in live.len()..old {
            self.move_cursor_to_row(row);
            self.bytes.push_str(ERASE_ROW);
        }
        self.shown = live;
    }

    fn place_cursor(&mut self, caret: Option<(usize, usize)>) {
        match caret {
            Some((row, column)) => {
                self.move_cursor_to_row(row);
                if column > 0 {
                    let _ = write!(self.bytes, "\x1b[{column}C");
                }
                self.cursor = (row, column);
                self.bytes.push_str(SHOW_CURSOR);
                self.cursor_visible = true;
            }
            None => {
                // At the end of the live part, so that the next finished row starts in its place.
                let last = self.shown.len().saturating_sub(1);
                self.move_cursor_to_row(last);
                self.cursor_visible = false;
            }
        }
    }
}

fn encode(line: &Line, theme: Theme) -> (String, usize) {
    let mut bytes = String::new();
    line.encode(&mut bytes, theme);
    (bytes, line.width())
}

#[cfg(test)]
mod tests;
