//! A change of a file that is not open is in the store before the file is written: a process that is
//! killed in between leaves no text that nobody can reject. If the write never happened, the ledger
//! finds that out by comparing the texts.

use text::{Author, Edit, Ledger, Step, Text};
use workspace::DocumentUri;

use super::entry::Entry;
use super::{Ledgers, align};

/// What the store knows of a change that is about to be made, and the ledger does not yet.
pub(super) struct Intent {
    before: Option<Text>,
    edit: Edit,
    pub(super) steps: Vec<Step>,
    /// Of the ledger when it was recorded.
    revision: u64,
}

impl Ledgers {
    /// Hands a change of the agent to the store that is about to be written to the disk. `before`
    /// is `None` for a file that it makes.
    pub fn intend(
        &mut self,
        key: &DocumentUri,
        before: Option<&Text>,
        edit: &Edit,
        author: &Author,
    ) {
        let text = before.cloned().unwrap_or_default();
        let fresh = || Entry::new(Ledger::new(text.clone()));
        let entry = self.files.entry(key.clone()).or_insert_with(fresh);
        let mut ahead = entry.ledger.clone();
        let mut steps = align::steps(&mut ahead, &text);
        let (author, creates) = (author.clone(), before.is_none());
        let session = author.session.clone();
        let step = Step::Agent { edit: edit.clone(), author, creates };
        if ahead.apply(&step).is_err() {
            return;
        }
        steps.push(step);
        let (before, edit, revision) = (before.cloned(), edit.clone(), entry.revision);
        entry.intend(&self.store, key, Intent { before, edit, steps, revision });
        self.note(&session, key);
    }

    /// The change was written as it was meant, or another one was.
    pub fn carried_out(
        &mut self,
        key: &DocumentUri,
        before: Option<&Text>,
        edit: &Edit,
        author: &Author,
    ) {
        let entry = self.files.get_mut(key);
        let intent = entry.and_then(|entry| Some((entry.intent.take()?, entry.revision)));
        let as_meant = intent.as_ref().is_some_and(|(intent, revision)| {
            intent.revision == *revision && intent.edit == *edit && intent.before.as_ref() == before
        });
        if let Some(entry) = self.files.get_mut(key) {
            entry.follow_store(intent.is_some(), as_meant);
        }
        self.agent(key, before, edit, author);
        if let Some(entry) = self.files.get_mut(key) {
            entry.caught_up();
        }
    }

    /// The change was not made.
    pub fn not_carried_out(&mut self, key: &DocumentUri) {
        let Some(entry) = self.files.get_mut(key) else { return };
        if entry.intent.take().is_some() {
            entry.follow_store(true, false);
            entry.keep(&self.store, key, None);
        }
    }
}
