//! How a hunk looks now, and which hunks an edit reached.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::{Edit, Shift};

use super::segment::{Piece, Segment};
use super::{Hunk, HunkNo, Ledger};

/// So much of a line is shown on each side of a change. Only lines that no person wrote are longer,
/// and a key stroke in one must not cost a copy of it for every hunk.
const WIDEST: usize = 16 * 1024;

/// A hunk in the present text, in whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkView {
    /// Its lines in the present text, in bytes: the new text while the hunk is active, the old text
    /// while it is not.
    pub range: Range<usize>,
    /// These lines with the hunk switched off, and all others as they are.
    pub old_text: String,
    /// These lines with the hunk switched on.
    pub new_text: String,
    /// Others wrote or deleted inside it.
    pub mixed: bool,
}

/// The segments a hunk lies in, and the bytes of the present text they cover.
#[derive(Clone)]
pub(super) struct Region {
    pub(super) segments: Range<usize>,
    pub(super) bytes: Range<usize>,
}

/// The hunks near an edit.
pub(super) struct Around {
    /// The edit is in their lines.
    pub(super) touching: Vec<HunkNo>,
    /// It has text of theirs on both sides.
    pub(super) inside: Vec<HunkNo>,
}

impl Ledger {
    /// How a hunk looks now. One of which everything was deleted has no place any more, and is
    /// empty at the start of the text, so that it can still be told that it is gone.
    pub fn view(&self, no: HunkNo) -> Option<HunkView> {
        let hunk = self.hunks.get(no)?;
        let view = match self.region(no) {
            Some(region) => self.view_in(hunk, &region),
            None => {
                let (old_text, new_text) = (String::new(), String::new());
                HunkView { range: 0..0, old_text, new_text, mixed: hunk.mixed }
            }
        };
        Some(view)
    }

    fn view_in(&self, hunk: &Hunk, region: &Region) -> HunkView {
        let range = self.lines_of(hunk.no, region);
        let head = self.text.slice(range.start..region.bytes.start).unwrap_or_default();
        let (mut old_text, mut new_text) = (head.to_string(), head.into_owned());
        let mut at = region.bytes.start;
        for segment in &self.segments[region.segments.clone()] {
            let content = match &segment.piece {
                Piece::Shown(len) => self.text.slice(at..at + len).unwrap_or_default(),
                Piece::Hidden(text) => Cow::Borrowed(&**text),
            };
            at += segment.shown_len();
            if self.shows_with(segment, hunk.no, false) {
                old_text.push_str(&content);
            }
            if self.shows_with(segment, hunk.no, true) {
                new_text.push_str(&content);
            }
        }
        let tail = self.text.slice(region.bytes.end..range.end).unwrap_or_default();
        old_text.push_str(&tail);
        new_text.push_str(&tail);
        HunkView { range, old_text, new_text, mixed: hunk.mixed }
    }

    /// The whole lines around a hunk, found without copying any text.
    pub(super) fn lines_of(&self, no: HunkNo, region: &Region) -> Range<usize> {
        let Range { start, end } = region.bytes;
        let line_start = self.line_start(start);
        let before = if line_start < start { self.byte_before(start) } else { None };
        // What the lines end with while the hunk is off, and while it is on.
        let mut last = [before, before];
        let mut at = start;
        for segment in &self.segments[region.segments.clone()] {
            at += segment.shown_len();
            let byte = match &segment.piece {
                Piece::Shown(_) => self.byte_before(at),
                Piece::Hidden(text) => text.bytes().last(),
            };
            for (last, active) in last.iter_mut().zip([false, true]) {
                if self.shows_with(segment, no, active) {
                    *last = byte;
                }
            }
        }
        let goes_on = self.byte_before(end + 1) == Some(b'\n');
        let is_open = |last: Option<u8>| match last {
            None | Some(b'\n') => false,
            Some(b'\r') => goes_on,
            Some(_) => true,
        };
        let open = last.into_iter().any(is_open);
        line_start..if open { self.line_end(end) } else { end }
    }

    /// Where the line of a byte starts, or at least what is looked at of it.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let start = self.text.line_to_byte(self.text.byte_to_line(at));
        start.max(self.text.floor(at.saturating_sub(WIDEST)))
    }

    /// Where the line of a byte ends, in the same sense.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let end = self.text.line_to_byte(self.text.byte_to_line(at) + 1);
        end.min(self.text.floor(at + WIDEST))
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.rope().get_byte(at.checked_sub(1)?)
    }

    /// Where switching the hunk would change something, or else where it once did.
    pub(super) fn region(&self, no: HunkNo) -> Option<Region> {
        let mut all: Option<Region> = None;
        let mut effective: Option<Region> = None;
        let mut at = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            let bytes = at..at + segment.shown_len();
            at = bytes.end;
            if segment.is_of(no) {
                if self.hangs_on(segment, no) {
                    Region::grow(&mut effective, index, &bytes);
                }
                Region::grow(&mut all, index, &bytes);
            }
        }
        effective.or(all)
    }

    /// Whether a segment shows with this hunk on or off, and all others as they are.
    pub(super) fn shows_with(&self, segment: &Segment, no: HunkNo, active: bool) -> bool {
        segment.shows(|other| if other == no { active } else { self.hunks.is_active(other) })
    }

    /// Which hunks have to do with an edit that was just made.
    pub(super) fn around(&self, edit: &Edit) -> Around {
        let places = self.places(edit);
        let mut around = Around { touching: Vec::new(), inside: Vec::new() };
        for (hunk, region) in self.hunks.iter().zip(self.regions()) {
            let Some(region) = region else { continue };
            let bytes = region.bytes.clone();
            let first = places.partition_point(|place| place.lines.end < bytes.start);
            let mut near =
                places[first..].iter().take_while(|place| place.lines.start <= bytes.end);
            if near.clone().any(|place| place.is_inside(&bytes)) {
                around.inside.push(hunk.no);
            }
            // It is seen in whole lines, which is more than its own bytes.
            let sight = || self.lines_of(hunk.no, &region);
            let mut seen = None;
            if near.any(|place| place.meets(&bytes) || place.meets(seen.get_or_insert_with(sight)))
            {
                around.touching.push(hunk.no);
            }
        }
        around
    }

    /// Where the splices of an edit are in the text after it, in order.
    fn places(&self, edit: &Edit) -> Vec<Place> {
        let mut shift = Shift::default();
        let splices = edit.splices().iter().map(|splice| {
            let start = shift.apply(splice.range.start);
            let bytes = start..start + splice.text.len();
            shift.add(splice);
            // A `\n` that came or went behind a `\r` belongs to the line in front.
            let joins = self.byte_before(start) == Some(b'\r');
            let first = self.line_start(start - usize::from(joins));
            Place { lines: first..self.line_end(bytes.end), bytes }
        });
        splices.collect()
    }

    /// Where all that is left of each hunk is, in the order of the hunks.
    fn regions(&self) -> Vec<Option<Region>> {
        let mut regions = vec![None; self.hunks.len()];
        let mut at = 0;
        // Neighbours mostly belong to one hunk, which need not be looked up again.
        let mut last = (0, None);
        for (index, segment) in self.segments.iter().enumerate() {
            let bytes = at..at + segment.shown_len();
            at = bytes.end;
            for no in segment.owners() {
                if last.0 != no {
                    last = (no, self.hunks.index(no));
                }
                if let Some(region) = last.1.and_then(|hunk| regions.get_mut(hunk)) {
                    Region::grow(region, index, &bytes);
                }
            }
        }
        regions
    }
}

impl Region {
    /// Takes one more segment in.
    pub(super) fn grow(region: &mut Option<Region>, index: usize, bytes: &Range<usize>) {
        let start = Region { segments: index..index, bytes: bytes.clone() };
        let region = region.get_or_insert(start);
        region.segments.end = index + 1;
        region.bytes.end = bytes.end;
    }
}

/// Where something was written or deleted.
struct Place {
    bytes: Range<usize>,
    /// The same in whole lines.
    lines: Range<usize>,
}

impl Place {
    fn meets(&self, range: &Range<usize>) -> bool {
        let bytes = self.bytes.start <= range.end && range.start <= self.bytes.end;
        // Only the last line can be empty; lines that end where it starts may go on in it.
        let in_front = self.lines.start + usize::from(!self.lines.is_empty()) <= range.end;
        bytes || (!range.is_empty() && in_front && range.start < self.lines.end)
    }

    fn is_inside(&self, hunk: &Range<usize>) -> bool {
        hunk.start < self.bytes.start && self.bytes.end < hunk.end
    }
}
