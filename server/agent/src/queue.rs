//! Prompts that wait for their turn, as the journal tells of them: live and on replay alike, so that
//! one that was acknowledged is still there after a crash.

use std::collections::VecDeque;

use serde_json::Value;

use crate::journal::Record;
use crate::message::Block;

#[derive(Clone, Debug, PartialEq)]
pub struct WaitingPrompt {
    pub id: String,
    pub content: Vec<Block>,
    /// As the client sent it, to be shown and edited.
    pub shown: Value,
    /// The turn it was said into, as long as that turn may still take it up.
    turn: Option<String>,
    /// The transcript has it already: it was said into a turn that ended too soon.
    pub announced: bool,
}

impl WaitingPrompt {
    pub fn new(id: impl Into<String>, content: Vec<Block>, shown: Value) -> Self {
        Self { id: id.into(), content, shown, turn: None, announced: false }
    }

    /// What the journal says of it; with a turn, that it was said into it.
    pub fn record(&self, turn: Option<String>) -> Record {
        let (id, content, shown) = (self.id.clone(), self.content.clone(), self.shown.clone());
        Record::Queued { id, content, shown, turn }
    }
}

/// What became of a prompt when it was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub id: String,
    /// The turn it began or was said into; one that waited has none.
    pub turn: Option<String>,
    pub began: bool,
}

/// A client that repeats a prompt does so at once, or when the server is back.
const REMEMBERED: usize = 64;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptQueue {
    prompts: VecDeque<WaitingPrompt>,
    /// The last prompts.
    accepted: VecDeque<Accepted>,
}

impl PromptQueue {
    pub fn apply(&mut self, record: &Record) {
        match record {
            Record::Queued { id, turn, .. } => self.remember(id, turn.as_ref(), false),
            Record::User { id, turn, .. } => self.remember(id, Some(turn), true),
            _ => {}
        }
        match record {
            Record::Queued { id, content, shown, turn } => {
                let prompt = WaitingPrompt {
                    turn: turn.clone(),
                    ..WaitingPrompt::new(id, content.clone(), shown.clone())
                };
                match self.at(id) {
                    Some(at) => self.prompts[at] = prompt,
                    None => self.prompts.push_back(prompt),
                }
            }
            // Said at last, or not to be said any more.
            Record::User { id, .. } | Record::Unqueued { id } => {
                self.prompts.retain(|prompt| prompt.id != *id);
            }
            Record::QueueMoved { id, to } => self.shift(id, *to),
            Record::TurnEnded { .. } => self.settle(),
            _ => {}
        }
    }

    /// What became of a prompt with this id, for a client that sends it again because it never got
    /// the answer.
    pub fn accepted(&self, id: &str) -> Option<&Accepted> {
        self.accepted.iter().find(|accepted| accepted.id == id)
    }

    fn remember(&mut self, id: &str, turn: Option<&String>, began: bool) {
        if self.accepted(id).is_some() {
            return;
        }
        self.accepted.push_back(Accepted { id: id.to_owned(), turn: turn.cloned(), began });
        if self.accepted.len() > REMEMBERED {
            self.accepted.pop_front();
        }
    }

    /// No turn runs any more: what was said into one comes next, as a prompt of its own.
    pub fn settle(&mut self) {
        let (mut said, rest): (VecDeque<_>, VecDeque<_>) =
            self.prompts.drain(..).partition(|prompt| prompt.turn.is_some());
        for prompt in &mut said {
            (prompt.turn, prompt.announced) = (None, true);
        }
        said.extend(rest);
        self.prompts = said;
    }

    /// Those that wait for the turn to end, the next one first.
    pub fn iter(&self) -> impl Iterator<Item = &WaitingPrompt> {
        self.prompts.iter().filter(|prompt| prompt.turn.is_none())
    }

    pub fn first(&self) -> Option<&WaitingPrompt> {
        self.iter().next()
    }

    pub fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.iter().any(|prompt| prompt.id == id)
    }

    /// Names that are taken: of what waits, and of what was said lately.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let waiting = self.prompts.iter().map(|prompt| prompt.id.as_str());
        waiting.chain(self.accepted.iter().map(|accepted| accepted.id.as_str()))
    }

    /// Forgets them all; the journal does not.
    pub fn clear(&mut self) {
        self.prompts.clear();
    }

    fn at(&self, id: &str) -> Option<usize> {
        self.prompts.iter().position(|prompt| prompt.id == id)
    }

    fn shift(&mut self, id: &str, to: usize) {
        let Some(prompt) = self.at(id).and_then(|at| self.prompts.remove(at)) else { return };
        // Counted among those that are shown.
        let mut shown = self.prompts.iter().enumerate().filter(|(_, other)| other.turn.is_none());
        let at = shown.nth(to).map_or(self.prompts.len(), |(at, _)| at);
        self.prompts.insert(at, prompt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Usage;

    /// `q`ueue, `s`teer, `u`ser said, `x` out, `m`ove to a place, `.` the turn ends.
    fn after(script: &str) -> String {
        let mut queue = PromptQueue::default();
        for word in script.split_whitespace() {
            let (what, id) = word.split_at(1);
            let queued = |turn: Option<&str>| Record::Queued {
                id: id.into(),
                content: vec![Block::text(id)],
                shown: Value::Null,
                turn: turn.map(str::to_owned),
            };
            queue.apply(&match what {
                "q" => queued(None),
                "s" => queued(Some("t")),
                "u" => Record::User { id: id.into(), turn: "t".into(), content: Vec::new() },
                "x" => Record::Unqueued { id: id.into() },
                "m" => Record::QueueMoved { id: id[..1].into(), to: id[1..].parse().unwrap() },
                _ => Record::TurnEnded {
                    turn: "t".into(),
                    reason: String::new(),
                    terminal: None,
                    usage: Usage::default(),
                    cost_usd: 0.0,
                    models: crate::Spending::default(),
                    error: None,
                },
            });
        }
        let shown = queue.iter().map(|prompt| match prompt.announced {
            true => format!("({})", prompt.id),
            false => prompt.id.clone(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_waits_and_in_which_order() {
        let check = |script: &str, expect: &str| assert_eq!(after(script), expect, "{script}");
        check("", "");
        check("qa qb qc", "a b c");
        check("qa qb ua", "b");
        check("qa qb xb xz", "a");
        check("qa qb qc ma2", "b c a");
        check("qa qb qc mc0", "c a b");
        check("qa qb ma9 mz0", "b a");
        check("qa qb qa", "a b");
        // Said into the turn: not shown while that can still take it up.
        check("qa sb", "a");
        check("qa sb ub .", "a");
        check("qa sb sc .", "(b) (c) a");
        check("sb qa qc mc0", "c a");
        check("sb qa . qb", "b a");
    }
    #[test]
    fn a_prompt_is_answered_the_same_again() {
        let mut queue = PromptQueue::default();
        let said = |id: usize| Record::User {
            id: id.to_string(),
            turn: format!("t{id}"),
            content: Vec::new(),
        };
        let waits = WaitingPrompt::new("1", Vec::new(), Value::Null);
        queue.apply(&waits.record(None));
        queue.apply(&said(1));
        let first = queue.accepted("1").cloned().unwrap();
        assert_eq!((first.turn, first.began), (None, false), "as it was told first");
        (2..=1 + REMEMBERED).for_each(|id| queue.apply(&said(id)));
        assert_eq!(queue.accepted("1"), None);
        assert_eq!(queue.accepted("2").unwrap().turn.as_deref(), Some("t2"));
    }
}
