//! What can be asked.

use std::path::PathBuf;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    pub path: PathBuf,
    /// From one.
    pub line: u32,
    /// From one, in characters.
    pub column: u32,
}

/// A question to a language server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    Definition(At),
    References(At),
    Hover(At),
    /// The symbols of one file.
    Symbols {
        path: PathBuf,
    },
    /// Symbols of the whole workspace by name; `near` decides which server is asked.
    WorkspaceSymbols {
        name: String,
        near: PathBuf,
    },
    /// What renaming would change. Nothing is changed by asking.
    Rename {
        at: At,
        to: String,
    },
    Diagnostics {
        path: PathBuf,
    },
}

impl Query {
    /// The file that decides which server is asked.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Query::Definition(at) | Query::References(at) | Query::Hover(at) => &at.path,
            Query::Rename { at, .. } => &at.path,
            Query::Symbols { path } | Query::Diagnostics { path } => path,
            Query::WorkspaceSymbols { near, .. } => near,
        }
    }
}
