//! `tool_progress`: a call that takes long goes on.

use std::time::{Duration, Instant};

use protocol::event::ToolUpdated;
use protocol::tool::ToolStatus;
use serde_json::json;

use super::Teller;

/// Not more often than this for one call.
const EVERY: Duration = Duration::from_secs(1);

impl Teller {
    pub(super) fn on_progress(&mut self, update: &ToolUpdated) {
        if update.status != ToolStatus::Running || update.progress.is_none() {
            return;
        }
        let Some(call) = self.calls.get_mut(&update.tool_call_id) else { return };
        if call.told.elapsed() < EVERY {
            return;
        }
        call.told = Instant::now();
        let line = json!({
            "type": "tool_progress",
            "tool_use_id": update.tool_call_id,
            "tool_name": call.name,
            "parent_tool_use_id": call.parent,
            "elapsed_time_seconds": call.began.elapsed().as_secs(),
        });
        self.push(line);
    }
}
