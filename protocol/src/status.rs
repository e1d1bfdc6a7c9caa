//! How the server is doing.

use std::collections::BTreeMap;

use crate::macros::{methods, wire};
use crate::method::Empty;
use crate::session::SessionStatus;

methods! {
    /// How the server is doing: for a status line, a bug report and tests that look for leaks.
    ToServer Status = "agent/status" (Empty) -> StatusResult;
}

wire! {
    /// The server at this moment.
    pub struct StatusResult {
        /// The server's version.
        version: String,
        /// How long it has run.
        uptime_ms: u64,
        /// How much memory it holds.
        rss_bytes: u64,
        /// The sessions that are loaded.
        sessions: Vec<LiveSession>,
        /// The processes it started and has not reaped.
        children: Vec<ChildProcess>,
        /// Queue name → how many entries wait in it.
        queues: BTreeMap<String, u64>,
        /// The model a new session gets.
        model: ModelStatus,
        /// What keeps commands in.
        sandbox?: SandboxStatus,
        /// Where the log is written, when there is one.
        log_file?: String,
        /// Who gets metrics and traces, when the user named somebody.
        collector?: String,
    }

    /// What keeps commands in on this machine.
    pub struct SandboxStatus {
        /// `bubblewrap`, `landlock`, `seatbelt` or `none`.
        kind: String,
        /// Why there is none, or what it cannot do, in one sentence.
        problem?: String,
    }

    /// A loaded session.
    pub struct LiveSession {
        /// The session.
        session_id: String,
        /// Where it stands.
        status: SessionStatus,
    }

    /// A process the server started.
    pub struct ChildProcess {
        /// Its process id.
        pid: u32,
        /// What it is, for example `shell: cargo test` or `mcp: github`.
        what: String,
    }

    /// The model a new session gets.
    pub struct ModelStatus {
        /// Its id.
        id: String,
        /// Who serves it.
        provider: String,
        /// What is wrong, in one sentence that says what to do.
        problem?: String,
    }
}
