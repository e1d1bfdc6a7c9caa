//! How a hunk looks now, and which hunks an edit reached.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::{Edit, Shift};

use super::segment::{Piece, Segment};
use super::{HunkNo, Ledger};

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

/// The segments a hunk lies in, and the offset at which they start.
pub(super) struct Region {
    pub(super) segments: Range<usize>,
    pub(super) start: usize,
}

/// The hunks near an edit.
pub(super) struct Around {
    /// The edit is in their lines.
    pub(super) touching: Vec<HunkNo>,
    /// It has text of theirs on both sides.
    pub(super) inside: Vec<HunkNo>,
}

impl Ledger {
    /// How a hunk looks now. A hunk of which everything was deleted has no place any more.
    pub fn view(&self, no: HunkNo) -> Option<HunkView> {
        let hunk = self.hunks.get(no)?;
        let Some(Region { segments, start }) = self.region(no) else {
            let (old_text, new_text) = (String::new(), String::new());
            let nothing = HunkView { range: 0..0, old_text, new_text, mixed: hunk.mixed };
            return hunk.creates.then_some(nothing);
        };
        let line_start = self.text.line_to_byte(self.text.byte_to_line(start));
        let head = self.text.slice(line_start..start).unwrap_or_default();
        let (mut old_text, mut new_text) = (head.to_string(), head.into_owned());
        let mut end = start;
        for segment in &self.segments[segments] {
            let content = self.content(segment, end);
            end += segment.shown_len();
            if self.shows_with(segment, no, false) {
                old_text.push_str(&content);
            }
            if self.shows_with(segment, no, true) {
                new_text.push_str(&content);
            }
        }
        if self.is_open(&old_text, end) || self.is_open(&new_text, end) {
            let line_end = self.text.line_to_byte(self.text.byte_to_line(end) + 1);
            let tail = self.text.slice(end..line_end).unwrap_or_default();
            old_text.push_str(&tail);
            new_text.push_str(&tail);
            end = line_end;
        }
        Some(HunkView { range: line_start..end, old_text, new_text, mixed: hunk.mixed })
    }

    /// Where switching the hunk would change something, or else where it once did.
    pub(super) fn region(&self, no: HunkNo) -> Option<Region> {
        let mut all: Option<Region> = None;
        let mut effective: Option<Region> = None;
        let mut at = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            if segment.is_of(no) {
                grow(&mut all, index, at);
                if self.hangs_on(segment, no) {
                    grow(&mut effective, index, at);
                }
            }
            at += segment.shown_len();
        }
        effective.or(all)
    }

    /// The text of a segment that starts at this offset.
    fn content<'a>(&'a self, segment: &'a Segment, at: usize) -> Cow<'a, str> {
        match &segment.piece {
            Piece::Shown(len) => self.text.slice(at..at + len).unwrap_or_default(),
            Piece::Hidden(text) => Cow::Borrowed(text),
        }
    }

    /// Whether a segment shows with this hunk on or off, and all others as they are.
    pub(super) fn shows_with(&self, segment: &Segment, no: HunkNo, active: bool) -> bool {
        segment.shows(|other| if other == no { active } else { self.hunks.is_active(other) })
    }

    /// Whether lines that are followed by the text at `end` stop in the middle of one.
    fn is_open(&self, lines: &str, end: usize) -> bool {
        let goes_on = || self.text.slice(end..end + 1).is_some_and(|next| next == "\n");
        match lines.as_bytes().last() {
            None | Some(b'\n') => false,
            Some(b'\r') => goes_on(),
            Some(_) => true,
        }
    }

    /// Which hunks have to do with an edit that was just made.
    pub(super) fn around(&self, edit: &Edit) -> Around {
        let places = self.places(edit);
        let mut around = Around { touching: Vec::new(), inside: Vec::new() };
        for (hunk, span) in self.hunks.iter().zip(self.spans()) {
            let Some(span) = span else { continue };
            let first = places.partition_point(|place| place.lines.end < span.start);
            let mut near = places[first..].iter().take_while(|place| place.lines.start <= span.end);
            if near.clone().any(|place| place.is_inside(&span)) {
                around.inside.push(hunk.no);
            }
            let mut by_sight = None;
            if near.any(|place| {
                place.meets(&span)
                    || place.meets(by_sight.get_or_insert_with(|| self.sight(hunk.no)))
            }) {
                around.touching.push(hunk.no);
            }
        }
        around
    }

    /// The lines a hunk is seen in; more than its own bytes, so asked for only at their edges.
    fn sight(&self, no: HunkNo) -> Range<usize> {
        self.view(no).map_or(0..0, |view| view.range)
    }

    /// Where the splices of an edit are in the text after it, in order.
    fn places(&self, edit: &Edit) -> Vec<Place> {
        let mut shift = Shift::default();
        let splices = edit.splices().iter().map(|splice| {
            let start = shift.apply(splice.range.start);
            let bytes = start..start + splice.text.len();
            shift.add(splice);
            let first = self.text.byte_to_line(bytes.start);
            let last = self.text.byte_to_line(bytes.end);
            Place { lines: self.text.line_to_byte(first)..self.text.line_to_byte(last + 1), bytes }
        });
        splices.collect()
    }

    /// From where to where each hunk goes in the present text, in the order of the hunks.
    fn spans(&self) -> Vec<Option<Range<usize>>> {
        let mut spans: Vec<Option<Range<usize>>> = vec![None; self.hunks.len()];
        let mut at = 0;
        for segment in &self.segments {
            let end = at + segment.shown_len();
            for index in segment.owners().filter_map(|no| self.hunks.index(no)) {
                spans[index].get_or_insert(at..end).end = end;
            }
            at = end;
        }
        spans
    }
}

fn grow(region: &mut Option<Region>, index: usize, at: usize) {
    let region = region.get_or_insert(Region { segments: index..index, start: at });
    region.segments.end = index + 1;
}

/// Where something was written or deleted.
struct Place {
    bytes: Range<usize>,
    /// The same in whole lines.
    lines: Range<usize>,
}

impl Place {
    fn meets(&self, range: &Range<usize>) -> bool {
        !range.is_empty() && self.lines.start < range.end && range.start < self.lines.end
    }

    fn is_inside(&self, span: &Range<usize>) -> bool {
        span.start < self.bytes.start && self.bytes.end < span.end
    }
}
