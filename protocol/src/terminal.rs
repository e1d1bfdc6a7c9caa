//! Running a command in the editor's own terminal, for users who opted in.

use crate::macros::{methods, wire};

methods! {
    /// Runs a command where the user can see it.
    ToClient TerminalRun = "agent/terminal/run" (TerminalRunParams) -> TerminalRunResult;
}

wire! {
    /// A command.
    pub struct TerminalRunParams {
        /// The session that runs it.
        session_id: String,
        /// The call that it belongs to, so that the terminal can be shown there.
        tool_call_id?: String,
        /// The command line.
        command: String,
        /// The folder to run it in, as a path.
        cwd: String,
    }

    /// How the command ended.
    pub struct TerminalRunResult {
        /// The exit code; null when it was killed.
        exit_code: Option<i32>,
        /// What it printed.
        output: String,
    }
}
