//! An answer that was recorded in parts: its complete blocks, and results of its calls.
//!
//! The records of the whole answer and of all results replace them. Where the process ended before
//! those were written, the parts are all there is, and both records are built from them.

use std::collections::BTreeMap;

use crate::journal::Record;
use crate::message::Block;
use crate::usage::Usage;

/// Ends an answer of which only thoughts were recorded.
const BROKEN_OFF: &str = "[Interrupted: the process ended before the answer was complete.]";

#[derive(Clone, Debug, Default)]
pub struct PartialAnswer {
    head: Option<Head>,
    /// By their places in the answer.
    blocks: BTreeMap<usize, Block>,
    /// In the order in which the calls ended.
    results: Vec<(String, Block)>,
}

#[derive(Clone, Debug)]
struct Head {
    id: String,
    turn: String,
    model: String,
    asked: Option<String>,
}

impl PartialAnswer {
    /// Takes the next record of a journal. What it returns comes before that record: an earlier
    /// answer that was never recorded whole.
    pub fn take(&mut self, record: &Record) -> Vec<Record> {
        match record {
            Record::AnswerBlock { id, turn, model, asked, index, block } => {
                let other = self.head.as_ref().is_some_and(|head| head.id != *id);
                let earlier = if other { self.flush() } else { Vec::new() };
                self.head.get_or_insert_with(|| Head {
                    id: id.clone(),
                    turn: turn.clone(),
                    model: model.clone(),
                    asked: asked.clone(),
                });
                self.blocks.insert(*index, block.clone());
                earlier
            }
            Record::CallResult { call, content, is_error, .. } => {
                let (content, is_error) = (content.clone(), *is_error);
                let result = Block::ToolResult { tool_use_id: call.clone(), content, is_error };
                self.results.retain(|(known, _)| known != call);
                self.results.push((call.clone(), result));
                Vec::new()
            }
            Record::AnswerRetracted { id } => {
                if self.head.as_ref().is_some_and(|head| head.id == *id) {
                    *self = Self::default();
                }
                Vec::new()
            }
            Record::Assistant { id, .. } => {
                if self.head.as_ref().is_some_and(|head| head.id == *id) {
                    self.head = None;
                    self.blocks.clear();
                    return Vec::new();
                }
                self.flush()
            }
            Record::Results { content, .. } => {
                let answers = |call: &str| {
                    content.iter().any(|block| {
                        matches!(block, Block::ToolResult { tool_use_id, .. } if tool_use_id == call)
                    })
                };
                self.results.retain(|(call, _)| !answers(call));
                Vec::new()
            }
            Record::User { .. } | Record::Compacted { .. } | Record::TurnEnded { .. } => {
                self.flush()
            }
            _ => Vec::new(),
        }
    }

    /// The records of what was never recorded whole, for the end of a journal.
    pub fn flush(&mut self) -> Vec<Record> {
        let Self { head, blocks, results } = std::mem::take(self);
        let mut records = Vec::new();
        let mut in_turn = String::new();
        if let Some(Head { id, turn, model, asked }) = head {
            in_turn.clone_from(&turn);
            let mut content: Vec<_> = blocks.into_values().collect();
            // No provider takes an answer that ends in a thought.
            if content.last().is_some_and(is_thought) {
                content.push(Block::text(BROKEN_OFF));
            }
            let (stop_reason, usage) = (None, Usage::default());
            records.push(Record::Assistant { id, turn, model, asked, content, stop_reason, usage });
        }
        if !results.is_empty() {
            let content = results.into_iter().map(|(_, result)| result).collect();
            records.push(Record::Results { turn: in_turn, content });
        }
        records
    }

    /// Whether a record is only part of one that follows.
    pub fn is_part(record: &Record) -> bool {
        matches!(
            record,
            Record::AnswerBlock { .. } | Record::AnswerRetracted { .. } | Record::CallResult { .. }
        )
    }
}

/// As it was heard, or as it was read back.
fn is_thought(block: &Block) -> bool {
    match block {
        Block::Thinking { .. } | Block::RedactedThinking { .. } => true,
        Block::Other(value) => value["type"] == "redacted_thinking",
        _ => false,
    }
}
