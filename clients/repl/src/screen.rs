//! The one writer to the terminal: finished rows go into the scrollback, the live part below them
//! is redrawn in place.
//!
//! A frame is one write inside a synchronized update and holds only the rows that changed. After a
//! resize the terminal has wrapped our rows anew; how many rows the live part takes now follows from
//! their widths. A page that takes the whole terminal (a list of sessions, the whole conversation) is
//! drawn on the terminal's second screen, so that what was there is there again when it closes.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::render::line::Line;
use crate::render::theme::Theme;

const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";
const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";
const ERASE_ROW: &str = "\x1b[2K";
const OPEN_PAGE: &str = "\x1b[?1049h";
const CLOSE_PAGE: &str = "\x1b[?1049l";
const ERASE_PAGE: &str = "\x1b[H\x1b[2J";

/// What is to be seen now.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Rows that are final and go into the scrollback, in order.
    pub finished: Vec<Line>,
    /// The live part, from the top.
    pub live: Vec<Line>,
    /// Row of the live part and column; hidden without it.
    pub caret: Option<(usize, usize)>,
    /// The live part is a page that takes the whole terminal; nothing is finished meanwhile.
    pub page: bool,
}

/// What is known of the rows on one of the terminal's two screens.
#[derive(Default)]
struct Shown {
    /// The live rows as they were written last, with their widths.
    rows: Vec<(String, usize)>,
    /// Rows below the finished ones that still hold an old live part.
    stale: usize,
    /// Where the cursor was left: a row of `rows`, and a column.
    cursor: (usize, usize),
    width: usize,
}

pub(crate) struct Screen<W: Write> {
    out: W,
    theme: Theme,
    /// The terminal, as it was told last.
    size: (usize, usize),
    shown: Shown,
    /// While a page is open: what is on the screen behind it.
    behind: Option<Shown>,
    cursor_visible: bool,
    bytes: String,
}

impl<W: Write> Screen<W> {
    pub fn new(out: W, width: usize, theme: Theme) -> Self {
        let width = width.max(1);
        Self {
            out,
            theme,
            size: (width, 0),
            shown: Shown { width, ..Shown::default() },
            behind: None,
            cursor_visible: true,
            bytes: String::new(),
        }
    }

    /// The terminal has another size; the next frame is drawn whole.
    pub fn resize(&mut self, width: usize, height: usize) {
        let size = (width.max(1), height);
        if std::mem::replace(&mut self.size, size) == size {
            return;
        }
        if self.behind.is_some() {
            self.erase_page();
        } else {
            self.rewrap();
        }
    }

    /// The terminal wraps rows that no longer fit; the cursor stays with its character.
    fn rewrap(&mut self) {
        let width = self.size.0;
        if width == self.shown.width {
            return;
        }
        let rows_of = |columns: usize| columns.max(1).div_ceil(width);
        let (row, column) = self.shown.cursor;
        let above = self.shown.rows.iter().take(row);
        let above: usize = above.map(|(_, columns)| rows_of(*columns)).sum();
        self.shown.width = width;
        self.clear_live(above + column / width);
    }

    fn erase_page(&mut self) {
        self.bytes.push_str(ERASE_PAGE);
        self.shown = Shown { width: self.size.0, ..Shown::default() };
    }

    /// Opens or closes the page.
    fn turn_page(&mut self, page: bool) {
        match (page, self.behind.take()) {
            (true, None) => {
                self.behind = Some(std::mem::take(&mut self.shown));
                self.bytes.push_str(OPEN_PAGE);
                self.erase_page();
            }
            (false, Some(behind)) => {
                self.bytes.push_str(CLOSE_PAGE);
                self.shown = behind;
                // The terminal wraps those rows when they come back.
                self.rewrap();
            }
            (_, behind) => self.behind = behind,
        }
    }

    /// How the next frame is drawn.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
    }

    /// Draws everything anew, for Ctrl-L and after something else wrote to the terminal.
    pub fn forget(&mut self) {
        match self.behind {
            Some(_) => self.erase_page(),
            None => self.clear_live(self.shown.cursor.0),
        }
    }

    /// Writes what shows nothing: a bell, a word for the clipboard.
    pub fn pass(&mut self, bytes: &str) -> io::Result<()> {
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// Rows that need no drawing are not written; an unchanged frame writes nothing at all.
    pub fn draw(&mut self, frame: &Frame) -> io::Result<()> {
        let theme = self.theme;
        let live: Vec<(String, usize)> =
            frame.live.iter().map(|line| encode(line, theme)).collect();
        let caret = frame.caret;
        self.turn_page(frame.page);
        let same_caret = match caret {
            Some(place) => self.cursor_visible && self.shown.cursor == place,
            None => !self.cursor_visible,
        };
        if frame.finished.is_empty()
            && live == self.shown.rows
            && same_caret
            && self.bytes.is_empty()
        {
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
        self.shown.rows.clear();
        self.shown.cursor = (0, 0);
    }

    fn move_cursor_to_row(&mut self, row: usize) {
        let here = self.shown.cursor.0;
        // Writing to a String cannot fail.
        if row < here {
            let _ = write!(self.bytes, "\x1b[{}A", here - row);
        } else if row > here {
            let _ = write!(self.bytes, "\x1b[{}B", row - here);
        }
        self.bytes.push('\r');
        self.shown.cursor = (row, 0);
    }

    /// Rows are overwritten one by one: a terminal may take the erasing of a whole screen for
    /// something worth keeping, and put our old live part into its scrollback.
    fn write_finished(&mut self, lines: &[Line]) {
        for line in lines {
            self.bytes.push_str(ERASE_ROW);
            line.encode(&mut self.bytes, self.theme);
            self.bytes.push_str("\r\n");
        }
        self.shown.stale = self.shown.rows.len().saturating_sub(lines.len());
        self.shown.rows.clear();
        self.shown.cursor = (0, 0);
    }

    fn write_live(&mut self, live: Vec<(String, usize)>) {
        for (row, new) in live.iter().enumerate() {
            if self.shown.rows.get(row) == Some(new) {
                continue;
            }
            if row < self.shown.rows.len() || row == 0 {
                self.move_cursor_to_row(row);
            } else {
                // A row that does not exist yet is made by a line feed, which scrolls if needed.
                self.move_cursor_to_row(row - 1);
                self.bytes.push_str("\r\n");
                self.shown.cursor = (row, 0);
            }
            self.bytes.push_str(ERASE_ROW);
            self.bytes.push_str(&new.0);
        }
        let old = self.shown.rows.len().max(std::mem::take(&mut self.shown.stale));
        for row in live.len()..old {
            self.move_cursor_to_row(row);
            self.bytes.push_str(ERASE_ROW);
        }
        self.shown.rows = live;
    }

    fn place_cursor(&mut self, caret: Option<(usize, usize)>) {
        match caret {
            Some((row, column)) => {
                self.move_cursor_to_row(row);
                if column > 0 {
                    let _ = write!(self.bytes, "\x1b[{column}C");
                }
                self.shown.cursor = (row, column);
                self.bytes.push_str(SHOW_CURSOR);
                self.cursor_visible = true;
            }
            None => {
                // At the end of the live part, so that the next finished row starts in its place.
                let last = self.shown.rows.len().saturating_sub(1);
                self.move_cursor_to_row(last);
                self.cursor_visible = false;
            }
        }
    }
}

/// A terminal must not stay on a page when we end in the middle of one.
impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        if self.behind.is_some() {
            // Nothing can be done about a terminal that is gone.
            let _ = self.out.write_all(CLOSE_PAGE.as_bytes());
            let _ = self.out.flush();
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
