//! Reviewing what the agent changed, hunk by hunk.

use crate::edit::ReviewAction;
use crate::lsp::{Position, Range};
use crate::macros::{methods, open_enum, wire};
use crate::tool::FileDiff;

methods! {
    /// Lists hunks, of all sessions or of one, of all files or of one.
    ToServer ReviewList = "agent/review/list" (ReviewListParams) -> ReviewListResult;
    /// Accepts or rejects hunks.
    ToServer ReviewResolve = "agent/review/resolve" (ReviewResolveParams) -> ReviewResolveResult;
    /// A file without its pending hunks, and as it is now.
    ToServer ReviewDiff = "agent/review/diff" (ReviewDiffParams) -> ReviewDiffResult;
}

wire! {
    /// Which hunks; all without any field.
    #[derive(Default)]
    pub struct ReviewListParams {
        /// Only those of this session.
        session_id?: String,
        /// Only those of this document.
        uri?: String,
        /// Only those of this turn.
        turn_id?: String,
    }

    /// The hunks, in the order of their files and places.
    #[derive(Default)]
    pub struct ReviewListResult {
        /// The hunks.
        hunks: Vec<Hunk>,
    }

    /// One change of the agent in one place.
    pub struct Hunk {
        /// Its id.
        id: String,
        /// The session that made it.
        session_id: String,
        /// The turn that made it.
        turn_id: String,
        /// The call that made it.
        tool_call_id: String,
        /// The document.
        uri: String,
        /// The version that `range` belongs to; null when the file is not open in the editor.
        version: Option<i32>,
        /// Where `newText` is now.
        range: Range,
        /// The text before.
        old_text: String,
        /// The text after.
        new_text: String,
        /// Who wrote it.
        author: Author,
        /// Where the review stands.
        state: HunkState,
    }

    /// What to do with which hunks: exactly one of `hunkIds`, `uri`, `turnId`, `sessionId` and `at` is
    /// present, or `uri` with `sessionId`. Rejecting a whole document, turn, session or call takes earlier hunks of it along that a
    /// later one replaced and that would be pending again.
    pub struct ReviewResolveParams {
        /// These hunks.
        hunk_ids?: Vec<String>,
        /// All pending hunks of this document.
        uri?: String,
        /// All pending hunks of this turn.
        turn_id?: String,
        /// All pending hunks of this session; with `uri`, only those of that document.
        session_id?: String,
        /// With `sessionId`: only those of this tool call.
        tool_call_id?: String,
        /// The pending hunk at this position, as the server finds it in that version of the document.
        at?: DocumentPosition,
        /// What to do.
        action: ReviewAction,
        /// With one hunk: only these lines of its new text; the rest stays pending.
        lines?: Vec<LineSpan>,
        /// What the user wants instead; the agent reads it with the next prompt.
        comment?: String,
    }

    /// A position in one version of a document.
    #[derive(Eq)]
    pub struct DocumentPosition {
        /// The document.
        uri: String,
        /// The version that `position` belongs to; null when the file is not open in the editor.
        version: Option<i32>,
        /// The position.
        position: Position,
    }

    /// Which file to compare.
    pub struct ReviewDiffParams {
        /// The document.
        uri: String,
    }

    /// Both sides of the comparison.
    pub struct ReviewDiffResult {
        /// The text with all pending hunks switched off, and the text as it is now; null when no hunk
        /// of this file is pending.
        diff: Option<FileDiff>,
    }

    /// Some lines, counted from zero; `end` is not part of them.
    #[derive(Copy, Eq)]
    pub struct LineSpan {
        /// The first line.
        start: u32,
        /// The line after the last one.
        end: u32,
    }

    /// What became of the hunks.
    pub struct ReviewResolveResult {
        /// One entry for each hunk.
        results: Vec<HunkResult>,
        /// Hand it to `agent/session/unrewind` to take this decision back.
        undo_token: String,
    }

    /// What became of one hunk.
    pub struct HunkResult {
        /// The hunk.
        hunk_id: String,
        /// Where its review stands now.
        state: HunkState,
        /// Why nothing was done, for example because the user has changed the same text since.
        reason?: String,
    }
}

open_enum! {
    /// Who wrote a hunk.
    pub enum Author {
        /// The agent.
        Agent = "agent",
    }
}

open_enum! {
    /// Where the review of a hunk stands.
    pub enum HunkState {
        /// Not looked at.
        Pending = "pending",
        /// Kept.
        Accepted = "accepted",
        /// Taken back.
        Rejected = "rejected",
        /// A later change of the agent or the user replaced it.
        Superseded = "superseded",
    }
}

impl ReviewResolveParams {
    /// What to do, before it is said with which hunks.
    pub fn new(action: ReviewAction) -> Self {
        let (hunk_ids, uri, turn_id, session_id) = (None, None, None, None);
        let (tool_call_id, at, lines, comment) = (None, None, None, None);
        Self { hunk_ids, uri, turn_id, session_id, tool_call_id, at, action, lines, comment }
    }
}
