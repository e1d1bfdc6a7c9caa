//! `!command`: a command of the user's own, through the ordinary pipeline. What it prints is shown, and the
//! model learns of it with what is said next.

use protocol::event::Severity;
use protocol::session::{SessionCancel, SessionCancelParams, SessionShell, SessionShellParams};
use tokio::time::Instant;

use super::{App, Waiting};

/// Such a command, while it runs.
#[derive(Debug)]
pub(super) struct Shell {
    pub call: String,
    pub command: String,
    pub started: Instant,
}

impl App {
    pub(super) fn shell_began(&mut self, call: String, command: String, now: Instant) {
        // The end may have been told before the answer.
        if self.transcript.tool(&call).is_some_and(|view| !view.is_over()) {
            self.shells.push(Shell { call, command, started: now });
        }
    }

    pub(super) fn shell_ended(&mut self, call: &str) {
        self.shells.retain(|shell| shell.call != call);
    }

    /// Stops the last one; false when none runs.
    pub(super) fn stop_shell(&mut self) -> bool {
        let (Some(session), Some(shell)) = (&self.session, self.shells.last()) else {
            return false;
        };
        let params = SessionCancelParams {
            session_id: session.id.clone(),
            turn_id: None,
            tool_call_id: Some(shell.call.clone()),
            task_id: None,
        };
        self.outbox.request::<SessionCancel>(&params, Waiting::Cancel);
        true
    }

    /// True when the text is such a command.
    pub(super) fn run_shell(&mut self, text: &str) -> bool {
        let Some(command) = text.strip_prefix('!').map(str::trim) else { return false };
        if command.is_empty() {
            self.notice(Severity::Info, "Write a command behind the !, and it runs here.");
            return true;
        }
        let Some(session) = &self.session else {
            self.notice(Severity::Warning, "There is no session yet.");
            return true;
        };
        let params =
            SessionShellParams { session_id: session.id.clone(), command: command.to_owned() };
        self.outbox.request::<SessionShell>(&params, Waiting::Shell(command.to_owned()));
        true
    }
}
