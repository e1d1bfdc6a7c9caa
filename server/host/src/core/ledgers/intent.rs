//! A change of the agent is in the store before its file is written, or while it is on its way to the
//! editor: a process that is killed in between leaves no text that nobody can reject. If the change
//! was never made, the ledger finds that out by comparing the texts.

use text::{Author, Edit, Step, Text};
use workspace::DocumentUri;

use super::{Landed, Ledgers, Purpose, align};

/// What the store knows of a change that is about to be made, and the ledger does not yet.
pub(super) struct Intent {
    before: Option<Text>,
    edit: Edit,
    pub(super) steps: Vec<Step>,
    /// Of the ledger when it was recorded.
    revision: u64,
}

impl Intent {
    fn is(&self, revision: u64, before: Option<&Text>, edit: &Edit) -> bool {
        self.revision == revision && self.edit == *edit && self.before.as_ref() == before
    }
}

impl Ledgers {
    /// Hands a change of the agent to the store that is about to be made. `before` is `None` for a
    /// file that it makes.
    pub fn intend(
        &mut self,
        key: &DocumentUri,
        before: Option<&Text>,
        edit: &Edit,
        author: &Author,
    ) {
        let text = before.cloned().unwrap_or_default();
        if !self.files.contains_key(key) {
            self.add_file(key, text.clone());
        }
        let Some(entry) = self.files.get_mut(key) else { return };
        if entry.intent.as_ref().is_some_and(|intent| intent.is(entry.revision, before, edit)) {
            return;
        }
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
        if let Some(entry) = self.files.get_mut(key) {
            let intent = entry.intent.take();
            let as_meant =
                intent.as_ref().is_some_and(|intent| intent.is(entry.revision, before, edit));
            entry.follow_store(intent.is_some(), as_meant);
        }
        self.agent(key, before, edit, author);
        if let Some(entry) = self.files.get_mut(key) {
            entry.caught_up();
        }
    }

    /// An edit of an open document is over.
    pub fn edit_ended(
        &mut self,
        key: &DocumentUri,
        landed: &[Landed],
        purpose: &Purpose,
        now: &Text,
    ) {
        let intent = self.files.get_mut(key).and_then(|entry| entry.intent.take());
        let mut expected = None;
        if let (Some(intent), Some(entry)) = (&intent, self.files.get_mut(key)) {
            if let [Landed::Own { before, edit }] = landed
                && intent.is(entry.revision, Some(before), edit)
            {
                expected = Some(entry.revision + intent.steps.len() as u64);
            }
            entry.follow_store(true, expected.is_some());
        }
        self.landed(key, landed, purpose, now);
        if let Some(entry) = self.files.get_mut(key) {
            entry.caught_up();
            // What was more than the agent's edit is not in the store.
            let more = expected.is_some_and(|expected| entry.revision != expected);
            entry.follow_store(more, false);
            entry.keep(&self.store, key, None);
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
