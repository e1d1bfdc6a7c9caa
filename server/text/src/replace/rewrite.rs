//! A change that was made to a quote, made to the text that was meant.
//!
//! Lines that the change leaves alone are not touched. In the others the new words are taken, with
//! the indentation of the file, and what stands for the same word, mark or end of line as before
//! stays as the file has it.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::fold::{BLANKS, is_curly};
use super::indent::{Mapping, indentation};
use crate::diff::{Budget, Refined, compare_lines, split_lines, starts, words};
use crate::newline::Newline;
use crate::quote::{is_quote, straight};

/// In a run of changed lines as big as this on both sides, words are compared to find what stays.
const WORDS_COMPARED: usize = 4_000;

/// Where the text that was meant stands.
pub(super) struct Place<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: Range<usize>,
    /// The indentation, when it is not that of the quote.
    pub(super) mapping: Option<Mapping<'t>>,
    /// The first line is quoted from its start, with its indentation.
    pub(super) from_start: bool,
}

impl<'t> Place<'t> {
    fn found(&self) -> &'t str {
        &self.text[self.bytes.clone()]
    }

    /// How a new line ends here.
    fn newline(&self) -> &'static str {
        let after = &self.text[self.bytes.start..];
        let at = after.find(['\n', '\r']).unwrap_or(after.len());
        match &after[at..] {
            rest if rest.starts_with("\r\n") => "\r\n",
            rest if rest.starts_with('\r') => "\r",
            _ => "\n",
        }
    }
}

/// A change of a quote, ready to be made in many places.
pub(super) struct Rewrite<'a> {
    new: Vec<&'a str>,
    runs: Vec<Run>,
    /// The ends of lines of the file, if there is one answer for all of it.
    newline: Option<&'static str>,
    has_curly: bool,
}

/// Changed lines, by their numbers.
struct Run {
    old: Range<usize>,
    new: Range<usize>,
    kept: Vec<Kept>,
}

/// A quotation mark or an end of line that the change leaves alone.
struct Kept {
    /// The byte in the new lines of the run.
    at: usize,
    /// Which of the marks and ends in the old lines of the run it is.
    mark: usize,
}

impl Run {
    fn kept_mark(&self, at: usize) -> Option<usize> {
        let found = self.kept.binary_search_by_key(&at, |kept| kept.at).ok()?;
        Some(self.kept[found].mark)
    }
}

impl<'a> Rewrite<'a> {
    /// Both texts have `\n` at the ends of lines; `text` is the file.
    pub(super) fn new(old: &'a str, new: &'a str, text: &str) -> Rewrite<'a> {
        let (old_lines, new_lines) = (split_lines(old), split_lines(new));
        let mut budget = Budget::for_pieces(WORDS_COMPARED);
        let changed = compare_lines(&old_lines, &new_lines).into_iter();
        let changed = changed.filter(|op| !matches!(op, DiffOp::Equal { .. }));
        let runs = changed.map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            let kept = kept(&old_lines[old.clone()], &new_lines[new.clone()], &mut budget);
            Run { old, new, kept }
        });
        Rewrite {
            runs: runs.collect(),
            new: new_lines,
            newline: Newline::of(text).as_str(),
            has_curly: old.contains(is_curly),
        }
    }

    /// Makes the change in one place; the places must come in order.
    pub(super) fn apply(&self, place: &Place<'_>, refined: &mut Refined) {
        let found = split_lines(place.found());
        let starts = starts(&found, place.bytes.start);
        let newline = self.newline.unwrap_or_else(|| place.newline());
        let straighten = self.has_curly && !place.found().contains(is_curly);
        for run in &self.runs {
            let Some(lines) = found.get(run.old.clone()) else { return };
            let mut text =
                Adapted { text: String::new(), marks: marks(lines), newline, straighten };
            let mut at = 0;
            for number in run.new.clone() {
                let line = self.new[number];
                let mapping = place.mapping.as_ref().filter(|_| number > 0 || place.from_start);
                text.push_line(line, mapping, |byte| run.kept_mark(at + byte));
                at += line.len();
            }
            refined.replace(place.text, starts[run.old.start]..starts[run.old.end], &text.text);
        }
    }
}

/// New lines as the file would have them.
struct Adapted<'t> {
    text: String,
    /// The quotation marks of the lines in the file, and their ends with the blanks before them.
    marks: Vec<&'t str>,
    newline: &'static str,
    straighten: bool,
}

impl Adapted<'_> {
    /// Adds a line; `kept` tells which mark stands at a byte of it, if it was there before.
    fn push_line(
        &mut self,
        line: &str,
        mapping: Option<&Mapping<'_>>,
        kept: impl Fn(usize) -> Option<usize>,
    ) {
        let marks = &self.marks;
        let mark = |byte: usize| kept(byte).and_then(|mark| marks.get(mark).copied());
        let (content, end) = split_end(line);
        let blanks = indentation(content);
        match mapping.filter(|_| blanks.len() < content.len()) {
            Some(mapping) => self.text.push_str(&mapping.apply(blanks)),
            None => self.text.push_str(blanks),
        }
        for (at, c) in content.char_indices().skip(blanks.len()) {
            match Some(at).filter(|_| is_quote(c)).and_then(mark) {
                Some(mark) => self.text.push_str(mark),
                None => self.text.push(if self.straighten { straight(c) } else { c }),
            }
        }
        match Some(content.len()).filter(|_| !end.is_empty()).and_then(mark) {
            Some(mark) => self.text.push_str(mark),
            None => self.text.push_str(&end.replace('\n', self.newline)),
        }
    }
}

/// A line without its end, and the end with the blanks before it. A line that is not ended has no
/// end, and its last blanks belong to it.
fn split_end(line: &str) -> (&str, &str) {
    let content = line.trim_end_matches(['\n', '\r']);
    let content = if content.len() < line.len() { content.trim_end_matches(BLANKS) } else { line };
    line.split_at(content.len())
}

/// The quotation marks of some lines, and their ends with the blanks before them, in order.
fn marks<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().flat_map(|line| pieces(line)).filter(|piece| is_mark(piece)).collect()
}

/// The words of a line, and its end.
fn pieces(line: &str) -> Vec<&str> {
    let (content, end) = split_end(line);
    let mut pieces = words(content);
    pieces.extend(Some(end).filter(|end| !end.is_empty()));
    pieces
}

fn is_mark(piece: &str) -> bool {
    piece.starts_with(is_quote) || piece.ends_with(['\n', '\r'])
}

/// Which marks and ends of the old lines are in the new ones too.
fn kept(old: &[&str], new: &[&str], budget: &mut Budget) -> Vec<Kept> {
    let old: Vec<&str> = old.iter().flat_map(|line| pieces(line)).collect();
    let new: Vec<&str> = new.iter().flat_map(|line| pieces(line)).collect();
    if !budget.spend(old.len(), new.len()) {
        return Vec::new();
    }
    let mut marks = 0;
    let numbers: Vec<usize> = old
        .iter()
        .map(|piece| {
            marks += usize::from(is_mark(piece));
            marks
        })
        .collect();
    let starts = starts(&new, 0);
    let same = capture_diff_slices(Algorithm::Myers, &old, &new).into_iter();
    let same = same.filter(|op| matches!(op, DiffOp::Equal { .. }));
    let pairs = same.flat_map(|op| op.old_range().zip(op.new_range()));
    let marks = pairs.filter(|(at, _)| is_mark(old[*at]));
    marks.map(|(from, to)| Kept { at: starts[to], mark: numbers[from] - 1 }).collect()
}
