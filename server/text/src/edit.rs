//! A change of a text as a value.
//!
//! An edit is a list of splices in the coordinates of the old text, plus the length that text must
//! have. It never looks at a text to exist, so it can be kept, sent, inverted, composed with the
//! next one, and rebased over what somebody else did in the meantime.

mod compose;
mod rebase;
mod stored;

use std::ops::Range;

use crate::text::Text;

pub(crate) use compose::Splices;
pub use rebase::Overlap;

/// Some bytes of the old text, and what stands there afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Splice {
    pub range: Range<usize>,
    pub text: String,
}

impl Splice {
    pub fn new(range: Range<usize>, text: impl Into<String>) -> Splice {
        Splice { range, text: text.into() }
    }

    fn changes_nothing(&self) -> bool {
        self.range.is_empty() && self.text.is_empty()
    }
}

/// A change: splices in order, without overlap, for a text of a given length.
///
/// Splices may touch. They stay apart then, because a change by somebody else exactly in between is
/// no conflict. Several insertions at one point keep the order in which they were given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    len_before: usize,
    len_after: usize,
    pub(crate) splices: Vec<Splice>,
}

/// To which side a place goes when the text around it is replaced or something is inserted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bias {
    /// Stay with the text in front.
    Before,
    /// Stay with the text behind.
    After,
}

/// Splices that do not make an edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadEdit {
    #[error("a range from {} to {} ends before it starts; swap its ends", .0.start, .0.end)]
    Backwards(Range<usize>),
    #[error(
        "a range from {} to {} is outside the text of {len} bytes; read the text again",
        range.start, range.end
    )]
    Outside { range: Range<usize>, len: usize },
    #[error(
        "the ranges {}..{} and {}..{} overlap; join them to one",
        first.start, first.end, second.start, second.end
    )]
    Overlapping { first: Range<usize>, second: Range<usize> },
}

/// An edit that belongs to another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CannotApply {
    #[error(
        "the edit is for a text of {expected} bytes, but this one has {found}; \
         rebase it over the changes since"
    )]
    LengthMismatch { expected: usize, found: usize },
    #[error("byte {offset} is in the middle of a character; compute the edit on the current text")]
    InsideCharacter { offset: usize },
}

impl Edit {
    /// Makes an edit of splices in any order. Those that change nothing are left out.
    pub fn new(len_before: usize, mut splices: Vec<Splice>) -> Result<Edit, BadEdit> {
        for Splice { range, .. } in &splices {
            if range.start > range.end {
                return Err(BadEdit::Backwards(range.clone()));
            }
            if range.end > len_before {
                return Err(BadEdit::Outside { range: range.clone(), len: len_before });
            }
        }
        // A stable sort, and an insertion in front of a replacement that starts at the same byte.
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        for pair in splices.windows(2) {
            let (first, second) = (&pair[0].range, &pair[1].range);
            if first.end > second.start {
                return Err(BadEdit::Overlapping { first: first.clone(), second: second.clone() });
            }
        }
        Ok(Edit::from_sorted(len_before, splices))
    }

    /// The edit that leaves a text of this length as it is.
    pub fn identity(len: usize) -> Edit {
        Edit { len_before: len, len_after: len, splices: Vec::new() }
    }

    /// For splices known to be in order, without overlap, and inside.
    pub(crate) fn from_sorted(len_before: usize, mut splices: Vec<Splice>) -> Edit {
        splices.retain(|splice| !splice.changes_nothing());
        let removed: usize = splices.iter().map(|splice| splice.range.len()).sum();
        let inserted: usize = splices.iter().map(|splice| splice.text.len()).sum();
        Edit { len_before, len_after: len_before - removed + inserted, splices }
    }

    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// The length in bytes of the text this edit belongs to.
    pub fn len_before(&self) -> usize {
        self.len_before
    }

    /// The length in bytes of the text afterwards.
    pub fn len_after(&self) -> usize {
        self.len_after
    }

    /// Whether the edit has no splice at all.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// The changed text; the old one stays as it is.
    pub fn apply(&self, text: &Text) -> Result<Text, CannotApply> {
        let mut changed = text.clone();
        changed.apply(self)?;
        Ok(changed)
    }

    /// The edit that undoes this one; `old` is the text before it.
    pub fn invert(&self, old: &Text) -> Result<Edit, CannotApply> {
        self.check_length(old.len_bytes())?;
        let mut splices = Vec::with_capacity(self.splices.len());
        let mut shift = Shift::default();
        for splice in &self.splices {
            let start = shift.apply(splice.range.start);
            let removed = old.slice(splice.range.clone()).ok_or_else(|| {
                let ends = [splice.range.start, splice.range.end];
                let offset = ends.into_iter().find(|at| old.char_at(*at).is_none());
                CannotApply::InsideCharacter { offset: offset.unwrap_or(splice.range.start) }
            })?;
            splices.push(Splice::new(start..start + splice.text.len(), removed));
            shift.add(splice);
        }
        Ok(Edit::from_sorted(self.len_after, splices))
    }

    /// Where a byte of the old text is afterwards.
    ///
    /// The bias decides at an insertion and inside a replaced range. The ends of a replaced range
    /// stay at the ends of its replacement.
    pub fn map_offset(&self, offset: usize, bias: Bias) -> usize {
        let mut shift = Shift::default();
        for splice in &self.splices {
            let Range { start, end } = splice.range;
            if start < offset && offset < end {
                let start = shift.apply(start);
                return if bias == Bias::Before { start } else { start + splice.text.len() };
            }
            let before_insertion = start == end && start == offset && bias == Bias::Before;
            if end > offset || before_insertion {
                break;
            }
            shift.add(splice);
        }
        shift.apply(offset)
    }

    /// Where this edit and another one of the same text first change the same line.
    pub fn shares_line(&self, other: &Edit, text: &Text) -> Option<usize> {
        let lines = |splice: &Splice| {
            let Range { start, end } = splice.range;
            // A line that is replaced with its end does not reach into the next.
            let last = if start == end { start } else { end - 1 };
            text.byte_to_line(start)..=text.byte_to_line(last)
        };
        let others: Vec<_> = other.splices.iter().map(lines).collect();
        let shared = |splice: &&Splice| {
            let own = lines(splice);
            let first = others.partition_point(|lines| lines.end() < own.start());
            others.get(first).is_some_and(|lines| lines.start() <= own.end())
        };
        self.splices.iter().find(shared).map(|splice| splice.range.start)
    }

    pub(crate) fn check_length(&self, found: usize) -> Result<(), CannotApply> {
        if found == self.len_before {
            return Ok(());
        }
        Err(CannotApply::LengthMismatch { expected: self.len_before, found })
    }
}

/// How far the splices passed so far move the text behind them.
#[derive(Default, Clone, Copy)]
pub(crate) struct Shift {
    removed: usize,
    inserted: usize,
}

impl Shift {
    pub(crate) fn add(&mut self, splice: &Splice) {
        self.removed += splice.range.len();
        self.inserted += splice.text.len();
    }

    /// What was removed lies in front of `offset`, so this never goes below zero.
    pub(crate) fn apply(self, offset: usize) -> usize {
        offset + self.inserted - self.removed
    }
}

#[cfg(test)]
mod tests;
