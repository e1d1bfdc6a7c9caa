//! Searching the text of files, the unsaved one included.
//!
//! The engine is ripgrep's own libraries: the same patterns, the same rules for what is skipped,
//! the same speed. What is open in the editor is searched as the user sees it and never as it is on
//! the disk. Results have a fixed order, however the work was shared between the cores.

mod collect;
mod pattern;
mod sink;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink};
use ignore::DirEntry;

use crate::disk::{self, Kind, ReadError};
use crate::resolve::{ResolveError, real_path};
use crate::snapshot::{Document, Snapshot};
use crate::walk::{Filter, FilterError, Ignored, Limits, Stopped, lock, split_globs};

use collect::Collector;
use sink::{ContentSink, CountSink};

pub use pattern::PatternError;
pub use sink::{Line, LineKind};

/// No searcher takes more memory than this for one file.
const HEAP_CAP: usize = 64 * 1024 * 1024;

/// What to search for, and what to tell about it.
#[derive(Debug, Clone)]
pub struct Query {
    pub pattern: String,
    /// A folder, or one file.
    pub root: PathBuf,
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
    let root = real_path(&query.root)?;
    let search = Search {
        query,
        limits,
        matcher,
        open: snapshot.by_real_path(),
        found: Found::new(query),
        binary: AtomicUsize::new(0),
        unreadable: AtomicUsize::new(0),
    };
    let stopped = match disk::kind(&root) {
        _ if search.open.contains_key(&root) => search.one_file(&root),
        Ok(Some(Kind::File)) => search.one_file(&root),
        Ok(Some(Kind::Folder)) => search.folder(&root)?,
        Ok(Some(kind)) => {
            return Err(GrepError::NotSearchable { path: query.root.clone(), kind });
        }
        Ok(None) => return Err(GrepError::NotFound { path: query.root.clone() }),
        Err(source) => {
            return Err(ResolveError::Unreadable { path: query.root.clone(), source }.into());
        }
    };
    Ok(search.finish(&root, stopped))
}

/// One search while it runs, shared by the workers.
struct Search<'a> {
    query: &'a Query,
    limits: &'a Limits<'a>,
    matcher: RegexMatcher,
    open: HashMap<PathBuf, &'a Document>,
    found: Found,
    binary: AtomicUsize,
    unreadable: AtomicUsize,
}

/// What the workers put together, by mode.
enum Found {
    Content(Collector),
    Files(Mutex<Vec<FileHit>>),
    Counts(Mutex<Vec<(PathBuf, u64)>>),
}

struct FileHit {
    age: Age,
    path: PathBuf,
}

/// What files are sorted by. What was changed in the editor and not saved is newer than any file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Age {
    unsaved: bool,
    modified: SystemTime,
}

/// Whether a file turned out to be no text.
struct IsBinary(bool);

impl Found {
    fn new(query: &Query) -> Found {
        match query.mode {
            Mode::Content => Found::Content(Collector::new(query.offset, query.head_limit)),
            Mode::FilesWithMatches => Found::Files(Mutex::default()),
            Mode::Count => Found::Counts(Mutex::default()),
        }
    }
}

/// What one core works with. Its buffers are used again for every file.
struct Worker<'s> {
    search: &'s Search<'s>,
    searcher: Searcher,
    matcher: RegexMatcher,
}

impl Search<'_> {
    fn one_file(&self, path: &Path) -> Option<Stopped> {
        if (self.limits.admits)(path) {
            self.worker().file(path);
        }
        self.limits.stop()
    }

    fn folder(&self, root: &Path) -> Result<Option<Stopped>, GrepError> {
        let globs = self.query.glob.as_deref().map(split_globs).unwrap_or_default();
        let filter = Filter::new(root, Ignored::Skip, &globs, self.query.file_type.as_deref())?;
        self.never_saved(root, &filter);
        let report = filter.walk(self.limits, || {
            let mut worker = self.worker();
            move |entry: DirEntry| {
                if entry.file_type().is_some_and(|kind| kind.is_file()) {
                    worker.file(entry.path());
                }
            }
        });
        self.unreadable.fetch_add(report.unreadable, Ordering::Relaxed);
        Ok(report.stopped)
    }

    /// Searches the open documents that no walk can come by, because they are not on the disk.
    fn never_saved(&self, root: &Path, filter: &Filter) {
        let mut worker = None;
        for path in self.open.keys() {
            let below = path.starts_with(root) && path != root;
            if below && matches!(disk::kind(path), Ok(None)) && filter.admits(root, path) {
                worker.get_or_insert_with(|| self.worker()).file(path);
            }
        }
    }

    fn worker(&self) -> Worker<'_> {
        let lines = self.query.mode == Mode::Content;
        let context = |count: usize| if lines { count } else { 0 };
        let searcher = SearcherBuilder::new()
            .line_number(lines)
            .multi_line(self.query.multiline)
            .before_context(context(self.query.before))
            .after_context(context(self.query.after))
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(HEAP_CAP))
            .build();
        Worker { search: self, searcher, matcher: self.matcher.clone() }
    }

    /// Searches one file as the user sees it, and says how old that is.
    fn run<S>(
        &self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        path: &Path,
        sink: S,
    ) -> io::Result<Age>
    where
        S: Sink<Error = io::Error>,
    {
        if let Some(document) = self.open.get(path) {
            searcher.search_reader(matcher, document.text.reader(), sink)?;
            let unsaved = document.dirty || matches!(disk::kind(path), Ok(None));
            return Ok(Age { unsaved, modified: disk::modified(path) });
        }
        let (file, metadata) = disk::open_regular(path).map_err(|error| match error {
            ReadError::NotFound { .. } => ErrorKind::NotFound.into(),
            error => io::Error::other(error),
        })?;
        searcher.search_reader(matcher, Watched { file, limits: self.limits }, sink)?;
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(Age { unsaved: false, modified })
    }

    fn finish(self, root: &Path, stopped: Option<Stopped>) -> GrepResult {
        let Query { offset, head_limit, .. } = *self.query;
        let limit = head_limit.unwrap_or(usize::MAX);
        // Names are given back below the folder as it was spelled, not as it really lies.
        let spelled = |path: &Path| match path.strip_prefix(root) {
            Ok(relative) if relative.as_os_str().is_empty() => self.query.root.clone(),
            Ok(relative) => self.query.root.join(relative),
            Err(_) => path.to_path_buf(),
        };
        let (output, truncated) = match self.found {
            Found::Content(collector) => {
                let separate = self.query.before + self.query.after > 0;
                let (lines, more) = collector.finish(separate, spelled);
                (Output::Content(lines), more)
            }
            Found::Files(hits) => {
                let mut hits = hits.into_inner().unwrap_or_default();
                hits.sort_by(|a, b| (Reverse(a.age), &a.path).cmp(&(Reverse(b.age), &b.path)));
                let total = hits.len();
                let paths = hits.iter().skip(offset).take(limit).map(|hit| spelled(&hit.path));
                let paths: Vec<PathBuf> = paths.collect();
                let more = offset.saturating_add(paths.len()) < total;
                (Output::Files { paths, total }, more)
            }
            Found::Counts(hits) => {
                let mut hits = hits.into_inner().unwrap_or_default();
                hits.sort();
                let (files, matches) = (hits.len(), hits.iter().map(|hit| hit.1).sum());
                let counts = hits.iter().skip(offset).take(limit);
                let counts: Vec<_> = counts.map(|(path, count)| (spelled(path), *count)).collect();
                let more = offset.saturating_add(counts.len()) < files;
                (Output::Counts { counts, files, matches }, more)
            }
        };
        let binary = self.binary.into_inner();
        GrepResult { output, truncated, binary, unreadable: self.unreadable.into_inner(), stopped }
    }
}

impl Worker<'_> {
    fn file(&mut self, path: &Path) {
        let search = self.search;
        if !(search.limits.admits)(path) {
            return;
        }
        let outcome = match &search.found {
            Found::Content(collector) => self.content(path, collector),
            Found::Files(hits) => self.first_match(path, hits),
            Found::Counts(hits) => self.count(path, hits),
        };
        match outcome {
            Ok(IsBinary(false)) => {}
            Ok(IsBinary(true)) => {
                search.binary.fetch_add(1, Ordering::Relaxed);
            }
            // A file that went away meanwhile is one that no longer matches, and one that was left
            // because the time is up is told as such.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::TimedOut) => {}
            Err(_) => {
                search.unreadable.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn content(&mut self, path: &Path, collector: &Collector) -> io::Result<IsBinary> {
        if !collector.wants(path) {
            return Ok(IsBinary(false));
        }
        let only_matching = self.search.query.only_matching;
        let room = collector.room_per_file();
        let mut sink = ContentSink::new(&self.matcher, only_matching, room);
        self.search.run(&mut self.searcher, &self.matcher, path, &mut sink)?;
        if !sink.binary {
            collector.add(path, sink.lines);
        }
        Ok(IsBinary(sink.binary))
    }

    fn first_match(&mut self, path: &Path, hits: &Mutex<Vec<FileHit>>) -> io::Result<IsBinary> {
        let mut sink = CountSink::up_to_first(&self.matcher);
        let age = self.search.run(&mut self.searcher, &self.matcher, path, &mut sink)?;
        if sink.count > 0 && !sink.binary {
            lock(hits).push(FileHit { age, path: path.to_path_buf() });
        }
        Ok(IsBinary(sink.binary))
    }

    fn count(&mut self, path: &Path, hits: &Mutex<Vec<(PathBuf, u64)>>) -> io::Result<IsBinary> {
        let mut sink = CountSink::all(&self.matcher);
        self.search.run(&mut self.searcher, &self.matcher, path, &mut sink)?;
        if sink.count > 0 && !sink.binary {
            lock(hits).push((path.to_path_buf(), sink.count));
        }
        Ok(IsBinary(sink.binary))
    }
}

/// A file that ends its search early when nobody waits for the result any more.
struct Watched<'a> {
    file: File,
    limits: &'a Limits<'a>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.limits.stop() {
            None => self.file.read(buffer),
            Some(_) => Err(ErrorKind::TimedOut.into()),
        }
    }
}

#[cfg(test)]
mod tests;
