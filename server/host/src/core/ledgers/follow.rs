//! What somebody else did to the text of a file with a ledger: typing, mostly, and now and then
//! the editor's own undo of something that the agent did.

use text::{Edit, HunkNo, HunkState, Step, Text};
use workspace::DocumentUri;

use super::Ledgers;

impl Ledgers {
    /// Somebody else changed an open document, by `change` as a whole, or by `steps` where the
    /// editor told of several. Costs nothing where the agent never was.
    pub fn follow(&mut self, uri: &DocumentUri, change: &Edit, steps: &[Edit], now: &Text) {
        let key = self.key(uri);
        let Some(entry) = self.files.get_mut(&key) else { return };
        if std::mem::take(&mut entry.ahead) {
            return self.align(&key, now);
        }
        let is_undo = entry.ledger.recognise(change).is_some();
        let followed = match steps {
            [_, _, ..] if !is_undo => steps.iter().all(|step| self.foreign(&key, step)),
            _ => self.foreign(&key, change),
        };
        if !followed {
            self.align(&key, now);
        }
    }

    /// Takes one change of somebody else. `false` when it does not fit.
    ///
    /// The user's own undo or redo is told from typing: taken as typing, the restored text would be
    /// there twice once the hunk is rejected.
    pub(super) fn foreign(&mut self, key: &DocumentUri, change: &Edit) -> bool {
        let Some(entry) = self.files.get(key) else { return true };
        let change = &change.refine(entry.ledger.text());
        if let Some(Step::Switch { hunks, active }) = entry.ledger.recognise(change) {
            self.undone_by_user(key, hunks, active);
            return true;
        }
        if let Some((Step::Switch { hunks, active }, typing)) = entry.ledger.recognise_part(change)
        {
            self.undone_by_user(key, hunks, active);
            return self.step(key, Step::Foreign { edit: typing });
        }
        self.step(key, Step::Foreign { edit: change.clone() })
    }

    fn undone_by_user(&mut self, key: &DocumentUri, hunks: Vec<HunkNo>, active: bool) {
        let state = if active { HunkState::Pending } else { HunkState::Rejected };
        self.step(key, Step::Switch { hunks: hunks.clone(), active });
        self.step(key, Step::Mark { hunks, state });
    }
}
