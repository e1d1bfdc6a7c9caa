//! The world as a tool sees it: open buffers over disk, and one way to change a file.

use std::path::PathBuf;

use futures::future::BoxFuture;
use workspace::{FileText, Snapshot};

/// Implemented by the host, which owns the buffers and talks to the editor.
pub trait World: Send + Sync {
    /// The open buffers at this moment, with every change the editor has sent so far.
    fn snapshot(&self) -> BoxFuture<'_, Snapshot>;

    /// Changes or creates a file: through the editor when it is open there, on disk otherwise.
    fn edit(&self, request: EditRequest) -> BoxFuture<'_, Result<Edited, EditError>>;
}

/// A change of one file, computed on a text that was read before.
#[derive(Clone, Debug)]
pub struct EditRequest {
    pub path: PathBuf,
    /// The file as it was when the change was computed; `None` creates it.
    pub base: Option<FileText>,
    /// From the base's text (or from nothing) to the new one.
    pub edit: text::Edit,
    /// What the editor's undo list calls it.
    pub label: String,
    pub call_id: String,
}

/// The change is in: this is what the file says now.
#[derive(Clone, Debug)]
pub struct Edited {
    pub text: text::Text,
    /// The buffer's version afterwards; `None` when it went to disk.
    pub version: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error(
        "{path} changed at the same place while the edit was on its way. Nothing was changed. \
         Read it again and redo the edit on the text that is there now."
    )]
    Conflict { path: String },
    #[error("the editor did not apply the change to {path}: {reason}. Nothing was changed.")]
    Refused { path: String, reason: String },
    #[error(
        "the editor's text of {path} is not what the edit should have left. Read it again before \
         you go on."
    )]
    Unexpected { path: String },
    #[error("{0}")]
    Disk(String),
    #[error("the editor closed the connection")]
    Gone,
}
