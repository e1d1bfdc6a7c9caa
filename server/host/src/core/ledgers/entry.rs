//! One file's ledger, and what of it the store has.

use text::{Edit, HunkNo, Ledger, Step, Text};
use workspace::DocumentUri;

use super::align;
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
    /// As it was when the document was opened or saved last: what is there again when the editor
    /// throws away what was not saved.
    saved: Option<Ledger>,
    /// A change that is about to be written, which the store has already.
    pub(super) intent: Option<Intent>,
    /// The ledger takes steps that the store has, or must not have.
    behind_store: bool,
    /// As the store has it, when the ledger was brought to what the disk says although the file may
    /// be open in an editor that has not said so yet, with more in it than was saved.
    stored: Option<Ledger>,
    /// An editor had the file open in this life.
    pub(super) was_open: bool,
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
            intent: None,
            behind_store: false,
            stored: None,
            was_open: false,
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
            intent: None,
            behind_store: false,
            stored: None,
            was_open: false,
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
        let stored = self.stored.take();
        if !self.kept || stored.is_some() || self.intent.is_some() {
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
        let earlier = self.intent.replace(intent);
        let stored = self.stored.take();
        let whole = !self.kept || stored.is_some() || earlier.is_some();
        if whole || !store.append(key, &steps) {
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

    /// From here on, until it has [`Entry::caught_up`], the ledger takes steps for which the store is
    /// not changed: they follow from what the disk says, and an editor may know better.
    pub(super) fn follow_disk(&mut self) {
        if self.is_kept() && !self.was_open {
            self.stored.get_or_insert_with(|| self.ledger.clone());
            self.behind_store = true;
        }
    }

    /// The store must not have what the ledger says: that is only what the disk says.
    pub(super) fn follows_disk(&self) -> bool {
        self.stored.is_some()
    }

    /// An editor has the file open, with this text: the ledger that is nearer to it counts. `true`:
    /// that is the one in the store.
    pub(super) fn follow_editor(&mut self, now: &Text) -> bool {
        self.was_open = true;
        let Some(stored) = self.stored.take() else { return false };
        let nearer = align::distance(&stored, now) < align::distance(&self.ledger, now);
        if nearer {
            self.ledger = stored;
            self.revision += 1;
        } else {
            self.kept = false;
        }
        nearer
    }
}
