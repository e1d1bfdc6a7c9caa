//! The whole conversation: everything that was said, thought and done, to scroll through and to search.

use crossterm::event::{KeyCode, KeyEvent};

use super::{Drawn, Scroll, ends, hints};
use crate::editor::buffer::Buffer;
use crate::keymap::Keymap;
use crate::prompt::{is_interrupt, write};
use crate::render::line::Line;
use crate::render::theme;
use crate::state::transcript::{Transcript, Whole};

pub(crate) struct TranscriptView {
    whole: Whole,
    details: bool,
    scroll: Scroll,
    search: Search,
    /// What became of the last wish, until the next key.
    pub told: Option<String>,
}

#[derive(Default)]
struct Search {
    /// While it is written.
    field: Option<Buffer>,
    words: String,
    /// Rows with the words: those that do not change, and how many of them were looked at.
    found: Vec<usize>,
    looked_at: usize,
    /// Rows with the words among those that may still change.
    found_late: Vec<usize>,
    /// The row that the user was led to.
    at: Option<usize>,
    /// Where the search began: it goes on from there while it is written.
    from: usize,
}

/// What is left to do for the owner.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    Nothing,
    Close,
    CopyAnswer,
    CopyAll,
    Export,
}

impl TranscriptView {
    pub fn new() -> Self {
        let (scroll, search) = (Scroll::at_end(), Search::default());
        Self { whole: Whole::new(), details: true, scroll, search, told: None }
    }

    /// Letters are a text.
    pub fn writes(&self) -> bool {
        self.search.field.is_some()
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(field) = &mut self.search.field {
            field.insert(text.lines().next().unwrap_or_default());
            self.look_from_start();
        }
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Asked {
        self.told = None;
        if self.search.field.is_some() {
            self.on_search_key(key);
            return Asked::Nothing;
        }
        match key.code {
            _ if is_interrupt(key) => return Asked::Close,
            KeyCode::Char('j') => self.scroll.down(1),
            KeyCode::Char('k') => self.scroll.up(1),
            KeyCode::Char(' ') => self.scroll.down(self.scroll.page()),
            KeyCode::Char('b') => self.scroll.up(self.scroll.page()),
            KeyCode::Char('g') => self.scroll.go_to_start(),
            KeyCode::Char('G') => self.scroll.go_to_end(),
            KeyCode::Char('/') => {
                let from = self.scroll.top;
                self.search = Search { field: Some(Buffer::default()), from, ..Search::default() };
            }
            KeyCode::Char('n') => self.go(true),
            KeyCode::Char('N') => self.go(false),
            KeyCode::Char(']') => self.go_to_prompt(true),
            KeyCode::Char('[') => self.go_to_prompt(false),
            KeyCode::Char('x') => self.details = !self.details,
            KeyCode::Char('y') => return Asked::CopyAnswer,
            KeyCode::Char('Y') => return Asked::CopyAll,
            KeyCode::Char('e') => return Asked::Export,
            // First the marks go, then the page.
            KeyCode::Esc if !self.search.words.is_empty() => self.search = Search::default(),
            KeyCode::Esc => return Asked::Close,
            _ => {}
        }
        Asked::Nothing
    }

    fn on_search_key(&mut self, key: KeyEvent) {
        let Some(field) = &mut self.search.field else { return };
        match key.code {
            KeyCode::Esc => return self.search = Search::default(),
            _ if is_interrupt(key) => return self.search = Search::default(),
            KeyCode::Enter => {
                self.search.field = None;
                if !self.search.words.is_empty() && self.search.at.is_none() {
                    self.told = Some(format!("nothing with: {}", self.search.words));
                }
                return;
            }
            _ => write(field, key),
        }
        self.look_from_start();
    }

    /// Other words: from where the search began.
    fn look_from_start(&mut self) {
        let Some(field) = &self.search.field else { return };
        let words = field.text().to_lowercase();
        let from = self.search.from;
        self.search.start_over(words);
        self.search.look(&self.whole);
        let found = self.search.all().find(|row| *row >= from);
        self.search.at = found.or_else(|| self.search.all().next());
        match self.search.at {
            Some(row) => self.scroll.show(row),
            None => self.scroll.top = from,
        }
    }

    fn go(&mut self, forward: bool) {
        if self.search.words.is_empty() {
            return self.told = Some("search with / first".to_owned());
        }
        let here = self.search.at.unwrap_or(self.scroll.top);
        let all: Vec<usize> = self.search.all().collect();
        let next = match forward {
            true => all.iter().find(|row| **row > here).or(all.first()),
            false => all.iter().rev().find(|row| **row < here).or(all.last()),
        };
        self.search.at = next.copied();
        match self.search.at {
            Some(row) => self.scroll.show(row),
            None => self.told = Some(format!("nothing with: {}", self.search.words)),
        }
    }

    fn go_to_prompt(&mut self, forward: bool) {
        let here = self.scroll.top;
        let found = match forward {
            true => self.whole.prompts().find(|row| *row > here),
            false => self.whole.prompts().rev().find(|row| *row < here),
        };
        if let Some(row) = found {
            self.scroll.up(0);
            self.scroll.top = row;
        }
    }

    /// All of it as plain text.
    pub fn text(&self) -> String {
        self.whole.rows().iter().map(|row| row.text().trim_end().to_owned() + "\n").collect()
    }

    pub fn draw(
        &mut self,
        transcript: &Transcript,
        keymap: &Keymap,
        (width, height): (usize, usize),
    ) -> Drawn {
        let (part, into) = self.whole.part_at(self.scroll.top);
        if self.whole.update(transcript, width, self.details) {
            // The part in sight stays in sight, however many rows it takes now.
            self.scroll.top = self.whole.start_of(part) + into;
            let words = std::mem::take(&mut self.search.words);
            self.search.start_over(words);
            self.search.at = None;
        }
        self.search.look(&self.whole);
        let room = height.saturating_sub(2).max(1);
        let rows = self.whole.rows();
        let range = self.scroll.fit(rows.len(), room);
        let mut lines: Vec<Line> = Vec::with_capacity(height);
        for at in range {
            let Some(row) = rows.get(at) else { break };
            let marked = marked(row, &self.search.words, Some(at) == self.search.at);
            lines.push(marked.truncated(width));
        }
        lines.resize(room, Line::default());
        lines.push(super::rule(width));
        let (foot, caret) = self.foot(keymap, width);
        lines.push(foot);
        (lines, caret.map(|column| (height.saturating_sub(1), column)))
    }

    fn foot(&self, keymap: &Keymap, width: usize) -> (Line, Option<usize>) {
        let place = Line::styled(self.scroll.place(), theme::DIM);
        if let Some(field) = &self.search.field {
            let found = self.search.all().count();
            let left = Line::styled("/", theme::ACCENT).with(field.text(), theme::PLAIN);
            let column = 1 + crate::render::width::text_width(&field.text()[..field.caret()]);
            let count = match (found, self.search.words.is_empty()) {
                (_, true) => String::new(),
                (0, _) => "nothing".to_owned(),
                (count, _) => format!("{count} rows"),
            };
            return (ends(left, Line::styled(count, theme::DIM), width), Some(column.min(width)));
        }
        if let Some(told) = &self.told {
            return (ends(Line::styled(told, theme::WARN), place, width), None);
        }
        let place = match (self.search.words.is_empty(), self.search.at) {
            (false, Some(at)) => {
                let before = self.search.all().filter(|row| *row <= at).count();
                let all = self.search.all().count();
                Line::styled(format!("{before}/{all} · "), theme::WARN)
                    .with(place.text(), theme::DIM)
            }
            _ => place,
        };
        let key = |name: &str| keymap.key_for(name).unwrap_or_else(|| "-".to_owned());
        let pairs = [
            (key("transcript:close"), "back"),
            (key("transcript:search"), "search"),
            (
                format!("{} {}", key("transcript:searchNext"), key("transcript:searchPrevious")),
                "next, before",
            ),
            (
                format!("{} {}", key("transcript:previousPrompt"), key("transcript:nextPrompt")),
                "prompts",
            ),
            (key("transcript:toggleDetails"), if self.details { "in short" } else { "details" }),
            (format!("{} {}", key("transcript:copy"), key("transcript:copyAll")), "copy"),
            (key("transcript:export"), "export"),
        ];
        let left = hints(&pairs, width.saturating_sub(place.width() + 1));
        (ends(left, place, width), None)
    }
}

impl Search {
    fn start_over(&mut self, words: String) {
        self.words = words;
        self.found.clear();
        self.found_late.clear();
        self.looked_at = 0;
    }

    /// Looks at what is new.
    fn look(&mut self, whole: &Whole) {
        self.found_late.clear();
        if self.words.is_empty() {
            return;
        }
        let has = |row: &Line| row.text().to_lowercase().contains(&self.words);
        let settled = whole.settled();
        for (at, row) in whole.rows().iter().enumerate().skip(self.looked_at) {
            if has(row) {
                let found = if at < settled { &mut self.found } else { &mut self.found_late };
                found.push(at);
            }
        }
        self.looked_at = settled;
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.found.iter().chain(&self.found_late).copied()
    }
}

/// The row with the words marked; those of the row that was gone to stand out more.
fn marked(row: &Line, words: &str, current: bool) -> Line {
    let text = row.text();
    let lower = text.to_lowercase();
    // Only where small letters take the places of the great ones can places be compared.
    if words.is_empty() || lower.len() != text.len() || !lower.contains(words) {
        return row.clone();
    }
    let places: Vec<_> =
        lower.match_indices(words).map(|(at, found)| at..at + found.len()).collect();
    let mut line = Line::default();
    let mut at = 0;
    for span in &row.spans {
        for letter in span.text.chars() {
            let inside = places.iter().any(|place| place.contains(&at));
            let style = match (inside, current) {
                (true, true) => span.style.invert().bold(),
                (true, false) => span.style.underline().bold(),
                _ => span.style,
            };
            line.push(letter.encode_utf8(&mut [0; 4]), style);
            at += letter.len_utf8();
        }
    }
    line
}
