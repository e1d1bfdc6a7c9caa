//! A session as it stands, for a client that joins it late.

use crate::ask::AskParams;
use crate::macros::{open_enum, wire};
use crate::permission::PermissionRequestParams;
use crate::prompt::Block;
use crate::tagged::tagged;
use crate::tool::ToolCallState;

wire! {
    /// A session as it stands.
    pub struct Snapshot {
        /// The session's title; absent while it has none.
        title?: String,
        /// The conversation, the oldest message first.
        messages: Vec<SnapshotMessage>,
        /// The todo list.
        todos: Vec<Todo>,
        /// How full the context is and what it has cost.
        usage: ContextUsage,
        /// The turn that runs; absent when none does.
        turn_id?: String,
    }

    /// One message of the conversation.
    pub struct SnapshotMessage {
        /// Its id.
        message_id: String,
        /// Who wrote it.
        role: Role,
        /// When, in milliseconds since 1970 UTC.
        at?: u64,
        /// What it is made of, in order.
        blocks: Vec<SnapshotBlock>,
    }

    /// One entry of the todo list.
    pub struct Todo {
        /// What is to be done.
        content: String,
        /// The same, as it reads while it is being done.
        active_form?: String,
        /// Where it stands.
        status: TodoStatus,
    }

    /// How full the context is and what the session has cost.
    #[derive(Default)]
    pub struct ContextUsage {
        /// Tokens in the context.
        used: u64,
        /// Tokens that fit.
        window: u64,
        /// What the session has cost so far, in US dollars.
        cost_usd: f64,
    }
}

tagged! {
    /// One part of a message.
    pub enum SnapshotBlock by "type" {
        /// Text.
        "text" => Text(SnapshotText) {
            /// The text.
            text: String,
        }
        /// What the model thought.
        "thought" => Thought(SnapshotThought) {
            /// The thought.
            text: String,
        }
        /// A tool call with its outcome.
        "toolCall" => ToolCall(SnapshotToolCall) {
            /// The call.
            call: ToolCallState,
        }
        /// Something the user added to a prompt.
        "attachment" => Attachment(SnapshotAttachment) {
            /// What was added.
            block: Block,
        }
        /// Everything before this was summed up.
        "summary" => Summary(SnapshotSummary) {
            /// The summary.
            text: String,
        }
    }
}

tagged! {
    /// A request that still waits for an answer.
    pub enum Pending by "type" {
        /// A permission request.
        "permission" => Permission(PendingPermission) {
            /// The request.
            request: PermissionRequestParams,
        }
        /// A question.
        "ask" => Ask(PendingAsk) {
            /// The question.
            request: AskParams,
        }
    }
}

open_enum! {
    /// Who wrote a message.
    pub enum Role {
        /// The user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// Bowline itself, for example the result of a command.
        System = "system",
    }
}

open_enum! {
    /// Where an entry of a todo list or a plan stands.
    pub enum TodoStatus {
        /// Not begun.
        Pending = "pending",
        /// Being done.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}
