//! One file's ledger, and what of it the store has.

use text::{Edit, Ledger, Step};
use workspace::DocumentUri;

use super::intent::Intent;
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
    /// A change that is about to be written, which the store has already.
    pub(super) intent: Option<Intent>,
    /// The ledger takes steps that the store has.
    behind_store: bool,
}

impl Entry {
    pub(super) fn new(ledger: Ledger) -> Self {
        Self {
            ledger,
            unkept: None,
            kept: false,
            foreign: false,
            unsaved: false,
            revision: 0,
            ahead: false,
            intent: None,
            behind_store: false,
        }
    }

    pub(super) fn stored(stored: StoredLedger) -> Self {
        let StoredLedger { ledger, foreign } = stored;
        Self {
            ledger,
            unkept: None,
            kept: true,
            foreign,
            unsaved: false,
            revision: 0,
            ahead: false,
            intent: None,
            behind_store: false,
        }
    }

    /// Everything is in the store, so that it can be read from there again.
    pub(super) fn is_kept(&self) -> bool {
        self.kept && !self.foreign && self.unkept.is_none() && self.intent.is_none()
    }

    /// Remembers somebody else's change.
    pub(super) fn join(&mut self, change: Edit, store: &LedgerStore, key: &DocumentUri) {
        if self.behind_store {
            return;
        }
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
        if self.foreign || self.behind_store {
            return;
        }
        let unkept = self.unkept.take().map(|edit| Step::Foreign { edit });
        if !self.kept || self.intent.is_some() {
            self.kept = store.snapshot(key, &self.intended());
            return;
        }
        let steps: Vec<_> = unkept.into_iter().chain(step).collect();
        if !steps.is_empty() {
            self.kept = store.append(key, &steps);
        }
    }

    /// Hands a change to the store that the ledger takes when it is made.
    pub(super) fn intend(&mut self, store: &LedgerStore, key: &DocumentUri, intent: Intent) {
        if self.foreign {
            return;
        }
        let unkept = self.unkept.take().map(|edit| Step::Foreign { edit });
        let steps: Vec<_> = unkept.into_iter().chain(intent.steps.iter().cloned()).collect();
        self.intent = Some(intent);
        if !self.kept || !store.append(key, &steps) {
            self.kept = store.snapshot(key, &self.intended());
        }
    }

    /// The ledger with the change that is about to be made.
    fn intended(&self) -> Ledger {
        let mut ledger = self.ledger.clone();
        for step in self.intent.iter().flat_map(|intent| &intent.steps) {
            if ledger.apply(step).is_err() {
                return self.ledger.clone();
            }
        }
        ledger
    }

    /// A change that was handed to the store is over. As it was meant, the store has its steps;
    /// else the store needs the ledger whole.
    pub(super) fn follow_store(&mut self, intended: bool, as_meant: bool) {
        self.behind_store = as_meant;
        self.kept &= !intended || as_meant;
    }

    pub(super) fn caught_up(&mut self) {
        self.behind_store = false;
    }
}
