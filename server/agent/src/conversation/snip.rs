//! Answers that are left out of the conversation, with the results of their calls.

use super::{Conversation, Entry};
use crate::message::{Block, Role};
use crate::request::Piece;
use crate::tokens;

/// Goes with the message whose work is gone. Not in the model's mouth: it would learn to say so.
const MARK: &str = "<system-reminder>Some of the work that followed was left out to make room. Files \
     are as they are on the disk; look again where a detail matters.</system-reminder>";

/// What stays of a very long text, in bytes: its beginning and its end.
const HEAD: usize = 2_000;
const TAIL: usize = 1_000;

impl Conversation {
    /// Leaves these answers out, and cuts those others short.
    pub(super) fn snip(
        &mut self,
        answers: &[String],
        shortened: &[String],
    ) -> Result<(), serde_json::Error> {
        // An answer whose calls still wait for results must be there when they come.
        let waits = self.calls.any_open();
        let is_answer = |entry: &Entry| entry.role == Role::Assistant;
        let open = self.entries.iter().rposition(is_answer).filter(|_| waits);
        let named = |entry: &Entry, ids: &[String]| {
            is_answer(entry) && entry.id.as_ref().is_some_and(|id| ids.contains(id))
        };
        let total = |entries: &[Entry]| entries.iter().map(|entry| entry.tokens).sum::<u64>();
        let before = total(&self.entries);
        let mut left: Vec<Entry> = Vec::with_capacity(self.entries.len());
        let (mut prompt, mut gone) = (None, false);
        for (at, mut entry) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            match entry.role {
                Role::Assistant => gone = Some(at) != open && named(&entry, answers),
                Role::User if entry.id.is_some() => prompt = Some(left.len()),
                Role::User => {}
            }
            if gone && (is_answer(&entry) || entry.has_results) {
                if let Some(prompt) = prompt.take().and_then(|at: usize| left.get_mut(at)) {
                    mark(prompt)?;
                }
                continue;
            }
            if named(&entry, shortened) {
                shorten(&mut entry)?;
            }
            left.push(entry);
        }
        self.entries = left;
        self.freed(before.saturating_sub(total(&self.entries)));
        self.forget_cuts();
        self.sent.renew(&self.entries);
        self.held.clear();
        self.hold_from(0);
        Ok(())
    }

    /// Nobody has to count again what is known to be gone.
    pub(super) fn freed(&mut self, tokens: u64) {
        if self.context > 0 {
            // Nought would mean that nobody has counted yet.
            self.context = self.context.saturating_sub(tokens).max(1);
        }
    }
}

fn mark(entry: &mut Entry) -> Result<(), serde_json::Error> {
    let mut message = entry.piece.message()?;
    if message.content.last() != Some(&Block::text(MARK)) {
        message.content.push(Block::text(MARK));
        entry.piece = Piece::new(&message)?;
        entry.tokens += tokens::of_text(MARK);
    }
    Ok(())
}

/// Thoughts go, too: they are sealed for an answer that is no longer there.
fn shorten(entry: &mut Entry) -> Result<(), serde_json::Error> {
    let mut message = entry.piece.message()?;
    message
        .content
        .retain(|block| !matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. }));
    if message.content.is_empty() {
        return Ok(());
    }
    for block in &mut message.content {
        if let Block::Text { text } = block
            && text.len() > HEAD + TAIL
        {
            let (head, tail) = (text.floor_char_boundary(HEAD), text.len() - TAIL);
            let tail = text.ceil_char_boundary(tail);
            let left_out = tail - head;
            *text =
                format!("{}\n[… {left_out} bytes left out …]\n{}", &text[..head], &text[tail..]);
        }
    }
    entry.author = None;
    entry.tokens = tokens::of_blocks(&message.content);
    entry.piece = Piece::new(&message)?;
    Ok(())
}
