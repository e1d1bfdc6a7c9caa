//! `user`: what the host said, once it is part of the conversation, and what was said in its place.

use protocol::event::MessageStarted;
use protocol::snapshot::Role;
use serde_json::json;

use super::Teller;

impl Teller {
    pub(super) fn on_message(&mut self, started: &MessageStarted) {
        if started.role != Role::User {
            return;
        }
        match self.ours.remove(&started.message_id) {
            Some(message) if self.wishes.replay => {
                self.push(json!({
                    "type": "user",
                    "message": message,
                    "parent_tool_use_id": null,
                    "uuid": started.message_id,
                    "isReplay": true,
                }));
            }
            Some(_) => {}
            // A task that ended, or a prompt whose time has come, speaks for itself.
            None => {
                let text = started.text.clone().unwrap_or_default();
                self.push(json!({
                    "type": "user",
                    "message": { "role": "user", "content": text },
                    "parent_tool_use_id": null,
                    "isSynthetic": true,
                    "origin": { "kind": "task-notification" },
                }));
            }
        }
    }
}
