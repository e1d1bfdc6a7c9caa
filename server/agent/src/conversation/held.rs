//! Results that the conversation holds: how long they are, and which of them nobody needs any more.

use super::{Conversation, Entry};
use crate::message::{Block, ResultPart};
use crate::request::Piece;
use crate::tokens;

/// What stands in the place of a result that was cleared.
pub const CLEARED: &str =
    "[This result was cleared to make room. Make the call again if you need it.]";

/// A shorter result is not worth the cache that clearing it costs.
const SHORTEST: u64 = 200;

/// Calls whose results can be had again by calling again.
const REPEATABLE: [&str; 10] = [
    "Read",
    "Bash",
    "Grep",
    "Glob",
    "LanguageServer",
    "WebFetch",
    "WebSearch",
    "Edit",
    "Write",
    "NotebookEdit",
];

/// One result that is still whole, in the order of the conversation.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// As it is sent.
    call: String,
    tokens: u64,
    /// Which entry it is in.
    entry: usize,
    /// What it shows: a later result that shows the same makes it useless.
    shows: Option<String>,
}

/// Results that may be cleared, and what that frees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clearable {
    pub calls: Vec<String>,
    pub tokens: u64,
}

impl Conversation {
    /// The tool of a call that waits for its result, as the journal names the call.
    pub fn tool_of(&self, call: &str) -> Option<&str> {
        self.calls.tool_of(call)
    }

    /// Whether the result of a call, as the journal names it, is in the conversation as it was
    /// given: not cleared, summed up, cut off or stripped. A short one never counts.
    pub fn stands(&self, call: &str) -> bool {
        !self.calls.was_renamed(call) && self.held.iter().any(|held| held.call == call)
    }

    /// These results are not what they were any more.
    pub(super) fn drop_held(&mut self, calls: &[String]) {
        self.held.retain(|held| !calls.contains(&held.call));
    }

    /// Notes the results in an entry.
    pub(super) fn hold_at(&mut self, entry: usize, content: &[Block]) {
        for block in content {
            let Block::ToolResult { tool_use_id: call, .. } = block else { continue };
            let Some((tool, shows)) = self.calls.made(call) else { continue };
            let tokens = tokens::of_blocks(std::slice::from_ref(block));
            if tokens >= SHORTEST && REPEATABLE.contains(&tool) {
                let (call, shows) = (call.clone(), shows.map(str::to_owned));
                self.held.push(Held { call, tokens, entry, shows });
            }
        }
    }

    /// Notes the results in all entries from one on.
    pub(super) fn hold_from(&mut self, first: usize) {
        for at in first..self.entries.len() {
            // What was once written as JSON can be read again.
            let message = self.entries[at].message();
            let content = message.map(|message| message.content).unwrap_or_default();
            self.hold_at(at, &content);
        }
    }

    /// Forgets results of entries that are gone.
    pub(super) fn hold_until(&mut self, entries: usize) {
        self.held.retain(|held| held.entry < entries);
    }

    /// How many results could still be cleared.
    pub fn held_results(&self) -> usize {
        self.held.len()
    }

    /// Results that a later one shows again.
    pub fn superseded(&self) -> Clearable {
        let mut found = Clearable::default();
        for (at, held) in self.held.iter().enumerate() {
            let later = self.held[at + 1..].iter();
            let again = |later: &Held| held.shows.is_some() && later.shows == held.shows;
            if later.into_iter().any(again) {
                found.calls.push(held.call.clone());
                found.tokens += held.tokens;
            }
        }
        found
    }

    /// All results but the last few.
    pub fn old_results(&self, keep: usize) -> Clearable {
        let old = &self.held[..self.held.len().saturating_sub(keep)];
        let calls = old.iter().map(|held| held.call.clone()).collect();
        Clearable { calls, tokens: old.iter().map(|held| held.tokens).sum() }
    }

    /// Puts the mark in the place of these results.
    pub(super) fn clear_results(&mut self, calls: &[String]) -> Result<(), serde_json::Error> {
        let named = |held: &Held| calls.contains(&held.call);
        let gone: Vec<Held> = self.held.iter().filter(|held| named(held)).cloned().collect();
        self.held.retain(|held| !named(held));
        let freed: u64 = gone.iter().map(|held| held.tokens).sum();
        let mut entries: Vec<usize> = gone.iter().map(|held| held.entry).collect();
        entries.dedup();
        for at in entries {
            if let Some(entry) = self.entries.get_mut(at) {
                clear(entry, calls)?;
            }
        }
        self.freed(freed);
        self.sent.renew(&self.entries);
        Ok(())
    }
}

fn clear(entry: &mut Entry, calls: &[String]) -> Result<(), serde_json::Error> {
    let mut message = entry.piece.message()?;
    for block in &mut message.content {
        if let Block::ToolResult { tool_use_id, content, .. } = block
            && calls.contains(tool_use_id)
        {
            *content = vec![ResultPart::Text { text: CLEARED.to_owned() }];
        }
    }
    entry.piece = Piece::new(&message)?;
    entry.tokens = tokens::of_blocks(&message.content);
    Ok(())
}
