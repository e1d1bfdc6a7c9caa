//! The search for a text that was not quoted quite right.
//!
//! Blanks at the ends of lines, the style of quotation marks and the indentation are overlooked, as
//! little as possible at a time. Everything else has to be the same, so what is found is the text
//! that was meant, and the caller is told what was overlooked.

use std::cell::OnceCell;
use std::ops::Range;

use super::fold::{BLANKS, Overlook, fold, unfold};
use super::indent::{Mapping, Step, indentation};
use super::rewrite::{Place, Rewrite};
use super::{Leniency, ReplaceError, Replacement};
use crate::diff::{Refined, split_lines};
use crate::newline::{Newline, ends_line, line_breaks};
use crate::quote::is_quote;

/// What to overlook, from little to much.
const LEVELS: [(Leniency, Overlook); 4] = [
    (Leniency::TrailingBlanks, Overlook { quotes: false, indentation: false }),
    (Leniency::Quotes, Overlook { quotes: true, indentation: false }),
    (Leniency::Indentation, Overlook { quotes: false, indentation: true }),
    (Leniency::Indentation, Overlook { quotes: true, indentation: true }),
];

/// Replaces what `old` was meant to be, or nothing if that cannot be told.
pub(super) fn replace(
    text: &str,
    old: &str,
    new: &str,
    all: bool,
) -> Result<Option<Replacement>, ReplaceError> {
    let (old, new) = (Newline::Lf.convert(old), Newline::Lf.convert(new));
    let found = Quote::new(&old, &new, false).replace(text, all)?;
    match old.strip_suffix('\n').filter(|_| !text.ends_with(['\n', '\r'])) {
        // The last line of the file has no end, but was quoted with one.
        Some(old) if found.is_none() => {
            let new = new.strip_suffix('\n').unwrap_or(&new);
            Quote::new(old, new, true).replace(text, all)
        }
        _ => Ok(found),
    }
}

/// The text to find and what to make of it, with `\n` at the ends of lines.
struct Quote<'a> {
    old: &'a str,
    new: &'a str,
    /// The blanks the old text ends with, inside of a line.
    tail: &'a str,
    /// Both texts had the tail, and it was taken from them.
    keeps_tail: bool,
    /// The old text is the end of the file.
    at_end: bool,
    /// One step of indentation in the quote and in the file, once somebody wants to know.
    steps: OnceCell<(Option<Step>, Option<Step>)>,
}

impl<'a> Quote<'a> {
    fn new(old: &'a str, new: &'a str, at_end: bool) -> Quote<'a> {
        let tail = &old[old.trim_end_matches(BLANKS).len()..];
        let (stripped, keeps_tail) = match new.strip_suffix(tail) {
            Some(new) => ((&old[..old.len() - tail.len()], new), true),
            None => ((old, new), false),
        };
        let (old, new) = stripped;
        Quote { old, new, tail, keeps_tail, at_end, steps: OnceCell::new() }
    }

    fn replace(&self, text: &str, all: bool) -> Result<Option<Replacement>, ReplaceError> {
        if self.old.trim().is_empty() {
            return Ok(None);
        }
        let Some(window) = window(text, self.old) else { return Ok(None) };
        let has_quotes = self.old.contains(is_quote);
        let levels = LEVELS.into_iter().filter(|(_, overlook)| has_quotes || !overlook.quotes);
        for (leniency, overlook) in levels {
            let places = self.find(text, &window, overlook);
            if places.is_empty() {
                continue;
            }
            if places.len() > 1 && !all {
                let starts: Vec<usize> = places.iter().map(|place| place.bytes.start).collect();
                return Err(ReplaceError::ambiguous(text, &starts, Some(leniency)));
            }
            let rewrite = Rewrite::new(self.old, self.new, text);
            let mut refined = Refined::default();
            for place in &places {
                rewrite.apply(place, &mut refined);
            }
            let edit = refined.into_edit(text.len());
            if edit.is_empty() {
                return Err(ReplaceError::Same);
            }
            return Ok(Some(Replacement { edit, count: places.len(), leniency: Some(leniency) }));
        }
        Ok(None)
    }

    /// The places in order, without overlaps. They can only be in the window.
    fn find<'t>(&self, text: &'t str, window: &Range<usize>, overlook: Overlook) -> Vec<Place<'t>> {
        let wanted = fold(self.old, overlook);
        let folded = fold(&text[window.clone()], overlook);
        let ranges: Vec<Range<usize>> =
            folded.match_indices(&wanted).map(|(at, _)| at..at + wanted.len()).collect();
        drop(folded);
        let found = unfold(&text[window.clone()], overlook, &ranges).into_iter();
        let found = found.map(|bytes| window.start + bytes.start..window.start + bytes.end);
        found.filter_map(|bytes| self.check(text, bytes, overlook)).collect()
    }

    /// The whole place, if what was folded away around and in it makes sense.
    fn check<'t>(
        &self,
        text: &'t str,
        bytes: Range<usize>,
        overlook: Overlook,
    ) -> Option<Place<'t>> {
        let end = self.end(text, bytes.end)?;
        if !overlook.indentation {
            return Some(Place { bytes: bytes.start..end, text, mapping: None, from_start: false });
        }
        let blanks = indentation(self.old);
        let before = text[..bytes.start].trim_end_matches(BLANKS);
        if before.is_empty() || before.ends_with(['\n', '\r']) {
            let whole = self.mapped(text, before.len()..end, true);
            // Who starts to quote at the first word says nothing about the blanks before it.
            let fragment = || self.mapped(text, bytes.start..end, false);
            return whole.or_else(|| if blanks.is_empty() { fragment() } else { None });
        }
        let blank_line = self.old[blanks.len()..].starts_with('\n');
        let blanks = if blank_line { "" } else { blanks };
        let start = text[..bytes.start].strip_suffix(blanks)?.len();
        self.mapped(text, start..end, false)
    }

    /// Where the place ends, with the blanks that belong to it.
    fn end(&self, text: &str, end: usize) -> Option<usize> {
        let rest = &text[end..];
        let blanks = indentation(rest);
        if self.at_end && blanks.len() < rest.len() {
            return None;
        }
        let here = if rest.starts_with(self.tail) {
            self.tail.len()
        } else if rest.len() == blanks.len() || rest[blanks.len()..].starts_with(['\n', '\r']) {
            blanks.len()
        } else {
            return None;
        };
        Some(if self.keeps_tail { end } else { end + here })
    }

    /// The place with the mapping of its indentation, if there is a consistent one.
    fn mapped<'t>(
        &self,
        text: &'t str,
        bytes: Range<usize>,
        from_start: bool,
    ) -> Option<Place<'t>> {
        let (quoted, found) = (split_lines(self.old), split_lines(&text[bytes.clone()]));
        let pairs: Vec<(&str, &'t str)> = quoted
            .iter()
            .zip(found)
            .skip(if from_start { 0 } else { 1 })
            .filter(|(quoted, _)| !quoted.trim().is_empty())
            .map(|(quoted, found)| (indentation(quoted), indentation(found)))
            .collect();
        let mapping = Mapping::new(&pairs, || *self.steps.get_or_init(|| self.read_steps(text)))?;
        Some(Place { bytes, text, mapping: Some(mapping), from_start })
    }

    fn read_steps(&self, text: &str) -> (Option<Step>, Option<Step>) {
        let own = self.old.lines().chain(self.new.lines());
        (Step::of(own), Step::of(text.split_inclusive(['\n', '\r'])))
    }
}

/// The lines in which `old` must be, if it is there at all: those around its longest word, in which
/// nothing is overlooked.
fn window(text: &str, old: &str) -> Option<Range<usize>> {
    let apart = |c: char| c == '\n' || BLANKS.contains(&c) || is_quote(c);
    let word = old.split(apart).max_by_key(|word| word.len()).unwrap_or_default();
    let at = old.find(word)?;
    let ends = |at: &usize| ends_line(text.as_bytes(), *at);
    let (first, last) = (text.find(word)?, text.rfind(word)?);
    let before = (0..first).rev().filter(ends).nth(line_breaks(&old[..at]));
    let after = (last..text.len()).filter(ends).nth(line_breaks(&old[at..]));
    Some(before.map_or(0, |end| end + 1)..after.map_or(text.len(), |end| end + 1))
}

#[cfg(test)]
mod tests;
