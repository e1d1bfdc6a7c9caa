//! Two descendants of one text brought together, line by line.
//!
//! This is for two sides that never saw each other's edits, as a buffer and the file on disk. What
//! only one side changed is taken; lines that both changed, or that touch, are a conflict unless
//! both say the same. Nothing is ever decided between the two.

use std::iter::Peekable;
use std::ops::Range;

use crate::diff::{Refined, changed_lines, diff};
use crate::edit::Edit;
use crate::newline::line_breaks;

/// How many places a conflict names, and how much it quotes of each side.
const PLACES: usize = 20;
const QUOTED_BYTES: usize = 2_000;

/// Both sides changed the same lines in different ways.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("both sides changed the same text ({}); settle it there first", list(places))]
pub struct MergeConflict {
    /// Where, in order; the first twenty.
    pub places: Vec<MergePlace>,
}

/// Lines that the two sides have differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePlace {
    /// The line in `ours`, counted from one.
    pub line: usize,
    /// What each side has there; a long text is cut and ends with `…`.
    pub ours: String,
    pub theirs: String,
}

/// The edit that brings into `ours` what `theirs` made of `base`.
///
/// Ends of lines are part of the line, and stay as the side that wrote it has them.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<Edit, MergeConflict> {
    if theirs == base || theirs == ours {
        return Ok(Edit::identity(ours.len()));
    }
    if ours == base {
        return Ok(diff(ours, theirs));
    }
    let mut refined = Refined::default();
    let mut places = Vec::new();
    for region in regions(changed_lines(base, ours), changed_lines(base, theirs)) {
        if !region.by_theirs {
            continue;
        }
        if !region.by_ours {
            refined.replace(ours, region.ours, &theirs[region.theirs]);
        } else if places.len() < PLACES {
            places.extend(place(ours, region.ours, &theirs[region.theirs]));
        }
    }
    if places.is_empty() {
        Ok(refined.into_edit(ours.len()))
    } else {
        Err(MergeConflict { places })
    }
}

/// A stretch of changed lines, in bytes of both sides.
struct Region {
    ours: Range<usize>,
    theirs: Range<usize>,
    by_ours: bool,
    by_theirs: bool,
}

type Change = (Range<usize>, Range<usize>);

/// The changes of both sides in order, with those that overlap or touch put together.
///
/// So there is always a line between two regions that is the same in all three texts, and every two
/// neighbouring lines of the merged text were neighbours on one side: no `\r` meets a foreign `\n`,
/// and nothing follows a line that has no end.
fn regions(ours: Vec<Change>, theirs: Vec<Change>) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let (mut ours, mut theirs) = (Side::new(ours), Side::new(theirs));
    while let Some(start) = ours.next_start().into_iter().chain(theirs.next_start()).min() {
        let (our_start, their_start) = (ours.place_of(start), theirs.place_of(start));
        let mut end = start;
        let (mut by_ours, mut by_theirs) = (false, false);
        loop {
            let (more_ours, more_theirs) = (ours.take_until(&mut end), theirs.take_until(&mut end));
            by_ours |= more_ours;
            by_theirs |= more_theirs;
            if !more_ours && !more_theirs {
                break;
            }
        }
        regions.push(Region {
            ours: our_start..ours.place_of(end),
            theirs: their_start..theirs.place_of(end),
            by_ours,
            by_theirs,
        });
    }
    regions
}

/// The changes of one side that were not yet passed.
struct Side {
    changes: Peekable<std::vec::IntoIter<Change>>,
    /// The ends of the last change passed, in the base and on this side.
    passed: (usize, usize),
}

impl Side {
    fn new(changes: Vec<Change>) -> Side {
        Side { changes: changes.into_iter().peekable(), passed: (0, 0) }
    }

    fn next_start(&mut self) -> Option<usize> {
        self.changes.peek().map(|(base, _)| base.start)
    }

    /// Where a byte of the base, behind all changes passed, is on this side.
    fn place_of(&self, base: usize) -> usize {
        base - self.passed.0 + self.passed.1
    }

    /// Passes the next change if it starts at `end` or before, and moves `end` behind it.
    fn take_until(&mut self, end: &mut usize) -> bool {
        let Some((base, side)) = self.changes.next_if(|(base, _)| base.start <= *end) else {
            return false;
        };
        *end = base.end.max(*end);
        self.passed = (base.end, side.end);
        true
    }
}

/// The conflict in lines that both sides changed, if there is one.
fn place(ours: &str, region: Range<usize>, theirs: &str) -> Option<MergePlace> {
    let our_lines = &ours[region.clone()];
    // Lines at the edges on which both agree are not what has to be settled.
    let changes = changed_lines(our_lines, theirs);
    let (first, last) = (changes.first()?, changes.last()?);
    let line = line_breaks(&ours[..region.start + first.0.start]) + 1;
    let (ours, theirs) =
        (&our_lines[first.0.start..last.0.end], &theirs[first.1.start..last.1.end]);
    Some(MergePlace { line, ours: cut(ours), theirs: cut(theirs) })
}

fn cut(text: &str) -> String {
    if text.len() <= QUOTED_BYTES {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(QUOTED_BYTES)])
}

fn list(places: &[MergePlace]) -> String {
    let lines: Vec<String> = places.iter().map(|place| place.line.to_string()).collect();
    let name = if lines.len() == 1 { "line" } else { "lines" };
    let more = if lines.len() == PLACES { ", …" } else { "" };
    format!("{name} {}{more}", lines.join(", "))
}

#[cfg(test)]
mod tests;
