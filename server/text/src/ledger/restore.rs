//! A text thrown away for an earlier one: a document closed without saving it, a file checked out.

use super::{HunkNo, HunkState, Ledger};

impl Ledger {
    /// Goes back to what the ledger was when the text was the one that is there again. Hunks made
    /// since are rejected, for their text is gone; no number is used again. Returns the hunks that
    /// are not what they were a moment ago.
    pub fn restore(&mut self, earlier: &Ledger) -> Vec<HunkNo> {
        let mut changed = Vec::new();
        let mut hunks = self.hunks.clone();
        for hunk in hunks.iter_mut() {
            let (was_active, was_state) = (hunk.active, hunk.state);
            match earlier.hunks.get(hunk.no) {
                Some(earlier) => {
                    // A decision about a hunk that is in the text still holds; one that took it out
                    // went with the text.
                    let undecided = earlier.active != hunk.active
                        || matches!(hunk.state, HunkState::Pending | HunkState::Superseded);
                    hunk.state = if undecided { earlier.state } else { hunk.state };
                    (hunk.active, hunk.mixed) = (earlier.active, earlier.mixed);
                }
                None => (hunk.active, hunk.state) = (false, HunkState::Rejected),
            }
            if (was_active, was_state) != (hunk.active, hunk.state) {
                changed.push(hunk.no);
            }
        }
        // What was forgotten since still owns parts of the earlier text.
        hunks.add_missing(&earlier.hunks);
        self.text = earlier.text.clone();
        self.segments = earlier.segments.clone();
        self.hunks = hunks;
        changed
    }
}
