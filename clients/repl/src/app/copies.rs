//! Copies of a session: one to go on in, and one to read or keep as a file.

use std::path::Path;

use protocol::event::Severity;
use protocol::session::{
    ExportFormat, SessionExport, SessionExportParams, SessionExportResult, SessionFork,
    SessionForkParams,
};

use super::{App, Waiting};

impl App {
    /// Copies a session, up to a message or whole; the copy is joined when it is there.
    pub fn fork(&mut self, id: &str, at: Option<&str>) {
        let at_message = at.map(str::to_owned);
        let params = SessionForkParams { session_id: id.to_owned(), at_message };
        self.outbox.request::<SessionFork>(&params, Waiting::Fork);
    }

    /// Goes on in a copy of this session. A turn that runs belongs to the original.
    pub fn fork_here(&mut self, at: Option<&str>) {
        let Some(session) = &self.session else { return };
        if self.turn.is_some() {
            return self.notice(Severity::Warning, "A turn is running. Stop it first, then fork.");
        }
        let id = session.id.clone();
        self.fork(&id, at);
    }

    /// Writes this session to a file in the folder; `.jsonl` is for programs, all else is Markdown.
    pub fn export(&mut self, file: Option<&str>) {
        let Some(session) = &self.session else { return };
        let id = session.id.clone();
        let own = format!("session-{}.md", id.get(id.len().saturating_sub(8)..).unwrap_or(&id));
        let path = Path::new(&self.start.cwd).join(file.unwrap_or(&own));
        let jsonl = path.extension().is_some_and(|extension| extension == "jsonl");
        let format = if jsonl { ExportFormat::Jsonl } else { ExportFormat::Markdown };
        let path = Some(path.to_string_lossy().into_owned());
        let params = SessionExportParams { session_id: id, format, path };
        self.outbox.request::<SessionExport>(&params, Waiting::Export);
    }

    pub(super) fn exported(&mut self, result: SessionExportResult) {
        let path = result.path.unwrap_or_default();
        self.notice(Severity::Info, &format!("The session is written to {path}."));
    }
}
