//! Messages as they are sent: parts of one answer, and the results of its calls, are one message,
//! and what another model thought is left out.
//!
//! What the user says twice in a row stays two messages: every provider takes them.

use super::Entry;
use crate::message::{Block, Role};
use crate::models;
use crate::request::Piece;

/// The joined messages, kept so that a request only lists them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    messages: Vec<Joined>,
}

#[derive(Clone, Debug)]
struct Joined {
    role: Role,
    piece: Piece,
    /// Where its entries begin.
    start: usize,
    /// Some of it was thought.
    thinks: bool,
    /// It holds results.
    answers: bool,
}

/// Who wrote an answer with thoughts in it, and the answer without them.
#[derive(Clone, Debug)]
pub(super) struct Author {
    /// The names the model goes by: its own, and the one it was asked under.
    names: Vec<String>,
    /// `None` when there is nothing but thoughts.
    bare: Option<Piece>,
}

impl Author {
    /// Nobody in particular, when nothing was thought.
    pub(super) fn of(
        names: Vec<String>,
        content: &[Block],
    ) -> Result<Option<Self>, serde_json::Error> {
        let is_thought = |block: &Block| {
            matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. })
        };
        if !content.iter().any(is_thought) {
            return Ok(None);
        }
        let bare: Vec<_> = content.iter().filter(|block| !is_thought(block)).cloned().collect();
        let bare = if bare.is_empty() { None } else { Some(Piece::of(Role::Assistant, &bare)?) };
        Ok(Some(Self { names, bare }))
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    fn is(&self, model: &str) -> bool {
        let known = models::find(model).map(|model| model.id);
        let same = |name: &String| {
            name == model || (known.is_some() && models::find(name).map(|model| model.id) == known)
        };
        self.names.iter().any(same)
    }
}

impl Entry {
    fn piece_for(&self, model: &str) -> Option<&Piece> {
        match &self.author {
            Some(author) if !author.is(model) => author.bare.as_ref(),
            _ => Some(&self.piece),
        }
    }
}

impl Sent {
    /// Takes in the last of the entries.
    pub(super) fn add(&mut self, entries: &[Entry]) {
        let Some(entry) = entries.last() else { return };
        let (thinks, answers) = (entry.author.is_some(), entry.has_results);
        let one = |last: &&mut Joined| match entry.role {
            Role::Assistant => last.role == Role::Assistant,
            Role::User => last.answers && answers,
        };
        if let Some(last) = self.messages.last_mut().filter(one)
            && let Some(piece) = Piece::joined([&last.piece, &entry.piece])
        {
            last.piece = piece;
            last.thinks |= thinks;
            return;
        }
        let (role, piece, start) = (entry.role, entry.piece.clone(), entries.len() - 1);
        self.messages.push(Joined { role, piece, start, thinks, answers });
    }

    /// Begins anew, after entries changed or went away.
    pub(super) fn renew(&mut self, entries: &[Entry]) {
        self.messages.clear();
        for end in 1..=entries.len() {
            self.add(&entries[..end]);
        }
    }

    pub(super) fn pieces(&self, entries: &[Entry], model: &str) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.messages.len());
        for (at, message) in self.messages.iter().enumerate() {
            if message.thinks {
                let end = self.messages.get(at + 1).map_or(entries.len(), |next| next.start);
                let own = entries[message.start..end].iter();
                pieces.extend(Piece::joined(own.filter_map(|entry| entry.piece_for(model))));
            } else {
                pieces.push(message.piece.clone());
            }
        }
        pieces
    }
}
