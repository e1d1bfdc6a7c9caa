//! What the agent has changed in this session: what waits for a review, and the decisions that can
//! be taken back.

use std::collections::{HashMap, HashSet};

use protocol::review::{Hunk, HunkResult, HunkState};

use super::said::Said;

#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// What waits, by file and place.
    pending: Vec<Hunk>,
    /// Every hunk that still stands in the text: its call and its file.
    standing: HashMap<String, (String, String)>,
    /// The decisions of this client, the newest last.
    decisions: Vec<Decision>,
}

/// What the user decided in one go.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    /// What takes it back.
    pub token: String,
    pub hunks: Vec<String>,
    pub accepted: usize,
    pub rejected: usize,
}

impl Changes {
    pub fn pending(&self) -> &[Hunk] {
        &self.pending
    }

    /// The whole list, as the server has just told it.
    pub fn replace(&mut self, hunks: Vec<Hunk>) {
        self.pending.clear();
        for hunk in hunks {
            self.note(&hunk);
            if hunk.state == HunkState::Pending {
                self.pending.push(hunk);
            }
        }
        self.pending.sort_by(|one, other| place(one).cmp(&place(other)));
    }

    /// A hunk as it is now.
    pub fn update(&mut self, hunk: Hunk) {
        self.note(&hunk);
        self.pending.retain(|known| known.id != hunk.id);
        if hunk.state == HunkState::Pending {
            let at = self.pending.partition_point(|known| place(known) <= place(&hunk));
            self.pending.insert(at, hunk);
        }
    }

    /// What became of hunks; those that are still pending stay.
    pub fn settle(&mut self, results: &[HunkResult]) {
        for result in results {
            if result.state != HunkState::Pending {
                self.pending.retain(|known| known.id != result.hunk_id);
            }
            if matches!(result.state, HunkState::Rejected | HunkState::Superseded) {
                self.standing.remove(&result.hunk_id);
            }
        }
    }

    fn note(&mut self, hunk: &Hunk) {
        if matches!(hunk.state, HunkState::Rejected | HunkState::Superseded) {
            self.standing.remove(&hunk.id);
        } else {
            let origin = (hunk.tool_call_id.clone(), hunk.uri.clone());
            self.standing.insert(hunk.id.clone(), origin);
        }
    }

    /// How many files the agent has changed after the message at this place.
    pub fn files_after(&self, message: usize, said: &Said) -> usize {
        let after = |call: &str| said.before_call(call).is_some_and(|place| place >= message);
        let changed = self.standing.values().filter(|(call, _)| after(call));
        changed.map(|(_, uri)| uri.as_str()).collect::<HashSet<_>>().len()
    }

    pub fn decided(&mut self, decision: Decision) {
        self.decisions.push(decision);
    }

    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The decision was taken back.
    pub fn undone(&mut self, token: &str) {
        self.decisions.retain(|decision| decision.token != token);
    }
}

fn place(hunk: &Hunk) -> (&str, protocol::lsp::Position, protocol::lsp::Position) {
    (&hunk.uri, hunk.range.start, hunk.range.end)
}

#[cfg(test)]
pub(crate) mod tests;
