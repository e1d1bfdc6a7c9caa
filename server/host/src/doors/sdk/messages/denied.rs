//! `system/permission_denied`: a call that nobody allowed. The host that said no itself knows.

use serde_json::json;

use super::Teller;
use super::calls::{Call, text};
use crate::session::CallTold;

impl Teller {
    pub(super) fn denied(&mut self, call: &Call, told: &CallTold, by_host: bool) {
        self.account.denials.push(json!({
            "tool_name": call.name,
            "tool_use_id": told.id,
            "tool_input": call.input,
        }));
        if !by_host {
            let message = text(&told.content);
            let fields = json!({
                "tool_name": call.name,
                "tool_use_id": told.id,
                "decision_reason": message,
                "message": message,
            });
            self.system("permission_denied", fields);
        }
    }
}
