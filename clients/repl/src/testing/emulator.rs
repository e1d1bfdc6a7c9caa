//! A small terminal: understands exactly what `screen` writes, and keeps screen and scrollback.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use unicode_segmentation::UnicodeSegmentation as _;

use crate::render::width::width_of_grapheme;

/// A terminal that can be written to from one place and looked at from another.
#[derive(Clone)]
pub(crate) struct Emulator(Arc<Mutex<State>>);

struct State {
    width: usize,
    height: usize,
    /// Scrollback and screen together; the screen is the last `height` rows.
    rows: Vec<Vec<String>>,
    row: usize,
    column: usize,
    /// The first screen with its cursor, while the second one is shown.
    behind: Option<(Vec<Vec<String>>, usize, usize)>,
    bytes: usize,
    frames: usize,
    /// The end of an escape sequence that a write cut off.
    rest: String,
}

impl Emulator {
    pub fn new(width: usize, height: usize) -> Self {
        let state = State {
            width,
            height,
            rows: vec![Vec::new()],
            row: 0,
            column: 0,
            behind: None,
            bytes: 0,
            frames: 0,
            rest: String::new(),
        };
        Self(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics while it holds the terminal")
    }

    /// Everything that was ever shown and not erased, without trailing spaces and rows.
    pub fn text(&self) -> String {
        let state = self.state();
        let rows: Vec<String> =
            state.rows.iter().map(|row| row.concat().trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// Row and column of the cursor, from the very first row.
    pub fn cursor(&self) -> (usize, usize) {
        let state = self.state();
        (state.row, state.column)
    }

    pub fn width(&self) -> u16 {
        u16::try_from(self.state().width).expect("a small terminal")
    }

    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    pub fn frames(&self) -> usize {
        self.state().frames
    }

    /// Another width: rows that no longer fit are wrapped, as terminals do it. Those of a second screen
    /// are not, but those behind it are.
    pub fn resize(&self, width: usize) {
        let mut state = self.state();
        state.width = width;
        if let Some(behind) = state.behind.take() {
            state.behind = Some(wrapped(behind, width));
            state.rows.iter_mut().for_each(|row| row.truncate(width));
            return;
        }
        let here = (std::mem::take(&mut state.rows), state.row, state.column);
        (state.rows, state.row, state.column) = wrapped(here, width);
    }
}

type Rows = (Vec<Vec<String>>, usize, usize);

fn wrapped((old, cursor_row, cursor_column): Rows, width: usize) -> Rows {
    let mut rows = Vec::new();
    let mut cursor = (0, 0);
    for (at, row) in old.iter().enumerate() {
        let first = rows.len();
        let mut chunks: Vec<Vec<String>> = row.chunks(width).map(<[String]>::to_vec).collect();
        if chunks.is_empty() {
            chunks.push(Vec::new());
        }
        if at == cursor_row {
            cursor = (first + cursor_column / width, cursor_column % width);
            while chunks.len() <= cursor_column / width {
                chunks.push(Vec::new());
            }
        }
        rows.extend(chunks);
    }
    (rows, cursor.0, cursor.1)
}

impl Write for Emulator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        state.bytes += bytes.len();
        let text = std::mem::take(&mut state.rest) + std::str::from_utf8(bytes).expect("UTF-8");
        state.feed(&text);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl State {
    fn feed(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(sequence) = rest.strip_prefix("\x1b[") {
                let end =
                    sequence.find(|c: char| ('@'..='~').contains(&c)).expect("whole sequence");
                self.control(&sequence[..end], sequence.as_bytes()[end]);
                rest = &sequence[end + 1..];
                continue;
            }
            if let Some(word) = rest.strip_prefix("\x1b]") {
                let end = word.find('\x07').expect("whole sequence");
                rest = &word[end + 1..];
                continue;
            }
            let end = rest.find('\x1b').unwrap_or(rest.len());
            for grapheme in rest[..end].graphemes(true) {
                self.put(grapheme);
            }
            rest = &rest[end..];
        }
    }

    fn put(&mut self, grapheme: &str) {
        match grapheme {
            "\x07" => {}
            "\r" => self.column = 0,
            "\n" => self.down(),
            "\r\n" => {
                self.column = 0;
                self.down();
            }
            _ => {
                let columns = width_of_grapheme(grapheme);
                if self.column + columns > self.width {
                    self.column = 0;
                    self.down();
                }
                let (row, column) = (self.row, self.column);
                let cells = &mut self.rows[row];
                while cells.len() < column + columns {
                    cells.push(" ".into());
                }
                cells[column] = grapheme.to_owned();
                for cell in &mut cells[column + 1..column + columns] {
                    *cell = String::new();
                }
                self.column += columns;
            }
        }
    }

    fn down(&mut self) {
        self.row += 1;
        while self.rows.len() <= self.row {
            self.rows.push(Vec::new());
        }
    }

    fn control(&mut self, parameters: &str, kind: u8) {
        let number = parameters.parse::<usize>().unwrap_or(1).max(1);
        let top = self.rows.len().saturating_sub(self.height);
        match kind {
            b'A' => self.row = self.row.saturating_sub(number).max(top),
            b'B' => self.row = (self.row + number).min(self.rows.len() - 1),
            b'C' => self.column = (self.column + number).min(self.width - 1),
            b'H' => (self.row, self.column) = (top, 0),
            b'J' if parameters == "2" => self.rows[top..].iter_mut().for_each(Vec::clear),
            b'J' => {
                self.rows.truncate(self.row + 1);
                let column = self.column;
                self.rows[self.row].truncate(column);
            }
            b'K' => {
                assert_eq!(parameters, "2");
                self.rows[self.row].clear();
            }
            b'h' if parameters == "?2026" => self.frames += 1,
            b'h' if parameters == "?1049" => {
                let rows = std::mem::replace(&mut self.rows, vec![Vec::new()]);
                self.behind = Some((rows, self.row, self.column));
                (self.row, self.column) = (0, 0);
            }
            b'l' if parameters == "?1049" => {
                let behind = self.behind.take().expect("the second screen is shown");
                (self.rows, self.row, self.column) = behind;
            }
            b'm' | b'h' | b'l' => {}
            other => panic!("the terminal does not know CSI {parameters}{}", char::from(other)),
        }
    }
}
