//! Showing a change in the editor's own diff view.

use crate::macros::{methods, wire};
use crate::tool::FileDiff;

methods! {
    /// Shows a change. The outcome arrives by `agent/review/resolve` or by the permission answer.
    ToClient DiffShow = "agent/diff/show" (DiffShowParams) -> DiffShowResult;
}

wire! {
    /// A change of one or several files.
    pub struct DiffShowParams {
        /// The id of the diff; showing the same id again replaces it.
        id: String,
        /// The session that made the change.
        session_id: String,
        /// The title of the view.
        title: String,
        /// The files.
        files: Vec<FileDiff>,
        /// True: the caret stays where the user types.
        preserve_focus: bool,
    }

    /// Whether the change is on the screen.
    pub struct DiffShowResult {
        /// False when the editor could not show it.
        shown: bool,
    }
}
