//! The calls of one answer: which may run now, and their results in the order they were made.

use super::{CallOutcome, ToolCall};
use crate::message::Block;

/// More than this many at once helps nobody on a laptop.
pub const MAX_PARALLEL: usize = 10;

#[derive(Default)]
pub(super) struct Calls {
    entries: Vec<Entry>,
}

struct Entry {
    /// Which block of the answer the call is. Blocks may overlap, so that a later one can be
    /// complete, and start, before an earlier one.
    index: usize,
    id: String,
    parallel: bool,
    state: State,
}

enum State {
    Queued(ToolCall),
    Running,
    Finished(CallOutcome),
}

impl Calls {
    pub(super) fn add(&mut self, index: usize, call: ToolCall, parallel: bool) {
        let id = call.id.clone();
        self.entries.push(Entry { index, id, parallel, state: State::Queued(call) });
    }

    pub(super) fn add_finished(&mut self, index: usize, id: String, outcome: CallOutcome) {
        let state = State::Finished(outcome);
        self.entries.push(Entry { index, id, parallel: true, state });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Marks as running, and returns, what may start: in order, side by side as long as all of
    /// them are parallel, and a call that wants to be alone only when nothing runs. Nothing
    /// overtakes a call that waits, so a Read after an Edit sees the edit.
    pub(super) fn start(&mut self) -> Vec<ToolCall> {
        let mut running =
            self.entries.iter().filter(|entry| matches!(entry.state, State::Running)).count();
        let mut started = Vec::new();
        for entry in &mut self.entries {
            match &entry.state {
                State::Finished(_) => continue,
                State::Running if entry.parallel => continue,
                State::Running => break,
                State::Queued(_) => {}
            }
            let may = if entry.parallel { running < MAX_PARALLEL } else { running == 0 };
            if !may {
                break;
            }
            if let State::Queued(call) = std::mem::replace(&mut entry.state, State::Running) {
                started.push(call);
            }
            running += 1;
            if !entry.parallel {
                break;
            }
        }
        started
    }

    /// Only a running call can finish, and only once: a late or repeated result is ignored.
    pub(super) fn finish(&mut self, id: &str, outcome: CallOutcome) {
        let running = |entry: &&mut Entry| entry.id == id && matches!(entry.state, State::Running);
        if let Some(entry) = self.entries.iter_mut().find(running) {
            entry.state = State::Finished(outcome);
        }
    }

    pub(super) fn running(&self) -> Vec<String> {
        let running = self.entries.iter().filter(|entry| matches!(entry.state, State::Running));
        running.map(|entry| entry.id.clone()).collect()
    }

    /// Gives calls that have not started their result; returns their ids.
    pub(super) fn drop_queued(&mut self, message: &str) -> Vec<String> {
        let mut dropped = Vec::new();
        for entry in &mut self.entries {
            if matches!(entry.state, State::Queued(_)) {
                entry.state = State::Finished(CallOutcome::error(message));
                dropped.push(entry.id.clone());
            }
        }
        dropped
    }

    pub(super) fn all_finished(&self) -> bool {
        self.entries.iter().all(|entry| matches!(entry.state, State::Finished(_)))
    }

    /// The results in the order the calls have in the answer; the list is empty afterwards.
    pub(super) fn take_results(&mut self) -> Vec<Block> {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_by_key(|entry| entry.index);
        let results = entries.into_iter().filter_map(|entry| match entry.state {
            State::Finished(outcome) => Some(Block::ToolResult {
                tool_use_id: entry.id,
                content: outcome.content,
                is_error: outcome.is_error,
            }),
            _ => None,
        });
        results.collect()
    }
}
