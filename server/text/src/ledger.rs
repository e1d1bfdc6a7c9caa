//! The hunk ledger of one file: which bytes of the present text the agent wrote, which text it
//! removed, and in which hunk, whatever anybody typed since.
//!
//! The text is seen as a row of segments. Each knows the hunk that wrote it, if one did, and the
//! hunks that removed it. It shows when its writer is active and no active hunk removes it; what
//! does not show keeps its place and its content, so a hunk can be switched off and on again at any
//! time. Text of others is never hidden by that, and what others delete is gone for good.
//!
//! A ledger changes only by [`Ledger::apply`] and asks nothing else, so that a saved ledger and the
//! steps since give the same ledger again, on every machine.

mod covered;
mod fold;
mod hunk;
mod pairs;
mod positions;
mod restore;
mod rewrite;
mod saved;
mod segment;
mod split;
mod switch;
mod undo;
mod view;

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::edit::{CannotApply, Edit};
use crate::text::Text;

use hunk::Hunks;
use segment::Segment;

pub use hunk::{Author, Hunk, HunkNo, HunkState};
pub use saved::Saved;
pub use view::HunkView;

/// Who wrote what in one text.
#[derive(Debug, Clone)]
pub struct Ledger {
    text: Text,
    segments: Vec<Segment>,
    hunks: Hunks,
    /// The hunks that were switched together, the latest last: what an editor's undo takes back. It
    /// only helps to recognise one, and is not saved.
    switched: VecDeque<Vec<HunkNo>>,
}

/// All that can happen to a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// Somebody else's change: the user, the disk, a formatter.
    Foreign { edit: Edit },
    /// The agent's change; it makes hunks.
    Agent {
        edit: Edit,
        author: Author,
        /// The file did not exist before.
        creates: bool,
    },
    /// Takes hunks out of the text, or puts them back.
    Switch { hunks: Vec<HunkNo>, active: bool },
    /// Says where the review of hunks stands.
    Mark { hunks: Vec<HunkNo>, state: HunkState },
    /// Makes these lines, counted from zero in the hunk's new text, one hunk of their own.
    Split { hunk: HunkNo, lines: Vec<Range<usize>> },
    /// Forgets hunks: the text stays as it is now and they cannot be switched any more.
    Fold { hunks: Vec<HunkNo> },
}

/// What a step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The change of the text.
    pub edit: Edit,
    /// New hunks, in the order of the text.
    pub made: Vec<HunkNo>,
    /// Older hunks that may look different now, in order; those that only moved are not among them.
    pub touched: Vec<HunkNo>,
}

/// A step that cannot be taken. The ledger is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error("there is no hunk {0} in this file; list the hunks again")]
    UnknownHunk(HunkNo),
    #[error(transparent)]
    DoesNotFit(#[from] CannotApply),
    #[error(
        "the lines {}..{} are not all in hunk {hunk}, which has {count}; look at it again",
        lines.start, lines.end
    )]
    LinesOutside { hunk: HunkNo, lines: Range<usize>, count: usize },
    #[error("hunk {0} changed nothing in these lines; choose others")]
    NothingThere(HunkNo),
    #[error("the saved ledger is damaged ({0}); start a new one from the text")]
    Damaged(&'static str),
}

impl Ledger {
    /// A ledger for a text of which the agent wrote nothing yet.
    pub fn new(text: Text) -> Ledger {
        let mut segments = Vec::new();
        segment::push(&mut segments, Segment::shown(None, text.len_bytes()));
        Ledger { text, segments, hunks: Hunks::default(), switched: VecDeque::new() }
    }

    /// The present text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// All hunks, the oldest first.
    pub fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.hunks.iter()
    }

    /// One hunk.
    pub fn hunk(&self, no: HunkNo) -> Option<&Hunk> {
        self.hunks.get(no)
    }

    /// Takes one step, whole or not at all.
    pub fn apply(&mut self, step: &Step) -> Result<Applied, LedgerError> {
        match step {
            Step::Foreign { edit } => self.foreign(edit),
            Step::Agent { edit, author, creates } => self.agent(edit, author, *creates),
            Step::Switch { hunks, active } => self.switch(hunks, *active),
            Step::Mark { hunks, state } => self.mark(hunks, *state),
            Step::Split { hunk, lines } => self.split(*hunk, lines),
            Step::Fold { hunks } => self.fold(hunks),
        }
    }

    /// Whether switching the hunk would show or hide anything.
    pub fn is_effective(&self, no: HunkNo) -> bool {
        self.segments.iter().any(|segment| self.hangs_on(segment, no))
    }

    fn hangs_on(&self, segment: &Segment, no: HunkNo) -> bool {
        segment.is_of(no) && segment.hangs_on(no, |no| self.hunks.is_active(no))
    }

    fn mark(&mut self, hunks: &[HunkNo], state: HunkState) -> Result<Applied, LedgerError> {
        self.hunks.check(hunks)?;
        let mut touched = Vec::new();
        for no in hunks {
            if let Some(hunk) = self.hunks.get_mut(*no).filter(|hunk| hunk.state != state) {
                hunk.state = state;
                touched.push(*no);
            }
        }
        self.settle(hunks.to_vec());
        Ok(self.without_change(touched))
    }

    /// What a step did that left the text alone.
    fn without_change(&self, touched: Vec<HunkNo>) -> Applied {
        let edit = Edit::identity(self.text.len_bytes());
        Applied { edit, made: Vec::new(), touched: in_order(touched) }
    }

    /// Brings the state of undecided hunks in line with whether there is anything left to decide.
    /// Says which of them changed.
    fn settle(&mut self, hunks: Vec<HunkNo>) -> Vec<HunkNo> {
        let undecided = in_order(hunks).into_iter().filter(|no| {
            let state = self.hunks.get(*no).map(|hunk| hunk.state);
            matches!(state, Some(HunkState::Pending | HunkState::Superseded))
        });
        let undecided: Vec<HunkNo> = undecided.collect();
        if undecided.is_empty() {
            return undecided;
        }
        let mut alive = vec![false; undecided.len()];
        for segment in &self.segments {
            for no in segment.owners() {
                if let Ok(at) = undecided.binary_search(&no) {
                    alive[at] = alive[at] || self.hangs_on(segment, no);
                }
            }
        }
        // An empty file that the agent made can still be taken away, though no text would change.
        let empty = self.text.is_empty();
        let mut changed = Vec::new();
        for (no, alive) in undecided.into_iter().zip(alive) {
            let Some(hunk) = self.hunks.get_mut(no) else { continue };
            let alive = alive || (empty && hunk.creates);
            let state = if alive { HunkState::Pending } else { HunkState::Superseded };
            if hunk.state != state {
                hunk.state = state;
                changed.push(no);
            }
        }
        changed
    }
}

fn in_order(mut hunks: Vec<HunkNo>) -> Vec<HunkNo> {
    hunks.sort_unstable();
    hunks.dedup();
    hunks
}

#[cfg(test)]
mod tests;
