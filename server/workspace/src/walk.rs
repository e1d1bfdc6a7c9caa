//! Going through the files of a folder, on all cores.
//!
//! The rules of `.gitignore` hold also where there is no repository, hidden files count, the inside
//! of version control does not. No link is followed, so what is found below a real path is a real
//! path, and no circle can be entered.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::nearest::nearest;

/// Folders in which version control keeps its own files.
const VERSION_CONTROL: [&str; 6] = [".git", ".hg", ".svn", ".bzr", ".jj", ".sl"];

/// What bounds a search, whatever it looks for.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Asked at every file; `true` ends the search with what was found so far.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    pub deadline: Option<Instant>,
    /// The most files to look at.
    pub max_files: usize,
    /// Asked with the real path of a file before it is opened or named. What the policy hides from
    /// the model must not come out of a search either.
    pub admits: &'a (dyn Fn(&Path) -> bool + Sync),
}

impl Limits<'_> {
    /// No bound but a number of files no machine should have.
    pub const NONE: Limits<'static> =
        Limits { cancelled: &|| false, deadline: None, max_files: 10_000_000, admits: &|_| true };

    pub(crate) fn stop(&self) -> Option<Stopped> {
        if (self.cancelled)() {
            return Some(Stopped::Cancelled);
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late.then_some(Stopped::Deadline)
    }
}

/// Why a search ended before it had seen everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    Cancelled,
    Deadline,
    TooManyFiles,
}

/// What to do with files that `.gitignore` and its like name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ignored {
    Skip,
    Include,
}

/// What a walk met that it could not look at, and whether it came to its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) unreadable: usize,
    pub(crate) stopped: Option<Stopped>,
}

/// Which files of a folder are meant.
pub(crate) struct Filter {
    builder: WalkBuilder,
}

/// A filter that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    #[error("the glob {glob:?} is not right: {reason}; correct it")]
    Glob { glob: String, reason: String },
    #[error("there is no file type {name:?}{}; or use a glob such as \"*.{name}\"", offer(nearest))]
    Type { name: String, nearest: Vec<String> },
}

fn offer(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}", names.join(" or ")),
    }
}

impl Filter {
    /// `globs` choose files as `rg --glob` does: those with `!` in front leave files out, the
    /// others leave out what none of them names.
    pub(crate) fn new(
        root: &Path,
        ignored: Ignored,
        globs: &[String],
        file_type: Option<&str>,
    ) -> Result<Filter, FilterError> {
        let mut builder = WalkBuilder::new(root);
        builder.standard_filters(ignored == Ignored::Skip).hidden(false).require_git(false);
        if ignored == Ignored::Skip {
            builder.add_custom_ignore_filename(".rgignore");
        }
        builder.filter_entry(|entry| !is_version_control(entry));
        if !globs.is_empty() {
            builder.overrides(overrides(root, globs)?);
        }
        if let Some(name) = file_type {
            builder.types(types(name)?);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        builder.threads(threads);
        Ok(Filter { builder })
    }

    pub(crate) fn max_depth(&mut self, depth: usize) {
        self.builder.max_depth(Some(depth));
    }

    /// Whether a walk would come by a file if it were on the disk.
    pub(crate) fn admits(&self, root: &Path, path: &Path) -> bool {
        let Ok(relative) = path.strip_prefix(root) else { return false };
        if relative.components().any(|part| is_version_control_name(part.as_os_str())) {
            return false;
        }
        let mut matchers = self.builder.build_matchers();
        matchers.first_mut().is_some_and(|matcher| !matcher.matched(relative, false).is_ignore())
    }

    /// Calls one worker per core with every entry that is meant, folders included, in no order.
    pub(crate) fn walk<W>(&self, limits: &Limits<'_>, worker: impl Fn() -> W + Sync) -> Report
    where
        W: FnMut(DirEntry) + Send,
    {
        let seen = AtomicUsize::new(0);
        let unreadable = AtomicUsize::new(0);
        let stopped = Mutex::new(None);
        let guard = || {
            let count = seen.fetch_add(1, Ordering::Relaxed);
            let too_many = (count >= limits.max_files).then_some(Stopped::TooManyFiles);
            match too_many.or_else(|| limits.stop()) {
                None => ControlFlow::Continue(()),
                Some(why) => {
                    let mut stopped = lock(&stopped);
                    stopped.get_or_insert(why);
                    ControlFlow::Break(())
                }
            }
        };
        self.builder.build_parallel().run(|| {
            let (guard, unreadable) = (&guard, &unreadable);
            let mut work = worker();
            Box::new(move |entry| {
                if guard().is_break() {
                    return WalkState::Quit;
                }
                match entry {
                    Ok(entry) => work(entry),
                    Err(_) => {
                        unreadable.fetch_add(1, Ordering::Relaxed);
                    }
                }
                WalkState::Continue
            })
        });
        let stopped = *lock(&stopped);
        Report { unreadable: unreadable.into_inner(), stopped }
    }
}

/// A worker that panicked took its own results with it; those of the others are still good.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn is_version_control(entry: &DirEntry) -> bool {
    // At the top it is what the caller asked for.
    entry.depth() > 0
        && entry.file_type().is_some_and(|kind| kind.is_dir())
        && is_version_control_name(entry.file_name())
}

fn is_version_control_name(name: &std::ffi::OsStr) -> bool {
    VERSION_CONTROL.iter().any(|folder| name == *folder)
}

fn overrides(root: &Path, globs: &[String]) -> Result<Override, FilterError> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(glob).map_err(|error| bad_glob(glob, &error))?;
    }
    builder.build().map_err(|error| bad_glob(&globs.join(" "), &error))
}

fn bad_glob(glob: &str, error: &ignore::Error) -> FilterError {
    FilterError::Glob { glob: glob.to_owned(), reason: error.to_string() }
}

fn types(name: &str) -> Result<Types, FilterError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name);
    builder.build().map_err(|_| {
        let names = builder.definitions().into_iter().map(|kind| kind.name().to_owned());
        FilterError::Type { name: name.to_owned(), nearest: nearest(name, names) }
    })
}

/// The globs in one string, apart by blanks or commas outside of braces: `*.ts, *.{c,h}`.
pub(crate) fn split_globs(globs: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = globs.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c.is_whitespace() || c == ',')
    });
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
