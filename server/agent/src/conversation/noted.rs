//! How far the notes on the session go.

use super::{Conversation, Entry};

impl Conversation {
    /// Whether notes were ever taken of what is said here.
    pub fn has_notes(&self) -> bool {
        self.noted.is_some()
    }

    /// What the notes do not cover: all of it, when what they cover is gone.
    pub fn since_notes(&self) -> &[Entry] {
        let Some(noted) = &self.noted else { return &self.entries };
        let is_it = |entry: &Entry| entry.id.as_ref() == Some(noted);
        let Some(last) = self.entries.iter().rposition(is_it) else { return &self.entries };
        // The results of its calls were known, too.
        let named = self.entries[last + 1..].iter().position(|entry| entry.id.is_some());
        &self.entries[named.map_or(self.entries.len(), |more| last + 1 + more)..]
    }

    /// The name of the last message that has one.
    pub fn last_id(&self) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| entry.id.as_deref())
    }

    /// Notes on what was cut off are of no use.
    pub(super) fn forget_notes(&mut self, cut: &[Entry]) {
        if cut.iter().any(|entry| entry.id.is_some() && entry.id == self.noted) {
            self.noted = None;
        }
    }
}
