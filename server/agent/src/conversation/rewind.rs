//! Going back in a conversation. What was cut off is kept until the conversation goes on another
//! way, so that a rewind can be taken back.

use super::calls::OpenCalls;
use super::{Conversation, Entry};

/// What a rewind cut off.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    token: String,
    /// How long the conversation was without it.
    len: usize,
    tail: Vec<Entry>,
    calls: OpenCalls,
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

    /// The turns that began with a message or after it; nothing when no turn began with it. One
    /// that was said into a running turn is no point to go back to: the turn did not stop there.
    pub fn turns_from(&self, message: &str) -> Option<Vec<String>> {
        self.entries.iter().find(|entry| entry.id.as_deref() == Some(message))?;
        let is_it = |(_, known): &(String, Option<String>)| known.as_deref() == Some(message);
        let at = self.timeline.iter().position(is_it)?;
        let (turn, _) = &self.timeline[at];
        if self.timeline[..at].iter().any(|(earlier, _)| earlier == turn) {
            return None;
        }
        Some(self.timeline[at..].iter().map(|(turn, _)| turn.clone()).collect())
    }

    /// The user's messages, each with its turn.
    pub fn turns_of_messages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.timeline
            .iter()
            .filter_map(|(turn, message)| Some((message.as_deref()?, turn.as_str())))
    }

    /// All turns there ever were, also those that were cut off.
    pub fn all_turns(&self) -> impl Iterator<Item = &str> {
        self.timeline.iter().map(|(turn, _)| turn.as_str())
    }

    pub(super) fn rewind(&mut self, to: &str, token: &str) {
        let is_it = |entry: &Entry| entry.id.as_deref() == Some(to);
        let Some(len) = self.entries.iter().position(is_it) else { return };
        let tail = self.entries.split_off(len);
        self.forget_notes(&tail);
        self.hold_until(len);
        self.since = 0;
        self.sent.renew(&self.entries);
        self.interrupted = None;
        let calls = self.calls.take();
        let (token, context) = (token.to_owned(), self.context);
        self.cuts.push(Cut { token, len, tail, calls, context });
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
            self.sent.renew(&self.entries);
            self.hold_from(cut.len);
            self.calls.put_back(cut.calls);
            self.context = cut.context;
        }
    }

    /// What was cut off cannot come back once something else is said in its place.
    pub(super) fn forget_cuts(&mut self) {
        self.cuts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Record;
    use crate::message::Block;
    use crate::usage::Usage;

    fn said(number: usize) -> [Record; 2] {
        let (id, turn) = (format!("u{number}"), format!("t{number}"));
        let content = vec![Block::text(format!("question {number}"))];
        let answer = Record::Assistant {
            id: format!("a{number}"),
            turn: turn.clone(),
            model: "m".into(),
            asked: None,
            content: vec![Block::text(format!("answer {number}"))],
            stop_reason: None,
            usage: Usage::default(),
        };
        [Record::User { id, turn, content }, answer]
    }

    fn conversation(records: &[Record]) -> Conversation {
        let mut conversation = Conversation::default();
        records.iter().for_each(|record| conversation.apply(record).unwrap());
        conversation
    }

    fn ids(conversation: &Conversation) -> Vec<&str> {
        conversation.entries().iter().filter_map(|entry| entry.id.as_deref()).collect()
    }

    fn rewound(to: &str, token: &str) -> Record {
        Record::Rewound { to: to.into(), token: token.into() }
    }

    #[test]
    fn back_and_forth() {
        let mut records: Vec<_> = (1..=3).flat_map(said).collect();
        let whole = conversation(&records);
        assert_eq!(whole.turns_from("u2").unwrap(), ["t2", "t3"]);
        assert_eq!(whole.turns_from("nobody"), None);

        records.push(rewound("u2", "x"));
        let cut = conversation(&records);
        assert_eq!(ids(&cut), ["u1", "a1"]);
        assert!(cut.can_unrewind("x") && !cut.can_unrewind("y"));

        records.push(Record::Unrewound { token: "x".into() });
        let again = conversation(&records);
        assert_eq!(ids(&again), ids(&whole));
        let json = |conversation: &Conversation| {
            conversation.pieces("m").iter().map(|piece| piece.json().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(json(&again), json(&whole), "to the byte");
    }

    #[test]
    fn what_is_said_instead_stays() {
        let mut records: Vec<_> = (1..=2).flat_map(said).collect();
        records.push(rewound("u2", "x"));
        records.extend(said(3));
        records.push(Record::Unrewound { token: "x".into() });
        let conversation = conversation(&records);
        assert_eq!(ids(&conversation), ["u1", "a1", "u3", "a3"]);
        // The files of a turn that was cut can still go back.
        assert_eq!(conversation.turns_from("u1").unwrap(), ["t1", "t2", "t3"]);
    }

    #[test]
    fn nested_rewinds_come_back_in_order() {
        let mut records: Vec<_> = (1..=3).flat_map(said).collect();
        records.extend([rewound("u3", "x"), rewound("u2", "y")]);
        let unrewound = |token: &str| Record::Unrewound { token: token.into() };
        records.push(unrewound("x"));
        assert_eq!(ids(&conversation(&records)), ["u1", "a1"], "not before the later one");
        records.extend([unrewound("y"), unrewound("x")]);
        assert_eq!(ids(&conversation(&records)).len(), 6);
    }

    #[test]
    fn notes_wait_for_the_next_message() {
        let note = Record::Note { text: "no".into() };
        let mut records: Vec<_> = said(1).into();
        records.push(note);
        assert_eq!(conversation(&records).notes(), ["no"]);
        records.extend(said(2));
        assert!(conversation(&records).notes().is_empty());
    }
}
