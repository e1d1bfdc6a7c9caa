//! Which part of an observed change an expected edit made, and which part somebody else did.
//!
//! An editor may tell several changes in one message: an edit it was asked for, and what its user
//! typed at the same moment, even inside the new text. The expected edit is known exactly, so it
//! is subtracted, and only what it explains is its work.

use std::ops::Range;

use crate::diff::diff_characters;
use crate::edit::{Bias, Edit, Splice};
use crate::text::Text;

/// An observed change without the edit that was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remainder {
    /// What else was done, on the text after the expected edit.
    pub edit: Edit,
    /// In how many places that touches text that the expected edit wrote, or the place of text that
    /// it removed.
    touching: usize,
    /// How many bytes of change the expected edit explains; negative when it would have to be
    /// undone again to arrive at the observed text.
    gain: isize,
    inserted: usize,
    removed: usize,
    /// Whatever the expected edit removes was replaced.
    covers: bool,
}

/// Long text that has nothing to do with an edit has many of its letters in the same order, here
/// and there. People do not write in so many places at once: one more for each so many bytes.
const BYTES_PER_PLACE: usize = 16;

impl Remainder {
    /// Something of it touches what the expected edit did.
    pub fn touches(&self) -> bool {
        self.touching > 0
    }

    /// Most of the expected edit is in the text.
    pub fn is_strong_evidence(&self) -> bool {
        let in_few_places = self.touching <= 2 + self.inserted / BYTES_PER_PLACE;
        let most = self.gain.saturating_mul(2) >= (self.inserted + self.removed).cast_signed();
        in_few_places && most
    }

    /// The expected edit may be in the text: enough for an editor that says so, even when most of
    /// the new text is deleted again by now.
    pub fn is_possible(&self) -> bool {
        let without_new_text = self.removed.cast_signed() - self.inserted.cast_signed();
        self.gain >= 0 || (self.covers && self.removed > 0 && self.gain >= without_new_text)
    }
}

/// Subtracts an edit of `before` that was expected from the `observed` change of it.
///
/// `None` when one of them does not fit the text, or the expected one changes nothing.
pub fn subtract(before: &Text, expected: &Edit, observed: &Edit) -> Option<Remainder> {
    let (after, now) = (expected.apply(before).ok()?, observed.apply(before).ok()?);
    let (removed, inserted) = size(&diff_characters(before, &after));
    if removed + inserted == 0 {
        return None;
    }
    let edit = diff_characters(&after, &now);
    let gain = cost(&diff_characters(before, &now)).cast_signed() - cost(&edit).cast_signed();
    let (touching, covers) = (touching(expected, &edit), covers(observed, expected));
    Some(Remainder { edit, touching, gain, inserted, removed, covers })
}

/// How many splices of a later edit change something where an earlier one did.
fn touching(earlier: &Edit, later: &Edit) -> usize {
    let places = earlier.splices().iter().map(|splice| {
        let start = earlier.map_offset(splice.range.start, Bias::Before);
        start..start + splice.text.len()
    });
    let places: Vec<_> = places.collect();
    let meets = |splice: &&Splice| {
        let Range { start, end } = splice.range;
        places.iter().any(|place| start <= place.end && place.start <= end)
    };
    later.splices().iter().filter(meets).count()
}

/// Whether all that one edit removes is replaced by another one of the same text.
fn covers(observed: &Edit, expected: &Edit) -> bool {
    let inside = |range: &Range<usize>| {
        let holds =
            |other: &Splice| other.range.start <= range.start && range.end <= other.range.end;
        range.is_empty() || observed.splices().iter().any(holds)
    };
    expected.splices().iter().all(|splice| inside(&splice.range))
}

fn cost(edit: &Edit) -> usize {
    let (removed, inserted) = size(edit);
    removed + inserted
}

fn size(edit: &Edit) -> (usize, usize) {
    edit.splices().iter().fold((0, 0), |(removed, inserted), splice| {
        (removed + splice.range.len(), inserted + splice.text.len())
    })
}

#[cfg(test)]
mod tests;
