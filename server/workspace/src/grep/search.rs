//! One search while it runs: the workers, what they bring, and what becomes of it in the end.

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

use super::collect::Collector;
use super::sink::{ContentSink, CountSink};
use super::{GrepError, GrepResult, Mode, Output, Query};
use crate::disk::{self, ReadError};
use crate::document::Document;
use crate::overlay::{self, DiskSide};
use crate::snapshot::Snapshot;
use crate::walk::{Filter, Ignored, Limits, Stopped, lock, split_globs};

/// No searcher takes more memory than this for one file.
const HEAP_CAP: usize = 64 * 1024 * 1024;

/// One search while it runs, shared by the workers.
pub(super) struct Search<'a> {
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

impl<'a> Search<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        query: &'a Query,
        limits: &'a Limits<'a>,
        matcher: RegexMatcher,
    ) -> Search<'a> {
        Search {
            query,
            limits,
            matcher,
            open: snapshot.by_real_path(),
            found: Found::new(query),
            binary: AtomicUsize::new(0),
            unreadable: AtomicUsize::new(0),
        }
    }

    /// Whether this is the file of an open document, which may not be on the disk.
    pub(super) fn is_open(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }

    pub(super) fn one_file(&self, path: &Path) -> Option<Stopped> {
        if (self.limits.admits)(path) {
            self.worker().file(path);
        }
        self.limits.stop()
    }

    pub(super) fn folder(&self, root: &Path) -> Result<Option<Stopped>, GrepError> {
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
            if below && matches!(disk::kind_of_real(path), Ok(None)) && filter.admits(root, path) {
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
            let overlay = overlay::look(document);
            searcher.search_reader(matcher, overlay.text.reader(), sink)?;
            let unsaved =
                overlay.dirty || matches!(overlay.disk, DiskSide::Missing | DiskSide::Gone);
            let modified = disk::modified(path).unwrap_or(SystemTime::UNIX_EPOCH);
            return Ok(Age { unsaved, modified });
        }
        let (file, metadata) = disk::open_regular(path).map_err(|error| match error {
            // A link in the way means that what the walk came by is gone.
            ReadError::NotFound { .. } | ReadError::Moved { .. } => ErrorKind::NotFound.into(),
            error => io::Error::other(error),
        })?;
        searcher.search_reader(matcher, Stoppable { file, limits: self.limits }, sink)?;
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(Age { unsaved: false, modified })
    }

    pub(super) fn finish(self, root: &Path, stopped: Option<Stopped>) -> GrepResult {
        let Query { offset, head_limit, .. } = *self.query;
        let limit = head_limit.unwrap_or(usize::MAX);
        // Names are given back below the folder as it was spelled, not as it really lies.
        let spelled = |path: &Path| match path.strip_prefix(root) {
            Ok(relative) if relative.as_os_str().is_empty() => self.query.shown().to_path_buf(),
            Ok(relative) => self.query.shown().join(relative),
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
struct Stoppable<'a> {
    file: File,
    limits: &'a Limits<'a>,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.limits.stop() {
            None => self.file.read(buffer),
            Some(_) => Err(ErrorKind::TimedOut.into()),
        }
    }
}
