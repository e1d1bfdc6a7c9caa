//! What the calls of an answer did, in one line. Asked while the model goes on with the results.

use agent::helpers::tools;
use agent::{Block, Role};
use protocol::event::ToolsSummarized;

use super::Helper;
use crate::session::Session;

/// More than this at once is a model that is too slow for the work.
const MOST: usize = 4;

impl Session {
    /// The results of an answer's calls are known.
    pub(in crate::session) fn sum_up_calls(&mut self, results: &[Block]) {
        let client =
            self.doors.iter().any(|door| door.profile().agent.tool_summaries == Some(true));
        let running = self.helpers.running.iter();
        let many = running.filter(|running| running.helper == Helper::ToolSummary).count() >= MOST;
        if many || !self.helpers.wants.tool_summaries.unwrap_or(client) {
            return;
        }
        let Some(quick) = self.helper(Helper::ToolSummary) else { return };
        let mut entries = self.conversation.entries().iter().rev();
        let answer = entries.find(|entry| entry.role == Role::Assistant);
        let Some(answer) = answer.and_then(|entry| entry.message().ok()) else { return };
        let Some(question) = tools::question(&answer.content, results) else { return };
        self.start_helper(Helper::ToolSummary, quick, question);
        if let Some(running) = self.helpers.running.last_mut() {
            running.calls = results.iter().filter_map(call_of).collect();
        }
    }

    pub(super) fn on_tool_summary(&mut self, answer: &str, tool_call_ids: Vec<String>) {
        if let Some(text) = tools::read(answer) {
            self.emit(ToolsSummarized { tool_call_ids, text });
        }
    }
}

fn call_of(block: &Block) -> Option<String> {
    match block {
        Block::ToolResult { tool_use_id, .. } => Some(tool_use_id.clone()),
        _ => None,
    }
}
