//! Hunks out of the text and back into it.

use crate::edit::{Edit, Splices};
use crate::newline::whole_line_ends;

use super::rewrite::hidden;
use super::segment::{Piece, push};
use super::{Applied, HunkNo, Ledger, LedgerError, in_order};

/// So many switches back an editor's undo is recognised as a whole.
const REMEMBERED: usize = 8;

impl Ledger {
    /// What switching these hunks would do to the text. Hunks that are not known, or already so,
    /// do nothing.
    pub fn preview(&self, hunks: &[HunkNo], active: bool) -> Edit {
        let flipped = self.flipped(hunks, active);
        let mut splices = Splices::default();
        for segment in &self.segments {
            let shows = if segment.owners().any(|no| is_in(&flipped, no)) {
                segment.shows(|no| self.hunks.is_active(no) != is_in(&flipped, no))
            } else {
                !segment.is_hidden()
            };
            match &segment.piece {
                Piece::Shown(len) if shows => splices.keep(*len),
                Piece::Shown(len) => splices.remove(*len),
                Piece::Hidden(text) if shows => splices.insert(text),
                Piece::Hidden(_) => {}
            }
        }
        whole_line_ends(&self.text, splices.edit(self.text.len_bytes()))
    }

    pub(super) fn switch(
        &mut self,
        hunks: &[HunkNo],
        active: bool,
    ) -> Result<Applied, LedgerError> {
        self.hunks.check(hunks)?;
        let edit = self.preview(hunks, active);
        let before = self.text.clone();
        self.text.apply(&edit)?;
        let flipped = self.flipped(hunks, active);
        for no in &flipped {
            if let Some(hunk) = self.hunks.get_mut(*no) {
                hunk.active = active;
            }
        }
        if self.switched.len() == REMEMBERED {
            self.switched.pop_front();
        }
        self.switched.push_back(flipped.clone());
        let mut unsure = flipped.clone();
        let old = std::mem::take(&mut self.segments);
        self.segments.reserve(old.len());
        let mut at = 0;
        for mut segment in old {
            let start = at;
            at += segment.shown_len();
            if segment.owners().any(|no| is_in(&flipped, no)) {
                unsure.extend(segment.owners());
                let shows = segment.shows(|no| self.hunks.is_active(no));
                match &segment.piece {
                    Piece::Shown(_) if !shows => segment.piece = hidden(&before, start..at),
                    Piece::Hidden(text) if shows => segment.piece = Piece::Shown(text.len()),
                    _ => {}
                }
            }
            push(&mut self.segments, segment);
        }
        let mut touched = self.around(&edit).touching;
        touched.extend(&unsure);
        if before.is_empty() != self.text.is_empty() {
            unsure.extend(self.hunks.iter().filter(|hunk| hunk.creates).map(|hunk| hunk.no));
        }
        touched.extend(self.settle(unsure));
        Ok(Applied { edit, made: Vec::new(), touched: in_order(touched) })
    }

    /// Those of the hunks that are not yet so.
    fn flipped(&self, hunks: &[HunkNo], active: bool) -> Vec<HunkNo> {
        let differs = |no: &HunkNo| self.hunks.get(*no).is_some_and(|hunk| hunk.active != active);
        in_order(hunks.iter().copied().filter(differs).collect())
    }
}

fn is_in(hunks: &[HunkNo], no: HunkNo) -> bool {
    hunks.binary_search(&no).is_ok()
}
