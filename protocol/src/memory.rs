//! Notes that every later session reads.

use crate::macros::{methods, open_enum, wire};

methods! {
    /// Adds a note to a memory file.
    ToServer MemoryAdd = "agent/memory/add" (MemoryAddParams) -> MemoryAddResult;
    /// Lists the memory files that a session goes by, and shows one.
    ToServer MemoryList = "agent/memory/list" (MemoryListParams) -> MemoryListResult;
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

    /// Which memory files are asked about.
    pub struct MemoryListParams {
        /// The session.
        session_id: String,
        /// The file whose text is wanted too.
        path?: String,
    }

    /// What a session goes by.
    #[derive(Default)]
    pub struct MemoryListResult {
        /// The files, in the order in which the model reads them.
        files: Vec<MemoryFile>,
    }

    /// A memory file.
    pub struct MemoryFile {
        /// The file, as a path; `claudeMd` for what the managed settings say.
        path: String,
        /// Whose memory it is.
        scope: MemoryScope,
        /// The file that imports it.
        imported_by?: String,
        /// What it says, when that was asked for.
        text?: String,
    }
}

open_enum! {
    /// Whose memory it is.
    pub enum MemoryScope {
        /// The user's, for all projects.
        User = "user",
        /// The project's, shared with its other developers.
        Project = "project",
        /// The user's, for this project.
        Local = "local",
        /// The administrator's; only listed.
        Managed = "managed",
        /// The agent's own notes; only listed.
        Auto = "auto",
    }
}
