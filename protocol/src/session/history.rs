//! Going back in a session, and writing it out.

use crate::lsp::Range;
use crate::macros::{open_enum, wire};
use crate::review::Hunk;

wire! {
    /// Where to go back to.
    pub struct SessionRewindParams {
        /// The session.
        session_id: String,
        /// The user's message before which things stood as they shall stand again.
        to_message: String,
        /// What goes back.
        what: RewindWhat,
        /// True: only tell what would happen.
        preview?: bool,
    }

    /// What a rewind did, or would do.
    #[derive(Default)]
    pub struct SessionRewindResult {
        /// The files that change.
        files: Vec<RewoundFile>,
        /// The agent's hunks that are taken back.
        hunks: Vec<Hunk>,
        /// Places that stay as they are, because the user has changed them since.
        conflicts: Vec<RewindConflict>,
        /// Hand it to `agent/session/unrewind` to take the rewind back; absent for a preview.
        undo_token?: String,
    }

    /// A file that a rewind changes.
    pub struct RewoundFile {
        /// The file.
        uri: String,
        /// The version it has now; null when the file is not open in the editor.
        version: Option<i32>,
        /// What happens to it.
        change: RewindChange,
        /// How many lines come back.
        added_lines: u32,
        /// How many lines go.
        removed_lines: u32,
    }

    /// A place that a rewind leaves alone.
    pub struct RewindConflict {
        /// The file.
        uri: String,
        /// The version `range` belongs to; null when the file is not open in the editor.
        version: Option<i32>,
        /// The place; absent for the whole file.
        range?: Range,
        /// Why, in one sentence.
        reason: String,
    }

    /// What to take back.
    pub struct SessionUnrewindParams {
        /// The token of a rewind or a review decision.
        undo_token: String,
    }

    /// How to write a session out.
    pub struct SessionExportParams {
        /// The session.
        session_id: String,
        /// Only what this agent of the session did.
        agent_id?: String,
        /// The format.
        format: ExportFormat,
        /// A file to make for it, as an absolute path. One that is there already is left alone.
        path?: String,
        /// Without `path`: only the last so many bytes, from the beginning of a line on.
        tail?: u32,
    }

    /// A session written out: `content`, or `path` when a file was asked for or it is too long for
    /// one message.
    #[derive(Default)]
    pub struct SessionExportResult {
        /// The text.
        content?: String,
        /// The file that holds it, as a path.
        path?: String,
    }
}

open_enum! {
    /// What goes back in a rewind.
    pub enum RewindWhat {
        /// The conversation.
        Conversation = "conversation",
        /// The files the agent changed.
        Files = "files",
        /// Both.
        Both = "both",
    }
}

open_enum! {
    /// What a rewind does to a file.
    pub enum RewindChange {
        /// Gives it its old content.
        Restored = "restored",
        /// Makes it again.
        Created = "created",
        /// Deletes what the agent had made.
        Deleted = "deleted",
    }
}

open_enum! {
    /// How a session is written out.
    pub enum ExportFormat {
        /// For people.
        Markdown = "markdown",
        /// For programs: one JSON object on each line.
        Jsonl = "jsonl",
    }
}
