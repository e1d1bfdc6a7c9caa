//! The few LSP shapes that the contract mentions, as plain types with LSP's own JSON.
//!
//! They are our own so that a client of this crate needs no LSP library.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::macros::wire;
use crate::tagged::tagged;

wire! {
    /// A place in a text, counted in the negotiated position encoding.
    #[derive(Copy, Eq, PartialOrd, Ord, Hash, Default)]
    pub struct Position {
        /// Line, from zero.
        line: u32,
        /// Column, from zero, in code units of the negotiated encoding.
        character: u32,
    }

    /// A stretch of text; `end` is not part of it.
    #[derive(Copy, Eq, Hash, Default)]
    pub struct Range {
        /// Where it starts.
        start: Position,
        /// Where it ends.
        end: Position,
    }

    /// A document at a version.
    #[derive(Eq)]
    pub struct VersionedDocument {
        /// The document's URI.
        uri: String,
        /// The version the sender saw; null when the file is not open in the editor.
        version: Option<i32>,
    }

    /// A place in a document.
    #[derive(Eq)]
    pub struct Location {
        /// The document's URI.
        uri: String,
        /// The version the range belongs to; null when the file is not open in the editor.
        version: Option<i32>,
        /// The place; absent for the whole document.
        range?: Range,
    }

    /// Replaces a range by a text.
    #[derive(Eq)]
    pub struct TextEdit {
        /// What is replaced.
        range: Range,
        /// What comes instead.
        new_text: String,
    }

    /// What a language server or a linter found.
    pub struct Diagnostic {
        /// Where.
        range: Range,
        /// 1 error, 2 warning, 3 information, 4 hint.
        severity?: u8,
        /// The rule, a string or a number.
        code?: Value,
        /// Who found it.
        source?: String,
        /// What is wrong.
        message: String,
        /// 1 unnecessary, 2 deprecated.
        tags?: Vec<u8>,
        /// Places that explain it, as LSP's `DiagnosticRelatedInformation`.
        related_information?: Vec<Value>,
        /// Kept for the server that found it, when its quick fixes are asked for.
        data?: Value,
    }

    /// Edits of one document at one version.
    pub struct TextDocumentEdit {
        /// The document; a client refuses the edit when it has another version.
        text_document: VersionedDocument,
        /// Edits that do not overlap, all in terms of that version.
        edits: Vec<TextEdit>,
    }

    /// A change of several documents, as LSP's `WorkspaceEdit` with versions.
    #[derive(Default)]
    pub struct WorkspaceEdit {
        /// Edits and file operations, carried out in order.
        document_changes: Vec<DocumentChange>,
    }

    /// What a file operation does when the target exists or is missing.
    #[derive(Copy, Eq, Default)]
    pub struct FileOptions {
        /// Replace what exists.
        overwrite?: bool,
        /// Do nothing when the target exists.
        ignore_if_exists?: bool,
        /// Do nothing when the source is missing.
        ignore_if_not_exists?: bool,
        /// Delete a folder with its content.
        recursive?: bool,
    }
}

/// One step of a workspace edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum DocumentChange {
    /// Edits of a text.
    Edit(TextDocumentEdit),
    /// Creating, renaming or deleting a file.
    File(FileOperation),
}

tagged! {
    /// Creating, renaming or deleting a file.
    pub enum FileOperation by "kind" {
        /// Creates a file.
        "create" => Create(CreateFile) {
            /// The new file.
            uri: String,
            /// What to do when it exists.
            options?: FileOptions,
        }
        /// Renames a file.
        "rename" => Rename(RenameFile) {
            /// The file as it is called now.
            old_uri: String,
            /// What it will be called.
            new_uri: String,
            /// What to do when the new name exists.
            options?: FileOptions,
        }
        /// Deletes a file.
        "delete" => Delete(DeleteFile) {
            /// The file.
            uri: String,
            /// What to do when it is missing.
            options?: FileOptions,
        }
    }
}

/// Document URI → version.
pub type Versions = BTreeMap<String, i32>;
