//! `terminal/*`: a command in a terminal of the client's, shown in the call while it runs. Only for users
//! who chose that; see `commandsInTerminal`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use protocol::terminal::{TerminalRunParams, TerminalRunResult};
use serde::Serialize;
use serde_json::Value;

use crate::core::RpcError;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{
    CreateTerminalRequest, CreateTerminalResponse, KillTerminalRequest, ReleaseTerminalRequest,
    SessionUpdate, Terminal, TerminalId, TerminalOutputRequest, TerminalOutputResponse,
    ToolCallContent, ToolCallUpdate, ToolCallUpdateFields, WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
};

const SHELL: &str = "/bin/sh";
const ANSWERED_WITHIN: Duration = Duration::from_secs(15);
/// The command has a deadline elsewhere.
const ENDED_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);
/// So much of the output is kept by the client.
const KEPT_BYTES: u64 = 1024 * 1024;

pub(super) async fn run(
    peer: &Arc<Peer>,
    params: TerminalRunParams,
) -> Result<TerminalRunResult, RpcError> {
    let TerminalRunParams { session_id: session, tool_call_id, command, cwd } = params;
    let create = CreateTerminalRequest::new(session.clone(), SHELL)
        .args(vec!["-c".to_owned(), command])
        .cwd(PathBuf::from(cwd))
        .output_byte_limit(KEPT_BYTES);
    let asked = peer.door.ask("terminal/create", &create);
    let terminal = asked.answer::<CreateTerminalResponse>(ANSWERED_WITHIN).await?.terminal_id;
    let mut open = Open { peer: peer.clone(), session, terminal, ended: false };
    if let Some(call) = tool_call_id {
        open.show(call);
    }
    let wait = WaitForTerminalExitRequest::new(open.session.clone(), open.terminal.clone());
    let asked = peer.door.ask("terminal/wait_for_exit", &wait);
    let exit = asked.answer::<WaitForTerminalExitResponse>(ENDED_WITHIN).await?.exit_status;
    open.ended = true;
    let output = TerminalOutputRequest::new(open.session.clone(), open.terminal.clone());
    let asked = peer.door.ask("terminal/output", &output);
    let output = asked.answer::<TerminalOutputResponse>(ANSWERED_WITHIN).await?.output;
    let exit_code = exit.exit_code.and_then(|code| i32::try_from(code).ok());
    Ok(TerminalRunResult { exit_code, output })
}

/// A terminal that is ours: given back when it is dropped, and whatever still runs there ends before.
struct Open {
    peer: Arc<Peer>,
    session: String,
    terminal: TerminalId,
    ended: bool,
}

impl Open {
    /// In the call, live; it stays there when the command has ended.
    fn show(&self, call: String) {
        let mut fields = ToolCallUpdateFields::new();
        fields.content =
            Some(vec![ToolCallContent::Terminal(Terminal::new(self.terminal.clone()))]);
        self.peer.terminals().insert(call.clone(), self.terminal.clone());
        let update = SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call, fields));
        self.peer.update(&self.session, update);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (peer, ended) = (self.peer.clone(), self.ended);
        let kill = KillTerminalRequest::new(self.session.clone(), self.terminal.clone());
        let release = ReleaseTerminalRequest::new(self.session.clone(), self.terminal.clone());
        runtime.spawn(async move {
            if !ended {
                told(&peer, "terminal/kill", &kill).await;
            }
            told(&peer, "terminal/release", &release).await;
        });
    }
}

/// What comes of it changes nothing.
async fn told(peer: &Peer, method: &'static str, params: &impl Serialize) {
    let asked = peer.door.ask(method, params);
    if let Err(error) = asked.answer::<Value>(ANSWERED_WITHIN).await {
        tracing::debug!(method, %error, "a terminal was not given back");
    }
}
