//! Commands of the user's own (`!command` in the terminal): the same pipeline as the agent's, with the same
//! rules, walls and questions. They are shown as calls, and the model reads of them with what is said next.

use std::collections::HashMap;
use std::time::Instant;

use agent::ResultPart;
use agent::turn::ToolCall;
use protocol::event::ToolStarted;
use protocol::session::SessionShellResult;
use protocol::tool::ToolKind;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools::CallReport;

use super::calls::millis;
use super::output::OutputSlot;
use super::{Msg, Session};
use crate::core::{Reply, RpcError};

/// What such a call is called: it belongs to no turn.
const SHELL: &str = "Shell";
/// More at once is no work of a person.
const MOST: usize = 8;
/// As much of what it printed goes to the model; whoever wants more can ask for it.
const TOLD: usize = 16 * 1024;

#[derive(Default)]
pub(super) struct Shells(HashMap<String, Shell>);

struct Shell {
    command: String,
    cancel: CancellationToken,
    output: OutputSlot,
    started: Instant,
}

/// What runs does not outlive the session.
impl Drop for Shell {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Shells {
    pub(super) fn output(&self, id: &str) -> Option<&OutputSlot> {
        self.0.get(id).map(|shell| &shell.output)
    }

    /// False when it is none of these.
    pub(super) fn stop(&self, id: &str) -> bool {
        let Some(shell) = self.0.get(id) else { return false };
        shell.cancel.cancel();
        true
    }
}

impl Session {
    pub(super) fn on_shell(&mut self, command: String, reply: Reply) {
        if command.trim().is_empty() {
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, "`command` is empty."));
        }
        if self.shells.0.len() >= MOST {
            let text = format!("{MOST} commands of yours run already; wait for one, or stop it.");
            return reply.err(RpcError::failed(text));
        }
        let id = self.next_id("shell");
        let input = json!({"command": command});
        self.emit(ToolStarted {
            tool_call_id: id.clone(),
            name: SHELL.to_owned(),
            title: command.clone(),
            kind: ToolKind::Execute,
            input: Some(input.clone()),
            parent_tool_call_id: None,
        });
        reply.ok(&SessionShellResult { tool_call_id: id.clone() });
        let (cancel, output) = (CancellationToken::new(), OutputSlot::default());
        let progress = output.progress(self.own.clone(), id.clone());
        let call = ToolCall { id: id.clone(), name: "Bash".to_owned(), input };
        let report = self.direct_call(call, cancel.clone(), progress);
        let started = Instant::now();
        self.shells.0.insert(id.clone(), Shell { command, cancel, output, started });
        let own = self.own.clone();
        tokio::spawn(async move {
            // A tool that panics costs its own call and nothing else.
            let report = tokio::spawn(report).await;
            let report = report.unwrap_or_else(|error| CallReport::crashed(&error.to_string()));
            let _ = own.send(Msg::ShellEnded { id, report: Box::new(report) }).await;
        });
    }

    pub(super) async fn on_shell_ended(&mut self, id: &str, report: CallReport) {
        let Some(shell) = self.shells.0.remove(id) else { return };
        self.withdraw_asks_of(id);
        self.show_ended(id, "Bash", &report, Some(millis(shell.started)));
        let texts = report.outcome.content.iter().filter_map(|part| match part {
            ResultPart::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let printed = texts.collect::<Vec<_>>().join("\n");
        self.on_note(note(&shell.command, &printed, report.exit_code)).await;
    }
}

/// What the model reads. It is no order, whatever the command has printed.
fn note(command: &str, printed: &str, exit_code: Option<i32>) -> String {
    let cut = printed.ceil_char_boundary(printed.len().saturating_sub(TOLD));
    let left_out = if cut > 0 { "(the beginning is left out)\n" } else { "" };
    let code = exit_code.map(|code| format!(" with the exit code {code}")).unwrap_or_default();
    format!(
        "The user ran a command themselves, and saw what came of it. It is for you to know, not to \
         answer.\n<command>\n{command}\n</command>\nIt ended{code}:\n<output>\n{left_out}{}\n</output>",
        &printed[cut..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_is_told_by_its_end() {
        let text = note("make", &format!("{}the end", "x".repeat(TOLD)), Some(2));
        assert!(text.contains("the exit code 2") && text.contains("the end\n</output>"), "{text}");
        assert!(text.contains("(the beginning is left out)") && text.len() < TOLD + 500);
        assert!(note("true", "", None).contains("It ended:"));
    }
}
