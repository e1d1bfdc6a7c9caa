//! The calls of one answer: which may run now, and their results in the order they were made.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

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
    /// The same for calls of the same tool with the same input.
    mark: u64,
    parallel: bool,
    /// It may have acted already.
    started: bool,
    state: State,
}

enum State {
    Queued(ToolCall),
    Running,
    Finished(CallOutcome),
}

impl Calls {
    pub(super) fn add(&mut self, index: usize, call: ToolCall, parallel: bool) {
        let (id, mark) = (call.id.clone(), mark(&call.name, Some(&call.input)));
        let state = State::Queued(call);
        self.entries.push(Entry { index, id, mark, parallel, started: false, state });
    }

    /// A call that cannot run: its input was no JSON.
    pub(super) fn add_finished(
        &mut self,
        index: usize,
        id: String,
        name: &str,
        outcome: CallOutcome,
    ) {
        let (mark, state) = (mark(name, None), State::Finished(outcome));
        self.entries.push(Entry { index, id, mark, parallel: true, started: false, state });
    }

    pub(super) fn any_started(&self) -> bool {
        self.entries.iter().any(|entry| entry.started)
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
                entry.started = true;
            }
            running += 1;
            if !entry.parallel {
                break;
            }
        }
        started
    }

    /// Only a running call can finish, and only once: a late or repeated result is ignored.
    pub(super) fn finish(&mut self, id: &str, outcome: CallOutcome) -> bool {
        let running = |entry: &&mut Entry| entry.id == id && matches!(entry.state, State::Running);
        let Some(entry) = self.entries.iter_mut().find(running) else { return false };
        entry.state = State::Finished(outcome);
        true
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

    /// The results in the order the calls have in the answer, each with the call's mark and whether
    /// it failed; the list is empty afterwards.
    pub(super) fn take_results(&mut self) -> (Vec<Block>, Vec<(u64, bool)>) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_by_key(|entry| entry.index);
        let results = entries.into_iter().filter_map(|entry| match entry.state {
            State::Finished(CallOutcome { content, is_error }) => {
                let result = Block::ToolResult { tool_use_id: entry.id, content, is_error };
                Some((result, (entry.mark, is_error)))
            }
            _ => None,
        });
        results.unzip()
    }
}

fn mark(name: &str, input: Option<&Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    input.hash(&mut hasher);
    hasher.finish()
}
