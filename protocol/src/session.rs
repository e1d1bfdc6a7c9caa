//! Sessions: starting, finding, joining and leaving them.
//!
//! What happens inside one (prompts, the queue, settings) is in `session/turn.rs`, going back in
//! time in `session/history.rs`; both are re-exported here.

mod history;
mod turn;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::event::Event;
use crate::macros::{methods, open_enum, wire};
use crate::method::Empty;
use crate::snapshot::{Pending, Snapshot};

pub use history::*;
pub use turn::*;

methods! {
    /// Starts a session.
    ToServer SessionNew = "agent/session/new" (SessionNewParams) -> SessionNewResult;
    /// Lists sessions, the one used last first.
    ToServer SessionList = "agent/session/list" (SessionListParams) -> SessionListResult;
    /// Loads a stored session or joins a live one.
    ToServer SessionAttach = "agent/session/attach" (SessionAttachParams) -> SessionAttachResult;
    /// Stops receiving a session's events; the session goes on.
    ToServer SessionDetach = "agent/session/detach" (SessionRef) -> Empty;
    /// Stops a session and unloads it; it stays stored.
    ToServer SessionClose = "agent/session/close" (SessionRef) -> Empty;
    /// Deletes a session for good.
    ToServer SessionDelete = "agent/session/delete" (SessionRef) -> Empty;
    /// Gives a session a title.
    ToServer SessionRename = "agent/session/rename" (SessionRenameParams) -> Empty;
    /// Copies a session, whole or up to a message, and leaves the original alone.
    ToServer SessionFork = "agent/session/fork" (SessionForkParams) -> SessionForkResult;
    /// Sends a prompt. Answered on acceptance, never at the end of the turn.
    ToServer SessionPrompt = "agent/session/prompt" (SessionPromptParams) -> SessionPromptResult;
    /// Stops a turn, a call or a task. Answered once it has really stopped; safe to repeat.
    ToServer SessionCancel = "agent/session/cancel" (SessionCancelParams) -> SessionCancelResult;
    /// Looks at the prompts that wait, and changes them.
    ToServer SessionQueue = "agent/session/queue" (SessionQueueParams) -> SessionQueueResult;
    /// Reads a session's settings, and changes them.
    ToServer SessionConfig = "agent/session/config" (SessionConfigParams) -> SessionConfigResult;
    /// Sums the conversation up to free context. Events tell how it goes.
    ToServer SessionCompact = "agent/session/compact" (SessionCompactParams) -> Empty;
    /// Tells what fills the context.
    ToServer SessionContext = "agent/session/context" (SessionRef) -> SessionContextResult;
    /// Tells what the session has cost, model by model.
    ToServer SessionCost = "agent/session/cost" (SessionRef) -> SessionCostResult;
    /// Goes back to a message: the conversation, the files the agent changed, or both.
    ToServer SessionRewind = "agent/session/rewind" (SessionRewindParams) -> SessionRewindResult;
    /// Takes a rewind, or a review decision, back.
    ToServer SessionUnrewind = "agent/session/unrewind" (SessionUnrewindParams) -> Empty;
    /// Runs a command of the user's own, with the rules and the walls that hold for the agent. It is shown
    /// as a call, and the model learns of it with what is said next.
    ToServer SessionShell = "agent/session/shell" (SessionShellParams) -> SessionShellResult;
    /// Writes a session out.
    ToServer SessionExport = "agent/session/export" (SessionExportParams) -> SessionExportResult;
}

wire! {
    /// Names a session.
    pub struct SessionRef {
        /// The session.
        session_id: String,
    }

    /// How to start a session.
    #[derive(Default)]
    pub struct SessionNewParams {
        /// The folder the session works in, as an absolute path.
        cwd: String,
        /// More folders it may work in, as absolute paths.
        roots?: Vec<String>,
        /// The model; the default one without it.
        model?: String,
        /// The permission mode; the one of the settings without it.
        mode?: Mode,
        /// The agent that leads the session.
        agent?: String,
        /// The title; made from the first prompt without it.
        title?: String,
        /// MCP servers for this session: name → configuration, as in an MCP settings file.
        mcp_servers?: BTreeMap<String, Value>,
        /// True: nothing is stored.
        ephemeral?: bool,
        /// The id it shall have, a UUID that no session has yet; made without it.
        session_id?: String,
    }

    /// A session that has begun.
    pub struct SessionNewResult {
        /// Its id.
        session_id: String,
        /// The `seq` of the last event before the first that will be sent.
        seq: u64,
        /// Its settings.
        config: Config,
        /// The `/commands` it has.
        commands: Vec<Command>,
        /// The agents it can start.
        agents: Vec<AgentInfo>,
    }

    /// Which sessions; all without any field.
    #[derive(Default)]
    pub struct SessionListParams {
        /// Only those of this folder.
        cwd?: String,
        /// With `cwd`, true: also those of the same folder in other worktrees of its repository.
        worktrees?: bool,
        /// Only those whose title or text has these words.
        query?: String,
        /// `next` of the page before.
        cursor?: String,
        /// How many are on a page: 50 without it, 1000 at most.
        limit?: u32,
    }

    /// One page of sessions.
    #[derive(Default)]
    pub struct SessionListResult {
        /// The sessions, the one used last first.
        sessions: Vec<SessionInfo>,
        /// The cursor of the next page; absent on the last one.
        next?: String,
    }

    /// A session in a list.
    pub struct SessionInfo {
        /// Its id.
        session_id: String,
        /// Its title.
        title: String,
        /// The folder it works in, as a path.
        cwd: String,
        /// The branch that was checked out when it was last used.
        branch?: String,
        /// When it was last used, in milliseconds since 1970 UTC.
        updated_at: u64,
        /// How many messages it has.
        messages: u32,
        /// True when it is loaded.
        live: bool,
        /// Where it stands.
        status: SessionStatus,
    }

    /// Which session to join, and from where on.
    #[derive(Default)]
    pub struct SessionAttachParams {
        /// The session.
        session_id: String,
        /// The `seq` of the last event the client has; a snapshot is sent without it.
        since?: u64,
        /// Where a stored session goes on when its own folder is gone, as an absolute path.
        cwd?: String,
    }

    /// A session to show. With `since`: the missed events, each once. Without, or when those are
    /// no longer kept: a snapshot.
    pub struct SessionAttachResult {
        /// The session's whole id; a beginning that fits only one will do to ask for it.
        session_id: String,
        /// The session as of `seq`.
        snapshot?: Snapshot,
        /// The events after `since`.
        events: Vec<Event>,
        /// The `seq` up to which all is told; the next event has the next number.
        seq: u64,
        /// Its settings.
        config: Config,
        /// The `/commands` it has.
        commands: Vec<Command>,
        /// The agents it can start.
        agents: Vec<AgentInfo>,
        /// Requests that still wait for an answer.
        pending: Vec<Pending>,
    }

    /// A new title for a session.
    pub struct SessionRenameParams {
        /// The session.
        session_id: String,
        /// The title.
        title: String,
    }

    /// Which session to copy.
    pub struct SessionForkParams {
        /// The session.
        session_id: String,
        /// The last message to copy, with the results of its calls; all without it.
        at_message?: String,
    }

    /// The copy.
    pub struct SessionForkResult {
        /// Its id.
        session_id: String,
    }

    /// A `/command`.
    pub struct Command {
        /// Its name, without the slash.
        name: String,
        /// What it does.
        description: String,
        /// What may follow it, for example `[file]`.
        argument_hint?: String,
        /// Where it comes from: `built-in`, `managed`, `user`, `project`, `plugin` or `bundled`.
        source?: String,
    }

    /// An agent that a session can start.
    pub struct AgentInfo {
        /// Its name.
        name: String,
        /// What it is for.
        description: String,
    }
}

open_enum! {
    /// Where a session stands.
    pub enum SessionStatus (default Idle) {
        /// Nothing runs.
        Idle = "idle",
        /// A turn runs.
        Running = "running",
        /// A turn waits for an answer of the user.
        Waiting = "waiting",
    }
}
