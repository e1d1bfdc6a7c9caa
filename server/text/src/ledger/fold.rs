//! Hunks are forgotten: what they did, or did not, is final.

use super::segment::push;
use super::{Applied, HunkNo, Ledger, LedgerError, in_order};

impl Ledger {
    /// An active hunk's text becomes plain and what it removed is dropped; of a hunk that is
    /// switched off it is the other way round. The text stays as it is either way.
    pub(super) fn fold(&mut self, hunks: &[HunkNo]) -> Result<Applied, LedgerError> {
        self.hunks.check(hunks)?;
        let folded = in_order(hunks.to_vec());
        let is_folded = |no: &HunkNo| folded.binary_search(no).is_ok();
        let mut others = Vec::new();
        let old = std::mem::take(&mut self.segments);
        self.segments.reserve(old.len());
        for mut segment in old {
            if segment.owners().any(|no| is_folded(&no)) {
                others.extend(segment.owners().filter(|no| !is_folded(no)));
                let never_came =
                    segment.by.filter(is_folded).is_some_and(|no| !self.hunks.is_active(no));
                let went = segment.gone.iter().any(|no| is_folded(no) && self.hunks.is_active(*no));
                if never_came || went {
                    continue;
                }
                segment.by = segment.by.filter(|no| !is_folded(no));
                segment.gone.retain(|no| !is_folded(no));
            }
            push(&mut self.segments, segment);
        }
        self.hunks.remove(&folded);
        self.settle(others.clone());
        Ok(self.without_change(others))
    }
}
