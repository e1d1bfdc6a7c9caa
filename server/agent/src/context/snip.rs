//! What is left out without asking a model: the work of old turns, attempts that failed, and the
//! bulk of very long answers.
//!
//! What the user said always stays, and of each turn the last words to it. The choice is made once
//! and written down; a replay leaves out the same.

use std::collections::HashMap;

use crate::conversation::{Conversation, Entry};
use crate::message::Role;

/// Turns that stay whole, the current one among them.
const KEPT_TURNS: usize = 3;
/// Failed attempts among the latest exchanges still teach something.
const KEPT_EXCHANGES: usize = 10;
/// Leaving out less of a turn is not worth the words that say so.
const LEAST: u64 = 200;
/// Longer last words of an old turn are cut, in tokens.
const LONG: u64 = 1_500;

/// What goes. An answer goes with the results of its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snip {
    pub answers: Vec<String>,
    pub shortened: Vec<String>,
    /// About what that frees.
    pub tokens: u64,
}

pub fn plan(conversation: &Conversation) -> Snip {
    let entries = conversation.entries();
    let turns = turns(conversation);
    let old = turns.len().saturating_sub(KEPT_TURNS);
    let mut snip = Snip::default();
    for turn in &turns[..old] {
        snip.old_turn(&entries[turn.clone()]);
    }
    let recent = turns.get(old).map_or(0, |turn| turn.start);
    snip.failed_attempts(&entries[recent..]);
    snip
}

/// Where each turn's entries are. What somebody said into a running turn begins none.
fn turns(conversation: &Conversation) -> Vec<std::ops::Range<usize>> {
    let known: HashMap<&str, &str> = conversation.turns_of_messages().collect();
    let entries = conversation.entries();
    let mut starts = Vec::new();
    let mut current = None;
    for (at, entry) in entries.iter().enumerate() {
        let Some(id) = entry.id.as_deref().filter(|_| entry.role == Role::User) else { continue };
        let turn = known.get(id).copied().unwrap_or(id);
        if current != Some(turn) {
            starts.push(at);
            current = Some(turn);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([entries.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

impl Snip {
    fn old_turn(&mut self, entries: &[Entry]) {
        let exchanges = exchanges(entries);
        let last = exchanges.last().filter(|last| !last.answer.has_calls());
        let work = &exchanges[..exchanges.len() - usize::from(last.is_some())];
        let tokens: u64 = work.iter().map(|exchange| exchange.tokens).sum();
        if tokens >= LEAST {
            self.answers.extend(work.iter().filter_map(|exchange| exchange.answer.id.clone()));
            self.tokens += tokens;
        }
        if let Some(long) = last.filter(|last| last.tokens > LONG) {
            self.shortened.extend(long.answer.id.clone());
            self.tokens += long.tokens - LONG / 2;
        }
    }

    /// Attempts of which every call failed, when something worked later.
    fn failed_attempts(&mut self, entries: &[Entry]) {
        let exchanges = exchanges(entries);
        let Some(worked) = exchanges.iter().rposition(|exchange| !exchange.failed) else { return };
        let end = worked.min(exchanges.len().saturating_sub(KEPT_EXCHANGES));
        for attempt in exchanges[..end].iter().filter(|exchange| exchange.failed) {
            self.answers.extend(attempt.answer.id.clone());
            self.tokens += attempt.tokens;
        }
    }
}

/// An answer, and the results of its calls.
struct Exchange<'a> {
    answer: &'a Entry,
    tokens: u64,
    failed: bool,
}

fn exchanges(entries: &[Entry]) -> Vec<Exchange<'_>> {
    let mut found: Vec<Exchange<'_>> = Vec::new();
    for entry in entries {
        match (entry.role, found.last_mut()) {
            (Role::Assistant, _) => {
                let failed = entry.has_calls();
                found.push(Exchange { answer: entry, tokens: entry.tokens(), failed });
            }
            (Role::User, Some(last)) if entry.has_results() => {
                last.tokens += entry.tokens();
                last.failed &= entry.has_failed();
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
