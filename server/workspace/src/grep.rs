//! Searching the text of files, the unsaved one included.
//!
//! The engine is ripgrep's own libraries: the same patterns, the same rules for what is skipped,
//! the same speed. What is open in the editor is searched as the user sees it and never as it is on
//! the disk. Results have a fixed order, however the work was shared between the cores.

mod collect;
mod pattern;
mod search;
mod sink;

use std::path::{Path, PathBuf};

use crate::disk::{self, Kind};
use crate::resolve::ResolveError;
use crate::snapshot::Snapshot;
use crate::walk::{FilterError, Limits, Stopped};

use search::Search;

pub use pattern::PatternError;
pub use sink::{Line, LineKind};

/// What to search for, and what to tell about it.
#[derive(Debug, Clone)]
pub struct Query {
    pub pattern: String,
    /// The real path of a folder, or of one file: what permission was decided about.
    pub root: PathBuf,
    /// How that was spelled, where it was otherwise. What is found is named below it.
    pub shown: Option<PathBuf>,
    /// Globs as `rg --glob` takes them, several apart by blanks or commas.
    pub glob: Option<String>,
    /// A file type as `rg --type` knows it.
    pub file_type: Option<String>,
    pub mode: Mode,
    /// Lines to show around a match.
    pub before: usize,
    pub after: usize,
    pub case_insensitive: bool,
    /// Only the matching part of a line.
    pub only_matching: bool,
    /// A match may span lines, and `.` matches their ends.
    pub multiline: bool,
    /// The most entries to give back; nothing means all.
    pub head_limit: Option<usize>,
    /// Entries to leave out in front.
    pub offset: usize,
}

impl Query {
    pub fn new(pattern: impl Into<String>, root: impl Into<PathBuf>) -> Query {
        Query {
            pattern: pattern.into(),
            root: root.into(),
            shown: None,
            glob: None,
            file_type: None,
            mode: Mode::FilesWithMatches,
            before: 0,
            after: 0,
            case_insensitive: false,
            only_matching: false,
            multiline: false,
            head_limit: None,
            offset: 0,
        }
    }

    fn shown(&self) -> &Path {
        self.shown.as_deref().unwrap_or(&self.root)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Lines, by path.
    Content,
    /// Paths, newest first.
    FilesWithMatches,
    /// Paths with the number of matching lines, by path.
    Count,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepResult {
    pub output: Output,
    /// There are more entries than `output` has.
    pub truncated: bool,
    /// Files left out because they are not text.
    pub binary: usize,
    /// Files and folders that could not be read.
    pub unreadable: usize,
    /// When the search ended early, there may be more.
    pub stopped: Option<Stopped>,
}

/// The entries asked for, after offset and limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Content(Vec<Line>),
    /// `total` counts all of them, also those cut off.
    Files {
        paths: Vec<PathBuf>,
        total: usize,
    },
    /// `matches` and `files` count all of them, also those cut off.
    Counts {
        counts: Vec<(PathBuf, u64)>,
        files: usize,
        matches: u64,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum GrepError {
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error(transparent)]
    Filter(#[from] FilterError),
    #[error(transparent)]
    Unresolvable(#[from] ResolveError),
    #[error("{} does not exist; search in a file or folder that does", path.display())]
    NotFound { path: PathBuf },
    #[error("{} now leads somewhere else. Nothing was done; try again.", path.display())]
    Moved { path: PathBuf },
    #[error("{} is a {}, not a file or folder; search somewhere else", path.display(), kind.name())]
    NotSearchable { path: PathBuf, kind: Kind },
}

/// Searches a folder or a file.
pub fn grep(
    snapshot: &Snapshot,
    query: &Query,
    limits: &Limits<'_>,
) -> Result<GrepResult, GrepError> {
    let matcher = pattern::compile(query)?;
    let root = &query.root;
    let shown = || query.shown().to_path_buf();
    let search = Search::new(snapshot, query, limits, matcher);
    let stopped = match disk::kind_of_real(root) {
        _ if search.is_open(root) => search.one_file(root),
        Ok(Some(Kind::File)) => search.one_file(root),
        Ok(Some(Kind::Folder)) => search.folder(root)?,
        Ok(Some(Kind::Link)) => return Err(GrepError::Moved { path: shown() }),
        Ok(Some(kind)) => return Err(GrepError::NotSearchable { path: shown(), kind }),
        Ok(None) => return Err(GrepError::NotFound { path: shown() }),
        Err(source) => return Err(ResolveError::Unreadable { path: shown(), source }.into()),
    };
    Ok(search.finish(root, stopped))
}

#[cfg(test)]
mod tests;
