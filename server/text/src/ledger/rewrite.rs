//! What an edit does to the segments: the user's, which deletes for good, and the agent's, which
//! keeps what it replaces.
//!
//! Only the segments around the change are looked at twice; the rest are passed by their lengths.

use std::ops::Range;
use std::sync::Arc;

use crate::edit::Edit;
use crate::text::Text;

use super::pairs::groups;
use super::segment::{Piece, Segment, push};
use super::view::Around;
use super::{Applied, Author, HunkNo, Ledger, LedgerError, in_order};

impl Ledger {
    pub(super) fn foreign(&mut self, edit: &Edit) -> Result<Applied, LedgerError> {
        let was_empty = self.text.is_empty();
        self.text.apply(edit)?;
        let mut lost = Vec::new();
        self.rewrite(edit, |walk| {
            for splice in edit.splices() {
                walk.keep_to(splice.range.start);
                walk.write(None, splice.text.len());
                walk.drop_to(splice.range.end, &mut lost);
            }
        });
        let touched = self.after_edit(edit, lost, &[], was_empty);
        Ok(Applied { edit: edit.clone(), made: Vec::new(), touched })
    }

    pub(super) fn agent(
        &mut self,
        edit: &Edit,
        author: &Author,
        creates: bool,
    ) -> Result<Applied, LedgerError> {
        let before = self.text.clone();
        self.text.apply(edit)?;
        let groups = groups(&before, edit);
        let mut made: Vec<HunkNo> =
            groups.iter().map(|_| self.hunks.add(author, creates)).collect();
        if made.is_empty() && creates {
            made.push(self.hunks.add(author, true));
            self.settle(made.clone());
        }
        let mut lost = Vec::new();
        self.rewrite(edit, |walk| {
            for (group, hunk) in groups.iter().zip(&made) {
                for (old, new) in group {
                    walk.keep_to(old.start);
                    walk.write(Some(*hunk), new.len());
                    walk.bury_to(old.end, *hunk, &before, &mut lost);
                }
            }
        });
        let touched = self.after_edit(edit, lost, &made, before.is_empty());
        Ok(Applied { edit: edit.clone(), made, touched })
    }

    /// Lets `work` go over the segments that the edit can reach.
    fn rewrite(&mut self, edit: &Edit, work: impl FnOnce(&mut Walk<'_>)) {
        let (Some(first), Some(last)) = (edit.splices().first(), edit.splices().last()) else {
            return;
        };
        let (window, at) = self.window(first.range.start, last.range.end);
        let mut rest = self.segments[window.clone()].iter_mut();
        let mut walk = Walk { rest: &mut rest, front: None, at, out: Vec::new() };
        work(&mut walk);
        let out = walk.finish();
        self.segments.splice(window, out);
    }

    /// The segments from the one in front of a place to the one behind another, and the offset at
    /// which they start. Both neighbours are in it, so that they can be joined.
    fn window(&self, from: usize, to: usize) -> (Range<usize>, usize) {
        let mut at = 0;
        let reaches = |segment: &Segment| {
            let reached = !segment.is_hidden() && at + segment.shown_len() >= from;
            at += if reached { 0 } else { segment.shown_len() };
            reached
        };
        let start = self.segments.iter().position(reaches).unwrap_or(self.segments.len());
        let mut end_at = at;
        let passes = |segment: &Segment| {
            let passed = !segment.is_hidden() && end_at >= to;
            end_at += segment.shown_len();
            passed
        };
        let count = self.segments[start..].iter().position(passes);
        (start..count.map_or(self.segments.len(), |count| start + count + 1), at)
    }

    /// Finds the hunks that look different after an edit, and were not made by it.
    fn after_edit(
        &mut self,
        edit: &Edit,
        lost: Vec<HunkNo>,
        made: &[HunkNo],
        was_empty: bool,
    ) -> Vec<HunkNo> {
        if self.hunks.len() == 0 {
            return Vec::new();
        }
        let older = |no: &HunkNo| made.first().is_none_or(|first| no < first);
        let Around { touching: mut touched, inside } = self.around(edit);
        for no in lost.iter().chain(&inside).filter(|no| older(no)) {
            if let Some(hunk) = self.hunks.get_mut(*no) {
                hunk.mixed = true;
            }
        }
        touched.extend(&lost);
        let mut unsure = lost;
        if was_empty != self.text.is_empty() {
            unsure.extend(self.hunks.iter().filter(|hunk| hunk.creates).map(|hunk| hunk.no));
        }
        touched.extend(self.settle(unsure));
        touched.retain(older);
        in_order(touched)
    }
}

/// A way through old segments that leaves new ones behind.
struct Walk<'a> {
    rest: &'a mut std::slice::IterMut<'a, Segment>,
    /// What is left of a segment that was cut.
    front: Option<Segment>,
    /// How much of the old text was passed.
    at: usize,
    out: Vec<Segment>,
}

impl Walk<'_> {
    /// The next segment in front of a place of the old text, cut there. Hidden text at the place
    /// itself counts as in front of it: what is written there comes behind.
    fn next_to(&mut self, place: usize) -> Option<Segment> {
        let next = self.front.take().or_else(|| self.rest.next().map(std::mem::take));
        let mut segment = next?;
        let room = place - self.at;
        let len = segment.shown_len();
        if segment.is_hidden() {
            return Some(segment);
        }
        if len > room {
            let head = (room > 0).then(|| segment.cut(room));
            self.front = Some(segment);
            self.at = place;
            return head;
        }
        self.at += len;
        Some(segment)
    }

    fn keep_to(&mut self, place: usize) {
        while let Some(segment) = self.next_to(place) {
            push(&mut self.out, segment);
        }
    }

    fn write(&mut self, by: Option<HunkNo>, len: usize) {
        push(&mut self.out, Segment::shown(by, len));
    }

    /// Deletes what shows, for good. Hidden text in between keeps its place.
    fn drop_to(&mut self, place: usize, lost: &mut Vec<HunkNo>) {
        while let Some(segment) = self.next_to(place) {
            if segment.is_hidden() {
                push(&mut self.out, segment);
            } else {
                lost.extend(segment.owners());
            }
        }
    }

    /// Hides what shows, in the name of a hunk.
    fn bury_to(&mut self, place: usize, hunk: HunkNo, text: &Text, lost: &mut Vec<HunkNo>) {
        while let Some(mut segment) = self.next_to(place) {
            if !segment.is_hidden() {
                lost.extend(segment.owners());
                segment.piece = hidden(text, self.at - segment.shown_len()..self.at);
                segment.gone.push(hunk);
            }
            push(&mut self.out, segment);
        }
    }

    fn finish(mut self) -> Vec<Segment> {
        self.keep_to(usize::MAX);
        self.out
    }
}

/// The content of a piece that ceases to show. Segments lie on characters, so it is always there.
pub(super) fn hidden(text: &Text, range: Range<usize>) -> Piece {
    Piece::Hidden(Arc::from(text.slice(range).unwrap_or_default()))
}
