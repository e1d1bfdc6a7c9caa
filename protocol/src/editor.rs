//! What the editor tells, and what it can be asked to do.

use serde_json::Value;

use crate::lsp::{Diagnostic, Range, Versions, WorkspaceEdit};
use crate::macros::{methods, wire};
use crate::method::Empty;

methods! {
    /// What the user looks at. Sent only while the user shares it.
    ToServer EditorFocus = "agent/editor/focus" (EditorFocusParams);
    /// What the editor's other language servers found in a document.
    ToServer EditorDiagnostics = "agent/editor/diagnostics" (EditorDiagnosticsParams);
    /// Whether a document has unsaved changes.
    ToServer EditorDirty = "agent/editor/dirty" (EditorDirtyParams);
    /// Whether the user wants to be shown where the agent works (`agent/editor/reveal`).
    ToServer EditorFollow = "agent/editor/follow" (EditorFollowParams);
    /// Changes documents as one step of undo.
    ToClient EditorApply = "agent/editor/apply" (EditorApplyParams) -> EditorApplyResult;
    /// Saves documents.
    ToClient EditorSave = "agent/editor/save" (EditorSaveParams) -> EditorSaveResult;
    /// Shows a place.
    ToClient EditorReveal = "agent/editor/reveal" (EditorRevealParams) -> Empty;
    /// Asks for the whole text of a document, after a change that did not fit the server's text.
    ToClient EditorText = "agent/editor/text" (EditorTextParams) -> EditorTextResult;
    /// Asks the editor's other language servers: definition, references, hover, symbols, rename, diagnostics.
    ToClient EditorLanguageServer = "agent/editor/languageServer" (LanguageServerParams) -> Value;
}

wire! {
    /// What the user looks at.
    pub struct EditorFocusParams {
        /// The document.
        uri: String,
        /// The version the selections belong to; null when the file is not open.
        version: Option<i32>,
        /// The selections, the main one first; a caret is an empty range.
        selections: Vec<Range>,
        /// The part on the screen.
        visible?: Range,
    }

    /// Everything one source found in one document; replaces what it said before.
    pub struct EditorDiagnosticsParams {
        /// The document.
        uri: String,
        /// The version the diagnostics belong to; null when the file is not open.
        version: Option<i32>,
        /// Who found them, for example `rust-analyzer`.
        source: String,
        /// The diagnostics; empty when all is well.
        items: Vec<Diagnostic>,
    }

    /// Whether the user follows the agent.
    pub struct EditorFollowParams {
        /// True from now on; nobody is followed before it is said.
        on: bool,
    }

    /// Whether a document has unsaved changes.
    pub struct EditorDirtyParams {
        /// The document.
        uri: String,
        /// True when it has.
        dirty: bool,
    }

    /// A change to make in the editor.
    pub struct EditorApplyParams {
        /// The name of the change in the editor's undo list.
        label: String,
        /// Changes with the same group are undone together.
        undo_group: String,
        /// The change; nothing of it may be applied when a version does not match.
        edit: WorkspaceEdit,
    }

    /// What became of a change.
    pub struct EditorApplyResult {
        /// True when all of it was applied.
        applied: bool,
        /// The versions of the changed documents afterwards.
        versions?: Versions,
        /// Why it was not applied.
        reason?: String,
    }

    /// Documents to save.
    pub struct EditorSaveParams {
        /// The documents.
        uris: Vec<String>,
    }

    /// What became of the documents to save.
    #[derive(Default)]
    pub struct EditorSaveResult {
        /// Saved.
        saved: Vec<String>,
        /// Not saved.
        failed: Vec<SaveFailure>,
    }

    /// A document that could not be saved.
    pub struct SaveFailure {
        /// The document.
        uri: String,
        /// Why.
        reason: String,
    }

    /// The document whose text is wanted.
    pub struct EditorTextParams {
        /// The document.
        uri: String,
    }

    /// A document as the user sees it.
    pub struct EditorTextResult {
        /// The version of the text.
        version: i32,
        /// All of it.
        text: String,
    }

    /// A place to show.
    pub struct EditorRevealParams {
        /// The document.
        uri: String,
        /// The place; absent for just the document.
        range?: Range,
        /// True: the caret stays where the user types.
        preserve_focus: bool,
    }

    /// A question to the other language servers of a document.
    pub struct LanguageServerParams {
        /// The LSP method, for example `textDocument/definition`.
        method: String,
        /// Its parameters.
        params: Value,
        /// The document that decides which servers are asked.
        uri: String,
    }
}
