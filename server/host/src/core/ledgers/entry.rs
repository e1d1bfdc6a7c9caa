//! One file's ledger, and what of it the store has.

use text::{Edit, HunkNo, Ledger, Step, Text};
use workspace::DocumentUri;

use crate::store::{LedgerStore, StoredLedger};

/// Others' changes are joined until something else happens; with so many pieces they are kept.
const JOINED: usize = 256;

pub(super) struct Entry {
    pub(super) ledger: Ledger,
    /// Others' changes that the store does not have yet. A crash loses them; they are found again
    /// by comparing the texts.
    unkept: Option<Edit>,
    /// The store has everything but that.
    kept: bool,
    /// Another Bowline writes this ledger: this one lives in memory.
    foreign: bool,
    /// The agent changed the buffer since it was last saved.
    pub(super) unsaved: bool,
    /// Counts the steps, so that what was found out meanwhile can be told from what is so now.
    pub(super) revision: u64,
    /// A command changed the file, and the editor has not read it yet.
    pub(super) ahead: bool,
    /// As it was when the document was opened or saved last: what is there again when the editor
    /// throws away what was not saved.
    saved: Option<Ledger>,
}

impl Entry {
    pub(super) fn new(ledger: Ledger, saved: Option<Ledger>) -> Self {
        Self {
            ledger,
            saved,
            unkept: None,
            kept: false,
            foreign: false,
            unsaved: false,
            revision: 0,
            ahead: false,
        }
    }

    pub(super) fn stored(stored: StoredLedger) -> Self {
        let StoredLedger { ledger, foreign } = stored;
        Self {
            ledger,
            saved: None,
            unkept: None,
            kept: true,
            foreign,
            unsaved: false,
            revision: 0,
            ahead: false,
        }
    }

    /// The document is the same as the file now.
    pub(super) fn remember_saved(&mut self) {
        self.saved = Some(self.ledger.clone());
    }

    /// Goes back to what was saved last, if that is what the text says. Returns the hunks that
    /// changed by that.
    pub(super) fn restore_saved(
        &mut self,
        store: &LedgerStore,
        key: &DocumentUri,
        now: &Text,
    ) -> Option<Vec<HunkNo>> {
        let saved = self.saved.as_ref().filter(|saved| saved.text() == now)?;
        let changed = self.ledger.restore(saved);
        self.revision += 1;
        self.unkept = None;
        self.kept = false;
        self.keep(store, key, None);
        Some(changed)
    }

    /// Everything is in the store, so that it can be read from there again.
    pub(super) fn is_kept(&self) -> bool {
        self.kept && !self.foreign && self.unkept.is_none()
    }

    /// Remembers somebody else's change.
    pub(super) fn join(&mut self, change: Edit, store: &LedgerStore, key: &DocumentUri) {
        let joined = match self.unkept.take() {
            Some(earlier) => Edit::compose(&earlier, &change),
            None => Ok(change),
        };
        match joined {
            Ok(joined) => self.unkept = Some(joined),
            // They follow each other, or the ledger would have refused the second.
            Err(_) => self.kept = false,
        }
        if self.unkept.as_ref().is_some_and(|edit| edit.splices().len() > JOINED) {
            self.keep(store, key, None);
        }
    }

    /// Hands everything that is new to the store, and a step that was just taken.
    pub(super) fn keep(&mut self, store: &LedgerStore, key: &DocumentUri, step: Option<Step>) {
        if self.foreign {
            return;
        }
        let unkept = self.unkept.take().map(|edit| Step::Foreign { edit });
        if !self.kept {
            self.kept = store.snapshot(key, &self.ledger);
            return;
        }
        let steps: Vec<_> = unkept.into_iter().chain(step).collect();
        if !steps.is_empty() {
            self.kept = store.append(key, &steps);
        }
    }
}
