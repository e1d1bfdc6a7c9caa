//! What can be taken back: decisions about hunks, and rewinds. Each has a token, and the last ones
//! are remembered.

use std::collections::VecDeque;

use text::{HunkNo, HunkState};
use workspace::DocumentUri;

use super::door::DoorId;
use super::switch::Switched;

const REMEMBERED: usize = 200;

#[derive(Default)]
pub struct Undo {
    steps: VecDeque<(String, UndoStep)>,
    /// The decisions of clients that keep no tokens themselves, the newest last.
    decided: Vec<(DoorId, String)>,
}

/// A name for changes that an editor undoes together, and with no others.
pub fn group(what: &str) -> String {
    format!("bowline.{what}.{}", uuid::Uuid::new_v4().simple())
}

/// How things were.
#[derive(Clone, Default)]
pub struct UndoStep {
    /// The hunks that were switched, with the side they were on.
    pub switched: Vec<(DocumentUri, Vec<HunkNo>, bool)>,
    pub marked: Vec<(DocumentUri, HunkNo, HunkState)>,
    /// The session whose conversation was cut.
    pub session: Option<String>,
}

impl UndoStep {
    /// What was switched, as far as it worked.
    pub fn of(switched: &[Switched]) -> Self {
        let done = switched.iter().filter(|done| done.outcome.is_ok());
        let mut step = Self::default();
        for Switched { switch, was, .. } in done {
            step.switched.push((switch.key.clone(), switch.hunks.clone(), !switch.active));
            step.marked.extend(was.iter().map(|(no, state)| (switch.key.clone(), *no, *state)));
        }
        step
    }
}

impl Undo {
    /// A token of another life never fits a step of this one.
    pub fn remember(&mut self, step: UndoStep) -> String {
        let token = format!("undo_{}", uuid::Uuid::new_v4().simple());
        self.put_back(token.clone(), step);
        token
    }

    /// What could not be taken back can be tried again.
    pub fn put_back(&mut self, token: String, step: UndoStep) {
        self.steps.push_back((token, step));
        if self.steps.len() > REMEMBERED {
            self.steps.pop_front();
        }
    }

    /// A client decided, and may want to take it back.
    pub fn decided(&mut self, door: DoorId, token: String) {
        self.decided.push((door, token));
        if self.decided.len() > REMEMBERED {
            self.decided.remove(0);
        }
    }

    /// Whether a client has decided about something that can be taken back.
    pub fn has_decided(&self, door: DoorId) -> bool {
        self.decided.iter().any(|(of, _)| *of == door)
    }

    /// The token of a client's last decision; the next time, of the one before.
    pub fn last_of(&mut self, door: DoorId) -> Option<String> {
        let at = self.decided.iter().rposition(|(of, _)| *of == door)?;
        Some(self.decided.remove(at).1)
    }

    pub fn forget(&mut self, door: DoorId) {
        self.decided.retain(|(of, _)| *of != door);
    }

    /// Each token is good once.
    pub fn take(&mut self, token: &str) -> Option<UndoStep> {
        let at = self.steps.iter().position(|(known, _)| known == token)?;
        self.steps.remove(at).map(|(_, step)| step)
    }
}
