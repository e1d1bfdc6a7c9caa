//! An edit moved over a change that somebody else made to the same text.
//!
//! This is what lets the agent and the user write at once. It keeps every byte both of them wrote,
//! or it says that they wrote in the same place; it never decides between them.

use std::ops::Range;

use super::{Edit, Shift, Splice};

/// Two edits that touch the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "bytes {}..{} were changed by somebody else as well; read them again and redo the change",
    range.start, range.end
)]
pub struct Overlap {
    /// The stretch of the common old text that the two splices cover together. The other edit's
    /// `map_offset` (`Before` for the start, `After` for the end) finds it in the current text.
    pub range: Range<usize>,
}

impl Edit {
    /// This edit for the text after `over`. Both start from the same text.
    ///
    /// Insertions at one point both stay, that of `over` in front. An insertion at the very edge of
    /// a replaced range is no overlap; one inside it is, whichever side it comes from. So is the
    /// same change made twice: it is not for this function to find it agreeable.
    ///
    /// Edits of texts with different lengths never start from one text: all of both overlaps.
    pub fn rebase(&self, over: &Edit) -> Result<Edit, Overlap> {
        if self.len_before != over.len_before {
            return Err(Overlap { range: 0..self.len_before.max(over.len_before) });
        }
        let mut others = over.splices.iter().peekable();
        let mut shift = Shift::default();
        let mut splices = Vec::with_capacity(self.splices.len());
        for ours in &self.splices {
            while let Some(theirs) = others.next_if(|theirs| theirs.range.end <= ours.range.start) {
                shift.add(theirs);
            }
            if let Some(theirs) = others.peek().filter(|other| other.range.start < ours.range.end) {
                return Err(Overlap { range: joined(&ours.range, &theirs.range) });
            }
            let moved = shift.apply(ours.range.start)..shift.apply(ours.range.end);
            splices.push(Splice::new(moved, ours.text.as_str()));
        }
        Ok(Edit::from_sorted(over.len_after, splices))
    }
}

fn joined(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    one.start.min(other.start)..one.end.max(other.end)
}
