//! The table of event types: one variant of [`EventBody`] and one struct for each.

use serde_json::Value;

use super::part::{
    CompactionTrigger, HookOutcome, MovedHunk, PlanEntry, Problem, Severity, StopReason, Usage,
};
use crate::lsp::Location;
use crate::mcp::McpServer;
use crate::prompt::Block;
use crate::review::Hunk;
use crate::session::{AgentInfo, Command, Config, QueuedPrompt, RewindWhat, SessionStatus};
use crate::snapshot::{Role, Todo};
use crate::tagged::tagged;
use crate::tasks::Task;
use crate::tool::{ContentPart, FileDiff, ToolKind, ToolProgress, ToolStatus};

tagged! {
    /// What happened, told apart by `type`.
    pub enum EventBody by "type" {
        /// A turn began.
        "turn.started" => TurnStarted(TurnStarted) {
            /// The turn.
            turn_id: String,
            /// The user's message that began it.
            message_id: String,
        }
        /// A turn ended: exactly once for each turn, also after a cancel or an error.
        "turn.ended" => TurnEnded(TurnEnded) {
            /// The turn.
            turn_id: String,
            /// Why it ended.
            stop_reason: StopReason,
            /// The tokens it took.
            usage: Usage,
            /// What it cost, in US dollars.
            cost_usd: f64,
            /// How long it took.
            duration_ms: u64,
            /// How many answers the model gave, each ended by tool calls or by the end of the turn.
            answers?: u32,
            /// What went wrong.
            error?: Problem,
            /// Why it ended, more precisely, for example `aborted_tools` or `budget_exhausted`.
            terminal_reason?: String,
        }
        /// A message began.
        "message.started" => MessageStarted(MessageStarted) {
            /// The message.
            message_id: String,
            /// Who writes it.
            role: Role,
            /// The whole text, for a message that does not stream, such as the user's.
            text?: String,
            /// What came with it besides words, such as a selection; pictures without their bytes.
            attachments?: Vec<Block>,
            /// The call that started the agent which writes it.
            parent_tool_call_id?: String,
        }
        /// More text of a message.
        "message.delta" => MessageDelta(MessageDelta) {
            /// The message.
            message_id: String,
            /// Who writes it.
            role: Role,
            /// What to append.
            text: String,
        }
        /// A message is complete.
        "message.ended" => MessageEnded(MessageEnded) {
            /// The message.
            message_id: String,
            /// Who wrote it.
            role: Role,
            /// The whole text, when it is not just the deltas one after the other.
            text?: String,
        }
        /// The request is sent again: what was shown of this message, thoughts too, never was.
        "message.retracted" => MessageRetracted(MessageRetracted) {
            /// The message.
            message_id: String,
        }
        /// A thought began.
        "thought.started" => ThoughtStarted(ThoughtStarted) {
            /// The message it belongs to.
            message_id: String,
        }
        /// More text of a thought.
        "thought.delta" => ThoughtDelta(ThoughtDelta) {
            /// The message it belongs to.
            message_id: String,
            /// What to append.
            text: String,
        }
        /// A thought is complete.
        "thought.ended" => ThoughtEnded(ThoughtEnded) {
            /// The message it belongs to.
            message_id: String,
            /// The whole text, when it is not just the deltas one after the other.
            text?: String,
        }
        /// The model began a tool call.
        "tool.started" => ToolStarted(ToolStarted) {
            /// The call.
            tool_call_id: String,
            /// The tool's name.
            name: String,
            /// One line for people, for example `Read src/main.rs`.
            title: String,
            /// What the tool does.
            kind: ToolKind,
            /// The input, when it is already complete.
            input?: Value,
            /// The call that started the agent which makes this one.
            parent_tool_call_id?: String,
        }
        /// More of a call's input.
        "tool.inputDelta" => ToolInputDelta(ToolInputDelta) {
            /// The call.
            tool_call_id: String,
            /// A piece of JSON to append.
            text: String,
        }
        /// A call moved on.
        "tool.updated" => ToolUpdated(ToolUpdated) {
            /// The call.
            tool_call_id: String,
            /// `pending`, `waiting` or `running`.
            status: ToolStatus,
            /// A better title, now that more is known.
            title?: String,
            /// The input, once it is complete.
            input?: Value,
            /// How far it is.
            progress?: ToolProgress,
            /// The places it touches.
            locations?: Vec<Location>,
        }
        /// A call ended.
        "tool.ended" => ToolEnded(ToolEnded) {
            /// The call.
            tool_call_id: String,
            /// `completed`, `failed`, `denied` or `cancelled`.
            status: ToolStatus,
            /// What came out.
            content: Vec<ContentPart>,
            /// The change, when the call changed exactly one file.
            diff?: FileDiff,
            /// How long it ran.
            duration_ms?: u64,
        }
        /// The plan changed.
        "plan.updated" => PlanUpdated(PlanUpdated) {
            /// The whole plan.
            entries: Vec<PlanEntry>,
        }
        /// The todo list changed.
        "todos.updated" => TodosUpdated(TodosUpdated) {
            /// The whole list.
            items: Vec<Todo>,
        }
        /// The prompts that wait changed.
        "queue.updated" => QueueUpdated(QueueUpdated) {
            /// All of them, the next one first.
            queue: Vec<QueuedPrompt>,
        }
        /// The settings of the session changed.
        "config.updated" => ConfigUpdated(ConfigUpdated) {
            /// All of them.
            config: Config,
        }
        /// The commands or agents of the session changed.
        "commands.updated" => CommandsUpdated(CommandsUpdated) {
            /// All commands.
            commands: Vec<Command>,
            /// All agents; absent when they are as before.
            agents?: Vec<AgentInfo>,
        }
        /// An MCP server connected, failed, wants a sign-in, or has other tools.
        "mcp.updated" => McpUpdated(McpUpdated) {
            /// All servers, without their logs.
            servers: Vec<McpServer>,
        }
        /// A prompt that was a `/command` was carried out, without the model.
        "command.output" => CommandOutput(CommandOutput) {
            /// The prompt.
            message_id: String,
            /// The command as the user wrote it, for example `/cost`.
            command: String,
            /// What it says, as plain text.
            text: String,
        }
        /// The context filled, or the cost grew.
        "usage.updated" => UsageUpdated(UsageUpdated) {
            /// Tokens in the context.
            used: u64,
            /// Tokens that fit.
            window: u64,
            /// What the session has cost so far, in US dollars.
            cost_usd: f64,
        }
        /// The conversation is being summed up.
        "compaction.started" => CompactionStarted(CompactionStarted) {
            /// Why.
            trigger: CompactionTrigger,
            /// Tokens in the context before.
            before: u64,
        }
        /// The conversation was summed up, or that failed.
        "compaction.ended" => CompactionEnded(CompactionEnded) {
            /// Why.
            trigger: CompactionTrigger,
            /// Tokens in the context before.
            before: u64,
            /// Tokens in the context after.
            after: u64,
            /// The summary.
            summary?: String,
            /// What went wrong; the conversation is then as before.
            error?: Problem,
        }
        /// A request to the model failed and will be sent again.
        "retry" => Retry(Retry) {
            /// Which attempt failed, from one.
            attempt: u32,
            /// How long until the next one.
            delay_ms: u64,
            /// What went wrong.
            error: Problem,
        }
        /// Something the user should know.
        "notice" => Notice(Notice) {
            /// How bad it is.
            severity: Severity,
            /// What it is, and what to do.
            text: String,
        }
        /// A hook began.
        "hook.started" => HookStarted(HookStarted) {
            /// This run of the hook.
            hook_id: String,
            /// What it hooks, for example `PreToolUse`.
            event: String,
            /// The hook for people, for example its command.
            title: String,
            /// The call it looks at.
            tool_call_id?: String,
        }
        /// A hook ended.
        "hook.ended" => HookEnded(HookEnded) {
            /// This run of the hook.
            hook_id: String,
            /// What it hooks.
            event: String,
            /// How it ended.
            outcome: HookOutcome,
            /// How long it ran.
            duration_ms: u64,
            /// What it said to the user.
            text?: String,
        }
        /// A background task began.
        "task.started" => TaskStarted(TaskStarted) {
            /// The task.
            task: Task,
        }
        /// A background task moved on.
        "task.updated" => TaskUpdated(TaskUpdated) {
            /// The task.
            task: Task,
        }
        /// A background task ended.
        "task.ended" => TaskEnded(TaskEnded) {
            /// The task.
            task: Task,
        }
        /// Another agent began.
        "agent.started" => AgentStarted(AgentStarted) {
            /// The agent.
            agent_id: String,
            /// Which agent it is, for example `Explore`. (`type` is the event's own.)
            agent_type: String,
            /// The call that started it.
            parent_tool_call_id: String,
            /// What it was asked, in one line.
            description?: String,
            /// The name by which others write to it.
            name?: String,
            /// The colour that its file wants it to be shown in: red, blue, green, yellow, purple,
            /// orange, pink or cyan.
            color?: String,
        }
        /// Another agent ended.
        "agent.ended" => AgentEnded(AgentEnded) {
            /// The agent.
            agent_id: String,
            /// Which agent it is.
            agent_type: String,
            /// The call that started it.
            parent_tool_call_id: String,
            /// How it ended.
            status?: ToolStatus,
            /// How many calls it made.
            tool_calls?: u64,
            /// How many tokens it took.
            tokens?: u64,
            /// How long it worked.
            duration_ms?: u64,
        }
        /// The agent changed a text.
        "hunk.added" => HunkAdded(HunkAdded) {
            /// The change.
            hunk: Hunk,
        }
        /// A hunk looks different, because somebody wrote in it.
        "hunk.updated" => HunkUpdated(HunkUpdated) {
            /// The change as it is now.
            hunk: Hunk,
        }
        /// A hunk was accepted, rejected or superseded.
        "hunk.resolved" => HunkResolved(HunkResolved) {
            /// The change as it is now.
            hunk: Hunk,
        }
        /// Pending hunks of one document are at other places, because the text around them changed.
        "hunks.moved" => HunksMoved(HunksMoved) {
            /// The document.
            uri: String,
            /// The version the ranges belong to; null when the file is not open in the editor.
            version: Option<i32>,
            /// The hunks whose range is not the one that was sent last.
            hunks: Vec<MovedHunk>,
        }
        /// A point to rewind to.
        "checkpoint.created" => CheckpointCreated(CheckpointCreated) {
            /// The user's message it stands before.
            message_id: String,
        }
        /// The session went back; unless only files did, clients drop the message and what follows.
        "session.rewound" => SessionRewound(SessionRewound) {
            /// The user's message before which things stand again.
            to_message: String,
            /// What went back.
            what: RewindWhat,
            /// Hand it to `agent/session/unrewind` to take the rewind back.
            undo_token?: String,
        }
        /// A rewind of the conversation was taken back: clients attach again to see it.
        "session.unrewound" => SessionUnrewound(SessionUnrewound) {}
        /// The title or the state of the session changed.
        "session.updated" => SessionUpdated(SessionUpdated) {
            /// The new title.
            title?: String,
            /// The new state.
            status?: SessionStatus,
        }
        /// A guess at what the user will say next. The next prompt, whoever sends it, ends it.
        "suggestion" => Suggestion(Suggestion) {
            /// The words to offer.
            text: String,
        }
        /// What the user's command for the status line printed.
        "status.line" => StatusLineUpdated(StatusLineUpdated) {
            /// Line by line; colours are written as a terminal reads them (SGR).
            lines: Vec<String>,
        }
        /// What a few calls did, in one line, for a short transcript.
        "tools.summarized" => ToolsSummarized(ToolsSummarized) {
            /// The calls, in their order.
            tool_call_ids: Vec<String>,
            /// The line.
            text: String,
        }
        /// What happened while nobody listened, for the client that is back.
        "away.summarized" => AwaySummarized(AwaySummarized) {
            /// A few sentences.
            text: String,
        }
    }
}
