//! Tool calls as a client sees them: kinds, states, content.

use serde_json::Value;

use crate::lsp::Location;
use crate::macros::{open_enum, wire};
use crate::tagged::tagged;

open_enum! {
    /// What a tool does, for an icon and for grouping.
    pub enum ToolKind (default Unspecified) {
        /// Reads files.
        Read = "read",
        /// Changes files.
        Edit = "edit",
        /// Runs a command.
        Execute = "execute",
        /// Searches files.
        Search = "search",
        /// Reads from the network.
        Fetch = "fetch",
        /// Plans, keeps lists, starts other agents.
        Think = "think",
        /// None of these.
        Unspecified = "other",
    }
}

open_enum! {
    /// Where a tool call stands.
    pub enum ToolStatus {
        /// Its input is still arriving, or it waits for its turn.
        Pending = "pending",
        /// It waits for the user's permission.
        Waiting = "waiting",
        /// It runs.
        Running = "running",
        /// It is done.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// The user or a rule said no.
        Denied = "denied",
        /// It was stopped.
        Cancelled = "cancelled",
    }
}

wire! {
    /// A tool call, as far as a permission prompt needs it.
    pub struct ToolCall {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        name: String,
        /// What the tool does.
        kind: ToolKind,
        /// The input the model wrote.
        input?: Value,
        /// The call that started the agent which makes this one.
        parent_tool_call_id?: String,
    }

    /// How far a running call is.
    #[derive(Default)]
    pub struct ToolProgress {
        /// One line about what happens now.
        message?: String,
        /// New output since the last update, to be appended.
        output?: String,
        /// How much is done, in the unit of `total`.
        done?: u64,
        /// How much there is to do.
        total?: u64,
    }

    /// A change of one file.
    pub struct FileDiff {
        /// The file.
        uri: String,
        /// The version of `oldText`; null when the file is not open in the editor.
        version: Option<i32>,
        /// The text before; null for a new file.
        old_text: Option<String>,
        /// The text after; null for a deleted file.
        new_text: Option<String>,
    }

    /// A tool call with everything known about it, as a snapshot holds it.
    pub struct ToolCallState {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        name: String,
        /// One line for people, for example `Read src/main.rs`.
        title: String,
        /// What the tool does.
        kind: ToolKind,
        /// Where it stands.
        status: ToolStatus,
        /// The input the model wrote.
        input?: Value,
        /// What came out.
        content: Vec<ContentPart>,
        /// The change, when the call changed exactly one file.
        diff?: FileDiff,
        /// Places the call touched.
        locations?: Vec<Location>,
        /// The call that started the agent which makes this one.
        parent_tool_call_id?: String,
    }
}

tagged! {
    /// One part of what a tool call gave.
    pub enum ContentPart by "type" {
        /// Text.
        "text" => Text(TextPart) {
            /// The text.
            text: String,
        }
        /// A change of a file.
        "diff" => Diff(DiffPart) {
            /// The file.
            uri: String,
            /// The version of `oldText`; null when the file is not open in the editor.
            version: Option<i32>,
            /// The text before; null for a new file.
            old_text: Option<String>,
            /// The text after; null for a deleted file.
            new_text: Option<String>,
        }
        /// What a command printed.
        "output" => Output(OutputPart) {
            /// Standard output and standard error as they came.
            text: String,
            /// The exit code; absent when it was killed or still runs.
            exit_code?: i32,
            /// How many bytes were left out, when the output was cut.
            truncated_bytes?: u64,
        }
        /// A picture.
        "image" => Image(ImagePart) {
            /// For example `image/png`.
            mime_type: String,
            /// The bytes in Base64; absent when there are many, and in a snapshot.
            data?: String,
            /// In pixels.
            width?: u32,
            /// In pixels.
            height?: u32,
            /// How many bytes there are.
            size?: u64,
        }
        /// A pointer to a file, a page or an MCP resource.
        "link" => Link(LinkPart) {
            /// Where it points.
            uri: String,
            /// The name for people.
            title?: String,
        }
    }
}

impl ContentPart {
    /// A part of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextPart { text: text.into() })
    }
}
