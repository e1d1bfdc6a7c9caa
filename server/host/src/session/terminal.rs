//! Commands in the client's own terminal, for users who chose that (`commandsInTerminal`): in sight, and
//! outside of every wall, which is what is decided about.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::Request as _;
use protocol::terminal::{TerminalRun, TerminalRunParams, TerminalRunResult};
use tools::{Terminal, TerminalEnd};

use super::Session;
use crate::core::Door;

/// A command has a deadline of its own; nobody waits longer than this.
const ENDED_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

struct DoorTerminal {
    door: Arc<Door>,
    session: String,
    call: String,
}

impl Session {
    /// The terminal for a call: of the first client that has one.
    pub(super) fn terminal(&self, call: &str) -> Option<Arc<dyn Terminal>> {
        let has_one = |door: &&Arc<Door>| {
            door.profile().agent.terminal == Some(true) && !door.is_unknown(TerminalRun::METHOD)
        };
        let door = self.doors.iter().find(has_one).filter(|_| self.config.in_terminal)?;
        let (session, call) = (self.id.clone(), call.to_owned());
        Some(Arc::new(DoorTerminal { door: door.clone(), session, call }))
    }
}

impl Terminal for DoorTerminal {
    fn run(
        &self,
        command: String,
        cwd: PathBuf,
    ) -> BoxFuture<'static, Result<TerminalEnd, String>> {
        let params = TerminalRunParams {
            session_id: self.session.clone(),
            tool_call_id: Some(self.call.clone()),
            command,
            cwd: cwd.display().to_string(),
        };
        let door = self.door.clone();
        async move {
            let asked = door.ask(TerminalRun::METHOD, &params);
            let ended = asked.answer::<TerminalRunResult>(ENDED_WITHIN).await;
            let ended = ended.map_err(|error| {
                format!("The user's terminal could not run it: {}", error.message)
            })?;
            Ok(TerminalEnd { exit_code: ended.exit_code, output: ended.output })
        }
        .boxed()
    }
}
