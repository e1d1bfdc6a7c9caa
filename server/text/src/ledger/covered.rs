//! Hunks that later hunks replaced, and that would come to light again without those.

use super::{Hunk, HunkNo, HunkState, Ledger, in_order};

impl Ledger {
    /// The superseded hunks among the candidates whose text would be pending again if `removed` were
    /// switched off, and then those below them.
    pub fn uncovered_by(
        &self,
        removed: &[HunkNo],
        is_candidate: impl Fn(&Hunk) -> bool,
    ) -> Vec<HunkNo> {
        let mut candidates: Vec<HunkNo> = self
            .hunks()
            .filter(|hunk| hunk.state == HunkState::Superseded && hunk.active)
            .filter(|hunk| is_candidate(hunk))
            .map(|hunk| hunk.no)
            .collect();
        let mut off = in_order(removed.to_vec());
        let mut uncovered = Vec::new();
        while !candidates.is_empty() {
            let active = |no: HunkNo| self.hunks.is_active(no) && off.binary_search(&no).is_err();
            let mut found: Vec<HunkNo> = self
                .segments
                .iter()
                .flat_map(|segment| {
                    let shows = segment.shows(active);
                    segment.owners().filter(move |no| {
                        segment.shows(|other| active(other) != (other == *no)) != shows
                    })
                })
                .filter(|no| candidates.binary_search(no).is_ok())
                .collect();
            found = in_order(found);
            if found.is_empty() {
                break;
            }
            candidates.retain(|no| found.binary_search(no).is_err());
            uncovered.extend(&found);
            off = in_order(off.into_iter().chain(found).collect());
        }
        in_order(uncovered)
    }
}
