//! `system/informational`: what somebody should know. What is only good to know goes to the log.

use protocol::event::{Notice, Severity};
use serde_json::json;

use super::Teller;

impl Teller {
    pub(super) fn on_notice(&mut self, notice: &Notice) {
        match notice.severity {
            Severity::Info => tracing::info!(text = notice.text, "a notice"),
            _ => {
                let fields = json!({ "content": notice.text, "level": "warning" });
                self.system("informational", fields);
            }
        }
    }
}
