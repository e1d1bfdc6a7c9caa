//! `system/hook_started` and `system/hook_response`, for hosts that want to hear of hooks.

use protocol::event::{HookEnded, HookOutcome, HookStarted};
use serde_json::json;

use super::Teller;

impl Teller {
    pub(super) fn hook_started(&mut self, started: &HookStarted) {
        if self.wants(&started.event) {
            let fields = json!({
                "hook_id": started.hook_id,
                "hook_name": started.title,
                "hook_event": started.event,
            });
            self.system("hook_started", fields);
        }
    }

    pub(super) fn hook_ended(&mut self, ended: &HookEnded) {
        if !self.wants(&ended.event) {
            return;
        }
        let text = ended.text.clone().unwrap_or_default();
        let outcome = match ended.outcome {
            HookOutcome::Failed => "error",
            HookOutcome::Cancelled => "cancelled",
            _ => "success",
        };
        let fields = json!({
            "hook_id": ended.hook_id,
            "hook_name": ended.event,
            "hook_event": ended.event,
            "stdout": text,
            "stderr": "",
            "output": text,
            "outcome": outcome,
        });
        self.system("hook_response", fields);
    }

    /// Those of a session's beginning are always told.
    fn wants(&self, event: &str) -> bool {
        self.wishes.hook_events || matches!(event, "SessionStart" | "Setup")
    }
}
