//! What a command leaves behind in its folders that other programs obey, outside of all walls.
//!
//! The walls hold the names that were there, and a few more at the top of a root. Nobody can hold
//! every name that could come into being anywhere. So what came is looked for when the command has
//! ended: a new protected name, or a repository that makes git run something. It is moved aside,
//! out of the reach of commands, until a person says yes; a repository keeps all but the settings and
//! hooks in question, so that `git init` and `git clone` work as ever.
//!
//! Names are new if they were not there before (`Before`), or if the kernel's own stamps say so,
//! which nobody can set back. Nothing else runs behind the walls any more while this looks.

#![expect(clippy::disallowed_methods, reason = "what a command made is judged and moved aside")]

mod aside;
mod repository;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use policy::pinned::{self, Pin};

use super::denial::Denial;
use super::layout::Layout;
use super::stubs;
use super::survey::{DEPTH, PASSED_OVER};
use aside::Aside;

/// The most folders that are looked into, nearest first.
const MOST_FOLDERS: usize = 20_000;
/// The clock that stamps files is that far behind.
const TICK: Duration = Duration::from_millis(10);
/// More are moved, but not told one by one.
const MOST_TOLD: usize = 20;

/// How things were when a command started.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    since: SystemTime,
    tops: Vec<Top>,
    /// The protected names that were there, as far as they were looked for.
    pub(super) known: BTreeSet<PathBuf>,
    aside: PathBuf,
}

/// A folder that may be written.
#[derive(Debug, Clone)]
struct Top {
    path: PathBuf,
    /// All of it was looked at, down to [`DEPTH`].
    whole: bool,
}

impl Before {
    /// Where things that were made go is only named; nothing is made there yet.
    pub(super) fn now(aside: &Path) -> Before {
        Before {
            since: SystemTime::now() - TICK,
            tops: Vec::new(),
            known: BTreeSet::new(),
            aside: aside.to_owned(),
        }
    }

    pub(super) fn looked_through(&mut self, path: &Path, whole: bool) {
        self.tops.push(Top { path: path.to_owned(), whole });
    }

    /// By the stamp that only the kernel sets.
    fn is_changed(&self, metadata: &Metadata) -> bool {
        let Ok(seconds) = u64::try_from(metadata.ctime()) else { return false };
        let rest = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
        SystemTime::UNIX_EPOCH + Duration::new(seconds, rest) >= self.since
    }

    /// Not where the file system keeps no such stamp: then it may well have been made now.
    fn is_older(&self, metadata: &Metadata) -> bool {
        metadata.created().is_ok_and(|created| created < self.since)
    }
}

/// Looks for what came since and moves it aside. Takes as long as the disk does.
pub(crate) fn clear(before: &Before, layout: &Layout) -> Vec<Denial> {
    let mut look = Look { before, layout, aside: Aside::new(&before.aside), told: Vec::new() };
    for top in &before.tops {
        look.through(top);
    }
    look.told
}

struct Look<'a> {
    before: &'a Before,
    layout: &'a Layout,
    aside: Aside,
    told: Vec<Denial>,
}

/// A folder that is still to be looked into.
struct Ahead {
    path: PathBuf,
    depth: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// Of a repository that is new as a whole: whoever cloned it wanted all that is in it.
    Fetched,
    /// Other people's code by the thousand: only repositories are looked for, and not deep.
    Dependencies,
}

impl Look<'_> {
    fn through(&mut self, top: &Top) {
        let mut queue =
            VecDeque::from([Ahead { path: top.path.clone(), depth: 0, kind: Kind::Plain }]);
        let mut left = MOST_FOLDERS;
        while let Some(ahead) = queue.pop_front() {
            if left == 0 {
                tracing::warn!(folder = %top.path.display(), "the folder is too large to look everywhere for what a command made");
                return;
            }
            left -= 1;
            self.into(ahead, top, &mut queue);
        }
    }

    fn into(&mut self, ahead: Ahead, top: &Top, queue: &mut VecDeque<Ahead>) {
        let Ahead { path: folder, depth, mut kind } = ahead;
        let entries = entries(&folder);
        if is_bare(&entries) {
            // Git takes it for a repository whatever its name is.
            self.repository(&folder, false);
            return;
        }
        if kind == Kind::Plain && self.is_fetched(&folder, &entries) {
            kind = Kind::Fetched;
        }
        for (name, file_type) in entries {
            let path = folder.join(&name);
            match pinned::pin(&folder, &name) {
                Some(Pin::Repository) => {
                    let new = self.is_new(&path, depth, top).is_some();
                    self.repository(&path, new);
                }
                Some(pin) => {
                    if kind != Kind::Dependencies {
                        self.name(&path, depth, kind, top);
                    }
                    if pin == Pin::Agent {
                        let path = path.join(pinned::AGENT_WORK_TREES);
                        queue.push_back(Ahead { path, depth: depth + 1, kind });
                    }
                }
                None if file_type.is_dir() => queue.extend(self.deeper(path, &name, depth, kind)),
                None => {}
            }
        }
    }

    fn deeper(&self, path: PathBuf, name: &OsStr, depth: usize, kind: Kind) -> Option<Ahead> {
        let kind = match kind {
            _ if PASSED_OVER.iter().any(|passed| name == *passed) => Kind::Dependencies,
            // Packages, and the scopes they are in. A new entry changes the stamp of its folder.
            Kind::Dependencies => {
                let is_scope = name.as_encoded_bytes().starts_with(b"@");
                let changed =
                    fs::symlink_metadata(&path).is_ok_and(|it| self.before.is_changed(&it));
                let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
                let is_package = PASSED_OVER.iter().any(|passed| parent == *passed)
                    || parent.as_encoded_bytes().starts_with(b"@");
                if !is_package || !(is_scope || changed) {
                    return None;
                }
                kind
            }
            other => other,
        };
        Some(Ahead { path, depth: depth + 1, kind })
    }

    /// A folder that did not exist, with a repository of its own.
    fn is_fetched(&self, folder: &Path, entries: &[(OsString, FileType)]) -> bool {
        let has_repository =
            entries.iter().any(|(name, _)| pinned::pin(folder, name) == Some(Pin::Repository));
        has_repository
            && fs::symlink_metadata(folder).is_ok_and(|metadata| {
                metadata.created().is_ok() && !self.before.is_older(&metadata)
            })
    }

    /// What is known of a protected name that came, or was changed, since. `None` if it was there
    /// and nobody could touch it.
    fn is_new(&self, path: &Path, depth: usize, top: &Top) -> Option<Came> {
        if self.before.known.contains(path) || !self.layout.may_write(path) || stubs::is_ours(path)
        {
            return None;
        }
        let metadata = fs::symlink_metadata(path).ok()?;
        let unknown = depth <= DEPTH && top.whole;
        let changed = self.before.is_changed(&metadata);
        // Where there are mounts nothing is moved in from elsewhere with its old stamps.
        if !changed && (!unknown || self.layout.has_mounts()) {
            return None;
        }
        Some(if unknown || !self.before.is_older(&metadata) { Came::Made } else { Came::Changed })
    }

    fn name(&mut self, path: &Path, depth: usize, kind: Kind, top: &Top) {
        let Some(came) = self.is_new(path, depth, top) else { return };
        if kind == Kind::Fetched || came == Came::Changed {
            self.tell(path, String::new(), None);
        } else {
            self.remove(path, String::new());
        }
    }

    /// Moves it aside, and tells.
    fn remove(&mut self, path: &Path, why: String) {
        match self.aside.take(path) {
            Ok(place) => self.tell(path, why, Some(place)),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "what a command made could not be moved aside");
                self.tell(path, why, None);
            }
        }
    }

    fn tell(&mut self, path: &Path, why: String, aside: Option<PathBuf>) {
        tracing::info!(path = %path.display(), why, moved = aside.is_some(), "a contained command made something that other programs obey");
        if self.told.len() < MOST_TOLD {
            self.told.push(Denial::Obeyed { path: path.to_owned(), why, aside });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Made,
    /// It was there before, where the walls do not reach.
    Changed,
}

fn entries(folder: &Path) -> Vec<(OsString, FileType)> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter_map(|entry| Some((entry.file_name(), entry.file_type().ok()?))).collect()
}

/// What git looks for to take a folder for a repository.
fn is_bare(entries: &[(OsString, FileType)]) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| entries.iter().any(|(entry, _)| entry == name))
}
