//! A prompt that was a `/command` and needed no model.

use protocol::event::{CommandOutput, CompactionEnded};
use serde_json::json;

use super::Teller;
use crate::doors::headless::summed_up;

impl Teller {
    pub(super) fn on_command(&mut self, output: &CommandOutput) {
        let command = output.command.clone();
        // What the command began is not over yet, and what comes of it is the answer.
        if self.account.compacting {
            self.account.command = Some((output.message_id.clone(), command));
            return;
        }
        self.command_done(&output.message_id, &command, &output.text, false);
    }

    pub(super) fn command_compacted(&mut self, ended: &CompactionEnded) {
        if let Some((message_id, command)) = self.account.command.take() {
            let failed = ended.summary.is_none();
            self.command_done(&message_id, &command, &summed_up(ended), failed);
        }
    }

    fn command_done(&mut self, message_id: &str, command: &str, text: &str, failed: bool) {
        // What we asked for ourselves is nothing that the host said.
        if self.ours.remove(message_id).is_none() {
            return;
        }
        self.work_begins();
        self.say_init();
        self.system("local_command_output", json!({ "content": text }));
        self.local_result(command, text, failed);
        self.owed.dropped(message_id);
    }
}
