//! Going back in a conversation. What was cut off is kept until the conversation goes on another
//! way, so that a rewind can be taken back.

use super::{Conversation, Entry};

/// What a rewind cut off.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    token: String,
    /// How long the conversation was without it.
    len: usize,
    tail: Vec<Entry>,
    open_calls: Vec<String>,
    context: u64,
}

impl Conversation {
    /// Notes that a turn, or an edit that is like one, acts from here on.
    pub(super) fn mark_turn(&mut self, turn: &str, message: Option<&String>) {
        let known = self.timeline.iter().rev().any(|(known, _)| known == turn);
        if !known || message.is_some() {
            self.timeline.push((turn.to_owned(), message.cloned()));
        }
    }

    /// The turns that began with a message or after it; nothing when there is no such message.
    pub fn turns_from(&self, message: &str) -> Option<Vec<String>> {
        self.entries.iter().find(|entry| entry.id.as_deref() == Some(message))?;
        let is_it = |(_, known): &(String, Option<String>)| known.as_deref() == Some(message);
        let at = self.timeline.iter().position(is_it)?;
        Some(self.timeline[at..].iter().map(|(turn, _)| turn.clone()).collect())
    }

    pub(super) fn rewind(&mut self, to: &str, token: &str) {
        let is_it = |entry: &Entry| entry.id.as_deref() == Some(to);
        let Some(len) = self.entries.iter().position(is_it) else { return };
        let tail = self.entries.split_off(len);
        let open_calls = std::mem::take(&mut self.open_calls);
        let (token, context) = (token.to_owned(), self.context);
        self.cuts.push(Cut { token, len, tail, open_calls, context });
        // Unknown until the next answer counts it; what is left is the best guess.
        let left: usize = self.entries.iter().map(|entry| entry.piece.json().len()).sum();
        self.context = self.context.min(left as u64 / 4);
    }

    /// Whether what a rewind cut off still fits: nothing was said since.
    pub fn can_unrewind(&self, token: &str) -> bool {
        self.cuts.last().is_some_and(|cut| cut.token == token && cut.len == self.entries.len())
    }

    pub(super) fn unrewind(&mut self, token: &str) {
        if !self.can_unrewind(token) {
            return;
        }
        if let Some(cut) = self.cuts.pop() {
            self.entries.extend(cut.tail);
            self.open_calls = cut.open_calls;
            self.context = cut.context;
        }
    }

    /// What was cut off cannot come back once something else is said in its place.
    pub(super) fn forget_cuts(&mut self) {
        self.cuts.clear();
    }
}
