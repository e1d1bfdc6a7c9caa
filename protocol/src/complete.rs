//! Completion inside a prompt that is being written.

use crate::macros::{methods, open_enum, wire};

methods! {
    /// Completes `/commands`, `@files`, `@agents`, `@mcp:resources` and `#memory` in a prompt.
    ToServer Complete = "agent/complete" (CompleteParams) -> CompleteResult;
}

wire! {
    /// The prompt so far and the place of the caret.
    pub struct CompleteParams {
        /// The whole text of the prompt.
        text: String,
        /// The caret, counted from the start of `text` in the negotiated position encoding.
        offset: u32,
        /// The session whose commands, files and servers are meant.
        session_id?: String,
    }

    /// What fits, the best first.
    #[derive(Default)]
    pub struct CompleteResult {
        /// The proposals.
        items: Vec<CompletionItem>,
    }

    /// One proposal.
    pub struct CompletionItem {
        /// What it stands for.
        kind: CompletionKind,
        /// What the list shows.
        label: String,
        /// What replaces the text from `start` to `end`.
        insert_text: String,
        /// Where the replaced text starts, counted like `offset`.
        start: u32,
        /// Where it ends.
        end: u32,
        /// A short explanation beside the label.
        detail?: String,
    }
}

open_enum! {
    /// What a proposal stands for.
    pub enum CompletionKind {
        /// A `/command`.
        Command = "command",
        /// A file.
        File = "file",
        /// A folder.
        Folder = "folder",
        /// An agent.
        Agent = "agent",
        /// A resource of an MCP server.
        Resource = "resource",
        /// A memory file.
        Memory = "memory",
    }
}
