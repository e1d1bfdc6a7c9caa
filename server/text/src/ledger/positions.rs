//! Where all hunks that wait for review are, found in one pass over the segments.

use std::ops::Range;

use super::view::Region;
use super::{HunkNo, HunkState, Ledger};

impl Ledger {
    /// The lines of every pending hunk in the present text, in bytes: the same ranges that
    /// [`Ledger::view`] gives, without copying any text.
    pub fn pending_ranges(&self) -> Vec<(HunkNo, Range<usize>)> {
        let pending: Vec<_> =
            self.hunks().filter(|hunk| hunk.state == HunkState::Pending).collect();
        if pending.is_empty() {
            return Vec::new();
        }
        let mut effective: Vec<Option<Region>> = vec![None; pending.len()];
        let mut all = effective.clone();
        let mut at = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            let bytes = at..at + segment.shown_len();
            at = bytes.end;
            for no in segment.owners() {
                let Ok(place) = pending.binary_search_by_key(&no, |hunk| hunk.no) else { continue };
                Region::grow(&mut all[place], index, &bytes);
                if self.hangs_on(segment, no) {
                    Region::grow(&mut effective[place], index, &bytes);
                }
            }
        }
        let regions = effective.into_iter().zip(all).map(|(effective, all)| effective.or(all));
        let ranges = pending.into_iter().zip(regions).filter_map(|(hunk, region)| match region {
            Some(region) => Some((hunk.no, self.lines_of(hunk.no, &region))),
            None => hunk.creates.then_some((hunk.no, 0..0)),
        });
        ranges.collect()
    }
}
