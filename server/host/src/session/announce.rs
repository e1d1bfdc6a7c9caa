//! The end of a call, as clients are told of it: once its result is recorded.

use protocol::event::{TodosUpdated, ToolEnded};
use protocol::tool::{ContentPart, OutputPart, ToolStatus};
use tools::{CallReport, CallStatus};

use super::Session;

/// A call that ended, and is not announced yet.
pub(super) struct EndedCall {
    pub(super) name: String,
    pub(super) report: CallReport,
    pub(super) duration_ms: Option<u64>,
}

impl Session {
    /// Keeps the end of a call until the turn says that its result is recorded.
    pub(super) fn hold_announcement(&mut self, id: &str, ended: EndedCall) {
        match self.running.as_mut() {
            Some(running) => drop(running.ended.insert(id.to_owned(), ended)),
            None => self.announce(id, &ended),
        }
    }

    /// Tells of the end of a call, unless that was done.
    pub(super) fn announce_call(&mut self, id: &str) {
        let ended = self.running.as_mut().and_then(|running| running.ended.remove(id));
        if let Some(ended) = ended {
            self.announce(id, &ended);
        }
    }

    fn announce(&mut self, id: &str, ended: &EndedCall) {
        let EndedCall { name, report, duration_ms } = ended;
        self.tell_called(id, report, *duration_ms);
        self.show_ended(id, name, report, *duration_ms);
        if let Some(todos) = &report.todos {
            let items = todos.iter().map(super::snapshot::todo).collect();
            self.emit(TodosUpdated { items });
        }
    }

    pub(super) fn show_ended(
        &mut self,
        id: &str,
        name: &str,
        report: &CallReport,
        duration_ms: Option<u64>,
    ) {
        let status = match report.status {
            CallStatus::Completed => ToolStatus::Completed,
            CallStatus::Failed => ToolStatus::Failed,
            CallStatus::Denied => ToolStatus::Denied,
            CallStatus::Cancelled => ToolStatus::Cancelled,
        };
        let mut content =
            super::blocks::content_parts(&report.outcome.content, super::blocks::SMALL_PICTURE);
        if let (Some(exit_code), "Bash") = (report.exit_code, name) {
            content = content.into_iter().map(|part| as_output(part, exit_code)).collect();
        }
        let mut diffs = report.diffs.iter().map(super::blocks::file_diff).collect::<Vec<_>>();
        let diff = if diffs.len() == 1 { diffs.pop() } else { None };
        content.extend(diffs.into_iter().map(super::blocks::diff_part));
        let tool_call_id = id.to_owned();
        self.emit(ToolEnded { tool_call_id, status, content, diff, duration_ms });
    }
}

fn as_output(part: ContentPart, exit_code: i32) -> ContentPart {
    match part {
        ContentPart::Text(part) => ContentPart::Output(OutputPart {
            text: part.text,
            exit_code: Some(exit_code),
            truncated_bytes: None,
        }),
        part => part,
    }
}
