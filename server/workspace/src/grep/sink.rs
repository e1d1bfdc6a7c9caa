//! What becomes of the matches in one file: lines to show, or a number.

use std::io;
use std::path::Path;
use std::sync::Arc;

use grep_matcher::{Match, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::collect::Room;

/// Lines longer than this are shown around their match only.
const MAX_LINE: usize = 500;
/// How much of a long line is shown in front of the match.
const LEAD: usize = 120;

/// One line of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub path: Arc<Path>,
    /// Counted from one.
    pub number: u64,
    pub kind: LineKind,
    /// Without its end. A very long line is cut, with `…` where something is missing.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Match,
    Context,
    /// Lines are left out here.
    Break,
}

/// A line before it belongs to a file.
pub(super) struct RawLine {
    number: u64,
    kind: LineKind,
    pub(super) text: String,
}

impl RawLine {
    pub(super) const BREAK: RawLine =
        RawLine { number: 0, kind: LineKind::Break, text: String::new() };
}

impl Line {
    pub(super) fn of(path: &Arc<Path>, raw: RawLine) -> Line {
        Line { path: Arc::clone(path), number: raw.number, kind: raw.kind, text: raw.text }
    }
}

/// Keeps the lines of one file.
pub(super) struct ContentSink<'m> {
    matcher: &'m RegexMatcher,
    only_matching: bool,
    room: Room,
    bytes: usize,
    pub(super) lines: Vec<RawLine>,
    pub(super) binary: bool,
}

impl<'m> ContentSink<'m> {
    pub(super) fn new(matcher: &'m RegexMatcher, only_matching: bool, room: Room) -> Self {
        Self { matcher, only_matching, room, bytes: 0, lines: Vec::new(), binary: false }
    }

    fn push(&mut self, number: u64, kind: LineKind, text: String) {
        self.bytes += text.len() + size_of::<RawLine>();
        self.lines.push(RawLine { number, kind, text });
    }

    fn has_room(&self) -> bool {
        self.lines.len() < self.room.lines && self.bytes < self.room.bytes
    }

    /// Every match by itself; one that spans lines as those lines.
    fn push_matches(&mut self, first: u64, bytes: &[u8]) -> io::Result<()> {
        let mut found: Vec<Match> = Vec::new();
        self.matcher
            .find_iter(bytes, |one| {
                found.push(one);
                true
            })
            .map_err(io::Error::other)?;
        for one in found.into_iter().filter(|one| !one.is_empty()) {
            let before = bytes.get(..one.start()).unwrap_or_default();
            let number = first + newlines(before);
            for (at, line) in (number..).zip(split_lines(bytes.get(one.start()..one.end()))) {
                self.push(at, LineKind::Match, shorten(line, 0));
            }
        }
        Ok(())
    }
}

impl Sink for ContentSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let first = found.line_number().unwrap_or_default();
        if self.only_matching {
            self.push_matches(first, found.bytes())?;
            return Ok(self.has_room());
        }
        for (number, line) in (first..).zip(found.lines()) {
            let line = trim_end(line);
            // Where the match is matters only for a line that must be cut.
            let place = if line.len() > MAX_LINE {
                self.matcher.find(line).map_err(io::Error::other)?.map_or(0, |one| one.start())
            } else {
                0
            };
            self.push(number, LineKind::Match, shorten(line, place));
        }
        Ok(self.has_room())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or_default();
        self.push(number, LineKind::Context, shorten(trim_end(context.bytes()), 0));
        Ok(self.has_room())
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.lines.push(RawLine::BREAK);
        Ok(self.has_room())
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.binary = end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Counts the matches in one file, or finds out whether there is one.
pub(super) struct CountSink<'m> {
    matcher: &'m RegexMatcher,
    stop_at_first: bool,
    pub(super) count: u64,
    pub(super) binary: bool,
}

impl<'m> CountSink<'m> {
    pub(super) fn all(matcher: &'m RegexMatcher) -> Self {
        Self { matcher, stop_at_first: false, count: 0, binary: false }
    }

    pub(super) fn up_to_first(matcher: &'m RegexMatcher) -> Self {
        Self { matcher, stop_at_first: true, count: 0, binary: false }
    }
}

impl Sink for CountSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.stop_at_first {
            self.count = 1;
            return Ok(false);
        }
        if searcher.multi_line_with_matcher(self.matcher) {
            // Several matches that touch arrive as one block of lines.
            let mut matches = 0;
            let counted = self.matcher.find_iter(found.bytes(), |_| {
                matches += 1;
                true
            });
            counted.map_err(io::Error::other)?;
            self.count += matches.max(1);
        } else {
            self.count += 1;
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.binary = end.binary_byte_offset().is_some();
        Ok(())
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn split_lines(bytes: Option<&[u8]>) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.unwrap_or_default();
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.split(|byte| *byte == b'\n').map(trim_end)
}

fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line as text; a long one only around `place`.
fn shorten(line: &[u8], place: usize) -> String {
    if line.len() <= MAX_LINE {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = whole_character(line, place.saturating_sub(LEAD).min(line.len() - MAX_LINE));
    let end = whole_character(line, (start + MAX_LINE).min(line.len()));
    let shown = String::from_utf8_lossy(&line[start..end]);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{shown}{after}")
}

/// The start of the character that this byte is in the middle of.
fn whole_character(line: &[u8], mut at: usize) -> usize {
    while at > 0 && line.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {
        at -= 1;
    }
    at
}
