//! MCP servers: which there are, and switching them on and off.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::macros::{methods, open_enum, wire};

methods! {
    /// Lists MCP servers, or reconnects, signs in to, enables, disables or approves one.
    ToServer Mcp = "agent/mcp" (McpParams) -> McpResult;
}

wire! {
    /// What to do with which server.
    pub struct McpParams {
        /// What to do.
        op: McpOp,
        /// The server; needed by every operation but `list`.
        server?: String,
        /// The session whose servers are meant.
        session_id?: String,
        /// With `set`: name → configuration, as in an MCP settings file.
        servers?: BTreeMap<String, Value>,
    }

    /// The servers after the operation.
    #[derive(Default)]
    pub struct McpResult {
        /// All of them.
        servers: Vec<McpServer>,
    }

    /// An MCP server.
    pub struct McpServer {
        /// The name it has in the settings.
        name: String,
        /// Where it stands.
        status: McpStatus,
        /// How it is reached: `stdio`, `http`, `sse` …
        transport: String,
        /// Which settings name it: `user`, `project`, `local`, `session` …
        scope?: String,
        /// What keeps its program in: `user` (as the user's own program), `strict` (as a command),
        /// `off` (nothing, as its configuration says) or `none` (there is no sandbox).
        sandbox?: String,
        /// The names of its tools, as the model calls them.
        tools: Vec<String>,
        /// Its prompts, as commands without the slash.
        prompts?: Vec<String>,
        /// How many resources it has.
        resources?: u64,
        /// Tools that are not what they were when the user agreed to them; they are not used until
        /// `approve`.
        changed?: Vec<McpToolChange>,
        /// Why it is not connected, in one sentence.
        error?: String,
        /// The page to open to sign in, after `authenticate`.
        auth_url?: String,
        /// What happened with it lately, the oldest line first; only of a server that `list` names.
        log?: Vec<String>,
    }
}

wire! {
    /// A tool that its server describes otherwise than before.
    pub struct McpToolChange {
        /// As the model calls it.
        tool: String,
        /// What is different, as a unified diff of the description and the schema.
        diff: String,
    }
}

open_enum! {
    /// What to do with an MCP server.
    pub enum McpOp {
        /// List all.
        List = "list",
        /// Connect again.
        Reconnect = "reconnect",
        /// Sign in.
        Authenticate = "authenticate",
        /// Switch on.
        Enable = "enable",
        /// Switch off, for this session.
        Disable = "disable",
        /// Use its tools as they are now, also those that are not what they were.
        Approve = "approve",
        /// Replace the servers that the session's client gave it.
        Set = "set",
    }
}

open_enum! {
    /// Where an MCP server stands.
    pub enum McpStatus {
        /// Ready.
        Connected = "connected",
        /// On the way.
        Connecting = "connecting",
        /// Not reachable; `error` says why.
        Failed = "failed",
        /// Waits for a sign-in.
        NeedsAuth = "needsAuth",
        /// Comes from a folder that the user does not trust yet.
        Untrusted = "untrusted",
        /// Switched off.
        Disabled = "disabled",
    }
}
