//! `system/status` and `system/compact_boundary`: the conversation is summed up.

use std::time::Instant;

use protocol::event::{CompactionEnded, CompactionTrigger};
use serde_json::json;

use super::Teller;

impl Teller {
    pub(super) fn compacting(&mut self) {
        self.account.compacting = true;
        self.account.compacting_since = Some(Instant::now());
        self.system("status", json!({ "status": "compacting" }));
    }

    pub(super) fn compacted(&mut self, ended: &CompactionEnded) {
        self.account.compacting = false;
        let since = self.account.compacting_since.take();
        let mut status = json!({ "status": null });
        match &ended.error {
            Some(error) => {
                status["compact_result"] = "failed".into();
                status["compact_error"] = error.message.clone().into();
            }
            None => status["compact_result"] = "success".into(),
        }
        self.system("status", status);
        if ended.error.is_none() && ended.summary.is_some() {
            let manual = ended.trigger == CompactionTrigger::Manual;
            let metadata = json!({
                "trigger": if manual { "manual" } else { "auto" },
                "pre_tokens": ended.before,
                "post_tokens": ended.after,
                "duration_ms": since.map(|since| super::result::millis(since.elapsed())),
            });
            self.system("compact_boundary", json!({ "compact_metadata": metadata }));
        }
        self.command_compacted(ended);
    }
}
