//! The edit between two texts, and how it is shown.
//!
//! The search is bounded by the amount of work and not by a clock, so that a big text costs little
//! and the same two texts give the same edit on every machine and in every replay.

mod anchors;
mod budget;
mod hunks;
mod lines;

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

pub(crate) use budget::Budget;

use crate::edit::{Edit, Splice};
use crate::newline::tears_crlf;
use crate::text::Text;

pub(crate) use lines::{
    common_prefix, common_suffix, compare as compare_lines, split as split_lines,
};

pub use hunks::{DiffHunk, hunks, stat, unified};

/// In a run of so many changed bytes on each side, or in many smaller ones, words are compared.
/// What goes beyond it is replaced in one piece for each run of changed lines.
const BYTES_REFINED: usize = 12 * 1024;

/// A small edit that turns `old` into `new`.
///
/// Lines are compared first, then the words of changed lines; what remains is trimmed to the
/// characters that differ. No splice tears a `\r\n` apart, so an editor can always express it.
pub fn diff(old: &str, new: &str) -> Edit {
    let mut refined = Refined::default();
    for (old_bytes, new_bytes) in changed_lines(old, new) {
        refined.replace(old, old_bytes, &new[new_bytes]);
    }
    refined.into_edit(old.len())
}

/// Where whole lines differ: bytes of the old text, and those of the new text in their place.
///
/// In order, and between two of them at least one line is the same.
pub(crate) fn changed_lines(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let (head, tail) = lines::common_ends(old, new);
    let old_lines = lines::split(&old[head..old.len() - tail]);
    let new_lines = lines::split(&new[head..new.len() - tail]);
    let old_starts = starts(&old_lines, head);
    let new_starts = starts(&new_lines, head);
    let mut changed: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in lines::compare(&old_lines, &new_lines) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let old_bytes = bytes(&old_starts, op.old_range());
        let new_bytes = bytes(&new_starts, op.new_range());
        match changed.last_mut() {
            Some((old, new)) if old.end == old_bytes.start && new.end == new_bytes.start => {
                old.end = old_bytes.end;
                new.end = new_bytes.end;
            }
            _ => changed.push((old_bytes, new_bytes)),
        }
    }
    changed
}

/// The edit between two texts by characters: what it leaves alone is as much as can be.
///
/// [`diff`] reads better; this one tells which characters are new where two people wrote into one
/// word. What would take too long is compared by words.
pub(crate) fn diff_characters(old: &Text, new: &Text) -> Edit {
    let (head, tail) = crate::judge::common_ends(old, new);
    let middle = |text: &Text| {
        let middle = text.slice(head..text.len_bytes() - tail);
        middle.unwrap_or_default().into_owned()
    };
    let (old_middle, new_middle) = (middle(old), middle(new));
    let splices = by_character(&old_middle, &new_middle, diff(&old_middle, &new_middle).splices);
    let splices = splices.into_iter().map(|splice| shifted(splice, head));
    Edit::from_sorted(old.len_bytes(), splices.collect())
}

impl Edit {
    /// The same change of `text` in smaller pieces: what it leaves as it was, character by
    /// character, is not part of it. Editors replace one range where several places changed.
    pub fn refine(&self, text: &Text) -> Edit {
        let removes = self.splices.iter().any(|splice| !splice.range.is_empty());
        let inserts = self.splices.iter().any(|splice| !splice.text.is_empty());
        let (Some(first), Some(last)) = (self.splices.first(), self.splices.last()) else {
            return self.clone();
        };
        let start = first.range.start;
        let hull = text.slice(start..last.range.end);
        let Some(old) = hull.filter(|_| removes && inserts) else {
            return self.clone();
        };
        let mut new = String::new();
        let mut at = 0;
        let inside: Vec<_> = self.splices.iter().map(|splice| moved_back(splice, start)).collect();
        for splice in &inside {
            new.push_str(&old[at..splice.range.start]);
            new.push_str(&splice.text);
            at = splice.range.end;
        }
        let splices = by_character(&old, &new, inside).into_iter();
        let splices = splices.map(|splice| shifted(splice, start));
        Edit::from_sorted(self.len_before(), splices.collect())
    }
}

/// How many characters times how many differences are worth a comparison by characters.
const CHARACTERS_COMPARED: usize = 32 * 1024 * 1024;

/// The difference by characters; `known` is a difference that is known already. Where too much
/// differs for the whole, words are compared first, and the characters of what differs then.
fn by_character(old: &str, new: &str, known: Vec<Splice>) -> Vec<Splice> {
    if is_affordable(old, new, &known) {
        return changed_pieces(old, new, Granularity::Characters);
    }
    let words = diff(old, new).splices;
    if is_affordable(old, new, &words) {
        return changed_pieces(old, new, Granularity::Characters);
    }
    let pieces = words.into_iter().flat_map(|word| {
        let removed = &old[word.range.clone()];
        if !is_affordable(removed, &word.text, std::slice::from_ref(&word)) {
            return vec![word];
        }
        let start = word.range.start;
        let changed = changed_pieces(removed, &word.text, Granularity::Characters).into_iter();
        changed.map(|splice| shifted(splice, start)).collect()
    });
    pieces.collect()
}

fn is_affordable(old: &str, new: &str, known: &[Splice]) -> bool {
    let size = |splice: &Splice| splice.range.len() + splice.text.len();
    let differences: usize = known.iter().map(size).sum();
    differences.saturating_mul(old.len() + new.len()) <= CHARACTERS_COMPARED
}

/// An edit made of replaced lines, each cut down to what really differs in them.
pub(crate) struct Refined {
    splices: Vec<Splice>,
    budget: Budget,
}

/// What is compared within changed lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Granularity {
    Words,
    Characters,
}

impl Granularity {
    fn split(self, text: &str) -> Vec<&str> {
        match self {
            Granularity::Words => words(text),
            Granularity::Characters => characters(text),
        }
    }
}

impl Default for Refined {
    fn default() -> Refined {
        let budget = Budget::for_pieces(BYTES_REFINED);
        Refined { splices: Vec::new(), budget }
    }
}

impl Refined {
    /// Replaces some bytes of the old text. The ranges must come in order.
    pub(crate) fn replace(&mut self, old: &str, range: Range<usize>, new: &str) {
        let base = range.start;
        let refined = refine(&old[range], new, &mut self.budget);
        self.splices.extend(refined.into_iter().map(|splice| shifted(splice, base)));
    }

    pub(crate) fn into_edit(self, len_before: usize) -> Edit {
        Edit::from_sorted(len_before, self.splices)
    }
}

/// Where each piece starts, and where the last one ends.
pub(crate) fn starts(pieces: &[&str], base: usize) -> Vec<usize> {
    let mut starts = Vec::with_capacity(pieces.len() + 1);
    starts.push(base);
    let mut at = base;
    for piece in pieces {
        at += piece.len();
        starts.push(at);
    }
    starts
}

fn bytes(starts: &[usize], pieces: Range<usize>) -> Range<usize> {
    starts[pieces.start]..starts[pieces.end]
}

/// Finds what really differs in a run of changed lines.
fn refine(old: &str, new: &str, budget: &mut Budget) -> Vec<Splice> {
    let whole = trimmed(old, 0..old.len(), new);
    let (old_rest, new_rest) = (&old[whole.range.clone()], whole.text.as_str());
    let one_sided = old_rest.is_empty() || new_rest.is_empty();
    if one_sided || !budget.spend(old_rest.len(), new_rest.len()) {
        return vec![whole];
    }
    let changed = changed_pieces(old_rest, new_rest, Granularity::Words).into_iter();
    changed
        .map(|splice| trimmed(old_rest, splice.range, &splice.text))
        .map(|splice| shifted(splice, whole.range.start))
        .collect()
}

fn moved_back(splice: &Splice, by: usize) -> Splice {
    Splice::new(splice.range.start - by..splice.range.end - by, splice.text.as_str())
}

fn shifted(splice: Splice, by: usize) -> Splice {
    Splice { range: splice.range.start + by..splice.range.end + by, text: splice.text }
}

fn changed_pieces(old: &str, new: &str, granularity: Granularity) -> Vec<Splice> {
    let (old_pieces, new_pieces) = (granularity.split(old), granularity.split(new));
    let (old_starts, new_starts) = (starts(&old_pieces, 0), starts(&new_pieces, 0));
    let by_word = granularity == Granularity::Words;
    let mut splices: Vec<Splice> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old_pieces, &new_pieces) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let range = bytes(&old_starts, op.old_range());
        let text = &new[bytes(&new_starts, op.new_range())];
        match splices.last_mut() {
            // Blanks and signs that happen to be equal between two changes are no common ground:
            // one change reads better, and nobody's edit should be merged into the gap.
            Some(last) if by_word && !has_word(&old[last.range.end..range.start]) => {
                last.text.push_str(&old[last.range.end..range.start]);
                last.text.push_str(text);
                last.range.end = range.end;
            }
            _ => splices.push(Splice::new(range, text)),
        }
    }
    splices
}

fn has_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Words, runs of blanks, and single signs; a `\r\n` is one sign.
pub(crate) fn words(text: &str) -> Vec<&str> {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Word,
        Blank,
        Sign,
    }
    let kind = |c: char| match c {
        '\r' | '\n' => Kind::Sign,
        '_' => Kind::Word,
        c if c.is_alphanumeric() => Kind::Word,
        c if c.is_whitespace() => Kind::Blank,
        _ => Kind::Sign,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (at, c) in text.char_indices() {
        let this = kind(c);
        let joins = match previous {
            None => true,
            Some(Kind::Sign) => tears_crlf(text, at),
            Some(previous) => previous == this,
        };
        if !joins {
            words.push(&text[start..at]);
            start = at;
        }
        previous = Some(this);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// Single characters; a `\r\n` is one.
fn characters(text: &str) -> Vec<&str> {
    let starts = text.char_indices().map(|(at, _)| at).filter(|at| can_cut(text, *at));
    let mut starts: Vec<usize> = starts.collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// The replacement of `old[range]` by `new` without what is equal at its ends.
fn trimmed(old: &str, range: Range<usize>, new: &str) -> Splice {
    let (old_bytes, new_bytes) = (&old.as_bytes()[range.clone()], new.as_bytes());
    let shorter = old_bytes.len().min(new_bytes.len());
    let mut head = common_prefix(old_bytes, new_bytes);
    while head > 0 && !(can_cut(old, range.start + head) && can_cut(new, head)) {
        head -= 1;
    }
    let mut tail = common_suffix(old_bytes, new_bytes).min(shorter - head);
    while tail > 0 && !(can_cut(old, range.end - tail) && can_cut(new, new.len() - tail)) {
        tail -= 1;
    }
    Splice::new(range.start + head..range.end - tail, &new[head..new.len() - tail])
}

fn can_cut(text: &str, offset: usize) -> bool {
    text.is_char_boundary(offset) && !tears_crlf(text, offset)
}

#[cfg(test)]
mod tests;
