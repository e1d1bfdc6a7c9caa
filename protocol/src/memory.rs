//! Notes that every later session reads.

use crate::macros::{methods, open_enum, wire};

methods! {
    /// Adds a note to a memory file.
    ToServer MemoryAdd = "agent/memory/add" (MemoryAddParams) -> MemoryAddResult;
}

wire! {
    /// A note.
    pub struct MemoryAddParams {
        /// The note.
        text: String,
        /// Whose memory.
        scope: MemoryScope,
        /// The session whose project is meant; needed unless `scope` is `user`.
        session_id?: String,
    }

    /// Where the note went.
    pub struct MemoryAddResult {
        /// The file, as a path.
        path: String,
    }
}

open_enum! {
    /// Whose memory a note goes to.
    pub enum MemoryScope {
        /// The user's, for all projects.
        User = "user",
        /// The project's, shared with its other developers.
        Project = "project",
        /// The user's, for this project.
        Local = "local",
    }
}
