//! Copies of a session, to go on in.

use protocol::event::Severity;
use protocol::session::{SessionFork, SessionForkParams};

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
}
