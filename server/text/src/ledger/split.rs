//! Some lines of a hunk become a hunk of their own, so that they can be decided on alone.

use std::ops::Range;

use crate::diff::split_lines;

use super::segment::{Segment, push};
use super::view::Region;
use super::{Applied, HunkNo, Ledger, LedgerError};

impl Ledger {
    /// The new hunk takes what the old one wrote in these lines, and what it removed there.
    pub(super) fn split(
        &mut self,
        no: HunkNo,
        lines: &[Range<usize>],
    ) -> Result<Applied, LedgerError> {
        self.hunks.check(&[no])?;
        let nothing = LedgerError::NothingThere(no);
        let view = self.view(no).ok_or(nothing.clone())?;
        let chosen = Chosen::new(no, &view.new_text, lines)?;
        let Some(Region { segments, bytes }) = self.region(no) else { return Err(nothing) };
        let (parts, some) = self.parts(no, &segments, bytes.start - view.range.start, &chosen);
        if !some {
            return Err(nothing);
        }
        let made = self.hunks.add_like(no)?;
        let renamed = |other: HunkNo| if other == no { made } else { other };
        let mut old = std::mem::take(&mut self.segments).into_iter();
        self.segments.extend(old.by_ref().take(segments.start));
        for (mut segment, moves) in parts {
            if moves {
                segment.by = segment.by.map(renamed);
                segment.gone = super::in_order(segment.gone.into_iter().map(renamed).collect());
            }
            push(&mut self.segments, segment);
        }
        old.by_ref().take(segments.len()).for_each(drop);
        old.for_each(|segment| push(&mut self.segments, segment));
        self.settle(vec![no, made]);
        let applied = self.without_change(vec![no]);
        Ok(Applied { made: vec![made], ..applied })
    }

    /// The segments of a hunk, cut at line ends, each with whether it moves; and whether one does.
    /// `at` is how far into the first line they start.
    fn parts(
        &self,
        no: HunkNo,
        segments: &Range<usize>,
        mut at: usize,
        chosen: &Chosen,
    ) -> (Vec<(Segment, bool)>, bool) {
        let mut parts = Vec::new();
        // Removed text belongs to the line that took its place, which stands in front of it.
        let mut line_in_front = None;
        for segment in &self.segments[segments.clone()] {
            let mut segment = segment.clone();
            let shows = self.shows_with(&segment, no, true);
            if shows && segment.by == Some(no) {
                while segment.len() > 0 {
                    let line = chosen.line_at(at);
                    let len = segment.len().min(chosen.end_of(line) - at);
                    at += len;
                    parts.push((segment.cut(len), chosen.has(line)));
                    line_in_front = Some(line);
                }
            } else if shows {
                at += segment.len();
                line_in_front = None;
                parts.push((segment, false));
            } else {
                let line = line_in_front.unwrap_or_else(|| chosen.line_at(at));
                let moves = segment.is_of(no) && chosen.has(line);
                parts.push((segment, moves));
            }
        }
        let some = parts.iter().any(|(_, moves)| *moves);
        (parts, some)
    }
}

/// Lines of a hunk's new text, and which of them were chosen.
struct Chosen {
    /// Where each line ends.
    ends: Vec<usize>,
    chosen: Vec<bool>,
}

impl Chosen {
    fn new(hunk: HunkNo, text: &str, ranges: &[Range<usize>]) -> Result<Chosen, LedgerError> {
        let mut end = 0;
        let ends = split_lines(text).into_iter().map(|line| {
            end += line.len();
            end
        });
        let ends: Vec<usize> = ends.collect();
        let mut chosen = vec![false; ends.len()];
        for lines in ranges {
            let count = ends.len();
            let outside = LedgerError::LinesOutside { hunk, lines: lines.clone(), count };
            chosen.get_mut(lines.clone()).ok_or(outside)?.fill(true);
        }
        Ok(Chosen { ends, chosen })
    }

    /// The line of a byte; past the end it is the last line.
    fn line_at(&self, at: usize) -> usize {
        let line = self.ends.partition_point(|end| *end <= at);
        line.min(self.ends.len().saturating_sub(1))
    }

    /// Where a line ends; there is always more text behind a line than that of no line.
    fn end_of(&self, line: usize) -> usize {
        self.ends.get(line).copied().unwrap_or(usize::MAX)
    }

    fn has(&self, line: usize) -> bool {
        self.chosen.get(line).copied().unwrap_or(false)
    }
}
