//! Files by the shape of their name, newest first.

use std::cmp::Reverse;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use globset::{GlobBuilder, GlobMatcher};
use ignore::DirEntry;

use crate::disk::{self, Kind};
use crate::resolve::real_path;
use crate::snapshot::Snapshot;
use crate::walk::{Filter, FilterError, Ignored, Limits, Stopped, lock};

/// A pattern made ready: the folder to look in, and what to look for there.
#[derive(Debug, Clone)]
pub struct Glob {
    /// The folder that will be searched. Permission is decided on this one: a pattern may lead out
    /// of the folder it was given for.
    pub root: PathBuf,
    matcher: GlobMatcher,
    /// How deep a match can be at most, where the pattern says so.
    max_depth: Option<usize>,
}

/// Why there is nothing to look for.
#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    #[error("the pattern is empty; give one such as \"src/**/*.rs\"")]
    Empty,
    #[error("the pattern {pattern:?} is not right: {reason}; correct it")]
    Pattern { pattern: String, reason: String },
    #[error("the pattern {pattern:?} has \"..\" after a wildcard; search in the folder you mean")]
    Upwards { pattern: String },
    #[error("{} is not a folder; search in a folder that exists", path.display())]
    NoFolder { path: PathBuf },
    #[error("{} now leads somewhere else. Nothing was done; try again.", path.display())]
    Moved { path: PathBuf },
    #[error(transparent)]
    Filter(#[from] FilterError),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobResult {
    /// The newest first; files of the same age by path.
    pub paths: Vec<PathBuf>,
    /// All matches, also those that are not in `paths`.
    pub total: usize,
    /// Folders that could not be looked into.
    pub unreadable: usize,
    /// When the search ended early, there may be more, and newer ones.
    pub stopped: Option<Stopped>,
}

impl GlobResult {
    /// Whether there are matches that `paths` does not have.
    pub fn truncated(&self) -> bool {
        self.total > self.paths.len()
    }
}

/// A match and what it is sorted by. What is open and not saved is newer than any file.
type Aged = (bool, SystemTime, PathBuf);

impl Glob {
    /// Reads a pattern that is meant in a folder. Its beginning may lead elsewhere: `/abs/*.rs`,
    /// `../other/**`. Without a slash it means files at any depth.
    pub fn new(pattern: &str, folder: &Path) -> Result<Glob, GlobError> {
        let pattern = pattern.trim();
        if pattern.is_empty() {
            return Err(GlobError::Empty);
        }
        let (start, rest) = split_literal_start(pattern);
        if has_parent_part(rest) {
            return Err(GlobError::Upwards { pattern: pattern.to_owned() });
        }
        let anchored = pattern.contains('/');
        let rest = match rest {
            "" => "**".to_owned(),
            rest if rest.ends_with('/') => format!("{rest}**"),
            rest if anchored => rest.to_owned(),
            rest => format!("**/{rest}"),
        };
        let glob = GlobBuilder::new(&rest).literal_separator(true).build().map_err(|error| {
            let reason = error.kind().to_string();
            GlobError::Pattern { pattern: pattern.to_owned(), reason }
        })?;
        // Slashes in alternatives are counted too; that only makes the walk deeper than needed.
        let max_depth = (!rest.contains("**")).then(|| rest.matches('/').count() + 1);
        Ok(Glob { root: plain(&folder.join(start)), matcher: glob.compile_matcher(), max_depth })
    }

    /// Finds the files, at most `limit` of them. `root` is where [`Glob::root`] really is: what
    /// permission was decided about.
    pub fn find(
        &self,
        root: &Path,
        snapshot: &Snapshot,
        ignored: Ignored,
        limit: usize,
        limits: &Limits<'_>,
    ) -> Result<GlobResult, GlobError> {
        match disk::kind_of_real(root) {
            Ok(Some(Kind::Folder)) => {}
            Ok(Some(Kind::Link)) => return Err(GlobError::Moved { path: self.root.clone() }),
            _ => return Err(GlobError::NoFolder { path: self.root.clone() }),
        }
        let mut filter = Filter::new(root, ignored, &[], None)?;
        if let Some(depth) = self.max_depth {
            filter.max_depth(depth);
        }
        let found: Mutex<Vec<Aged>> = Mutex::default();
        let report = filter.walk(limits, || {
            |entry: DirEntry| {
                if let Some(aged) = self.look_at(root, &entry, limits) {
                    lock(&found).push(aged);
                }
            }
        });
        let mut found = found.into_inner().unwrap_or_default();
        found.extend(self.unsaved(snapshot, root, &filter, limits));
        found.sort_by(|a, b| (Reverse((a.0, a.1)), &a.2).cmp(&(Reverse((b.0, b.1)), &b.2)));
        let total = found.len();
        found.truncate(limit);
        // Names are given back below the folder as it was spelled, not as it really lies.
        let spelled = |path: PathBuf| match path.strip_prefix(root) {
            Ok(relative) => self.root.join(relative),
            Err(_) => path,
        };
        let paths = found.into_iter().map(|(_, _, path)| spelled(path)).collect();
        Ok(GlobResult { paths, total, unreadable: report.unreadable, stopped: report.stopped })
    }

    fn look_at(&self, root: &Path, entry: &DirEntry, limits: &Limits<'_>) -> Option<Aged> {
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() || !self.matcher.is_match(path.strip_prefix(root).ok()?) {
            return None;
        }
        let mut file = path.to_path_buf();
        // A link is listed like the file it leads to, if that one may be seen.
        if kind.is_symlink() {
            file = real_path(path).ok()?;
            let is =
                |path: &Path, kind| matches!(disk::kind_of_real(path), Ok(Some(is)) if is == kind);
            if !is(path, Kind::Link) || !is(&file, Kind::File) || !(limits.admits)(&file) {
                return None;
            }
        }
        // What is not there when it is asked by its real path was found through a link that came to
        // stand in the way, and is not in the folder.
        let modified = disk::modified(&file)?;
        (limits.admits)(path).then(|| (false, modified, path.to_path_buf()))
    }

    /// Open documents whose file is not on the disk yet.
    fn unsaved(
        &self,
        snapshot: &Snapshot,
        root: &Path,
        filter: &Filter,
        limits: &Limits<'_>,
    ) -> Vec<Aged> {
        let open = snapshot.by_real_path().into_keys();
        open.filter(|path| {
            path.strip_prefix(root).is_ok_and(|relative| self.matcher.is_match(relative))
                && matches!(disk::kind_of_real(path), Ok(None))
                && filter.admits(root, path)
                && (limits.admits)(path)
        })
        .map(|path| (true, SystemTime::UNIX_EPOCH, path))
        .collect()
    }
}

/// The parts in front of the first wildcard, and the rest. The last part is always in the rest.
fn split_literal_start(pattern: &str) -> (&str, &str) {
    let wildcard = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
    let start = pattern[..wildcard].rfind('/').map_or(0, |slash| slash + 1);
    pattern.split_at(start)
}

fn has_parent_part(pattern: &str) -> bool {
    pattern.split('/').any(|part| part == "..")
}

/// The path without `.`; `..` stays, because what it means depends on links.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests;
