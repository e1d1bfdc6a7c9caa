//! What tells one state of a file from another without reading it.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::existing;

/// The state of a file. Two equal stamps mean that nothing was written in between, but for a file
/// that changed a moment ago: see [`Stamp::is_settled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// How many names the file has.
    links: u64,
    /// Seconds and nanoseconds of the last change of the content, and of the entry itself: the
    /// second one tells even when somebody sets the first one back.
    modified: (i64, i64),
    changed: (i64, i64),
}

/// File systems count time in steps: those that know fractions of a second in steps of a few
/// milliseconds, the others in up to two seconds.
const FINE_STEP: Duration = Duration::from_millis(50);
const COARSE_STEP: Duration = Duration::from_secs(2);

impl Stamp {
    /// When the content was last changed, in milliseconds since 1970.
    pub fn modified_millis(&self) -> i64 {
        self.modified.0.saturating_mul(1000).saturating_add(self.modified.1 / 1_000_000)
    }

    pub(super) fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            links: metadata.nlink(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// How many bytes the file has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many names the file has. What is written under one of them, the others would show too.
    pub fn links(&self) -> u64 {
        self.links
    }

    /// Which file it is, whatever it says.
    pub fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Whether this is a state of the same file, whatever it says.
    pub fn is_same_file(&self, other: &Stamp) -> bool {
        self.identity() == other.identity()
    }

    /// Whether a write after `now` is sure to give another stamp. Two writes within one step of the
    /// file system's clock can look the same.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let step = if nanoseconds == 0 { COARSE_STEP } else { FINE_STEP };
        let since = Duration::new(
            u64::try_from(seconds).unwrap_or_default(),
            u32::try_from(nanoseconds).unwrap_or_default(),
        );
        now.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|now| now > since + step)
    }
}

/// The time by which files are judged old or new.
pub(crate) fn clock() -> SystemTime {
    SystemTime::now()
}

/// The stamp of a file, through links; nothing where nothing is.
pub fn stamp(path: &Path) -> io::Result<Option<Stamp>> {
    existing(fs::metadata(path)).map(|metadata| metadata.as_ref().map(Stamp::of))
}

/// The stamp of a file, if it is sure to differ once the file says something else.
pub(crate) fn settled_stamp(path: &Path) -> Option<Stamp> {
    let now = clock();
    stamp(path).ok().flatten().filter(|stamp| stamp.is_settled(now))
}

/// Files whose state was noted, before something that may change them.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    files: Vec<(PathBuf, State)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Settled(Stamp),
    /// Changed a moment ago, or not to be asked.
    Unsure,
}

impl Watched {
    /// More files than this are not watched.
    pub const MAX_FILES: usize = 10_000;

    /// Notes the state of files, with one `stat` for each.
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> Watched {
        let noted = paths.into_iter().take(Watched::MAX_FILES).map(|path| {
            let state = State::of(&path);
            (path, state)
        });
        Watched { files: noted.collect() }
    }

    /// The files that may say something else now: changed, made or deleted. Among them are those
    /// that had changed just before they were noted; who wants to be sure compares the text.
    pub fn changed(&self) -> Vec<PathBuf> {
        let moved = |(path, before): &&(PathBuf, State)| match *before {
            State::Unsure => true,
            State::Absent => !matches!(stamp(path), Ok(None)),
            State::Settled(before) => !matches!(stamp(path), Ok(Some(now)) if now == before),
        };
        self.files.iter().filter(moved).map(|(path, _)| path.clone()).collect()
    }
}

impl State {
    fn of(path: &Path) -> State {
        let now = clock();
        match stamp(path) {
            Ok(None) => State::Absent,
            Ok(Some(stamp)) if stamp.is_settled(now) => State::Settled(stamp),
            _ => State::Unsure,
        }
    }
}

#[cfg(test)]
mod tests;
