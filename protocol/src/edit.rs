//! Edits that start in the editor: an instruction on a selection, or diagnostics to fix.

use crate::lsp::{Diagnostic, Range, VersionedDocument};
use crate::macros::{methods, open_enum, wire};

methods! {
    /// Edits a range as an instruction says. Answers at once; the text streams by `agent/edit/delta`.
    ToServer EditInline = "agent/edit/inline" (EditInlineParams) -> EditStarted;
    /// Fixes diagnostics of a document. Answers at once.
    ToServer FixDiagnostics = "agent/fix/diagnostics" (FixDiagnosticsParams) -> EditStarted;
    /// Tells what the user did with an inline edit.
    ToServer InlineResolved = "agent/inline/resolved" (InlineResolvedParams);
    /// More of the new text of an inline edit.
    ToClient EditDelta = "agent/edit/delta" (EditDeltaParams);
}

wire! {
    /// What to change and how.
    pub struct EditInlineParams {
        /// The document as the user sees it.
        text_document: VersionedDocument,
        /// What to change; empty to insert.
        range: Range,
        /// What the user wants.
        instruction: String,
        /// The session to use; a new one without it.
        session_id?: String,
    }

    /// What to fix.
    pub struct FixDiagnosticsParams {
        /// The document the diagnostics belong to.
        text_document: VersionedDocument,
        /// The diagnostics.
        diagnostics: Vec<Diagnostic>,
        /// The session to use; a new one without it.
        session_id?: String,
    }

    /// An edit has begun.
    pub struct EditStarted {
        /// The id of the edit in `agent/edit/delta` and `agent/inline/resolved`.
        edit_id: String,
        /// The session that works on it.
        session_id: String,
    }

    /// The outcome of an inline edit.
    pub struct InlineResolvedParams {
        /// The edit.
        edit_id: String,
        /// What the user did.
        action: ReviewAction,
    }

    /// A piece of new text.
    pub struct EditDeltaParams {
        /// The edit.
        edit_id: String,
        /// The document.
        uri: String,
        /// The version that the edited range belongs to; null when the file is not open.
        version: Option<i32>,
        /// What to append to the new text so far.
        text: String,
    }
}

open_enum! {
    /// What the user did with a change.
    pub enum ReviewAction {
        /// Keeps it.
        Accept = "accept",
        /// Takes it back.
        Reject = "reject",
    }
}
