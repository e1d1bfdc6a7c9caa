//! Temporary files that a killed process left.
//!
//! A process writes down in which folders it makes temporary names, before it makes the first one
//! there. The record is locked while the process lives, so whoever gets the lock knows that it is
//! gone, and removes what is there under names that only that process can have made.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use super::folder::{Folder, Found};
use super::{clock, list};
use crate::walk::lock;

/// A record is not read beyond this.
const LONGEST: u64 = 16 * 1024 * 1024;
/// So many entries of a folder are looked at.
const ENTRIES: usize = 100_000;

/// The record of this process, once there is a place for it.
static RECORD: OnceLock<Record> = OnceLock::new();

struct Record {
    folder: PathBuf,
    /// Opened with the first folder.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    file: Option<File>,
    known: HashSet<PathBuf>,
}

/// From now on this process writes down in `records` where it makes temporary names. Only the first
/// call counts.
pub fn record_temporaries(records: &Path) {
    let _ = RECORD.set(Record { folder: records.to_owned(), state: Mutex::default() });
}

/// The beginning of the names that this process gives to temporary files. No process that comes
/// later has the same, even with the same number.
pub(super) fn prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let now = clock().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
        format!(".bowline-{:x}-{now:x}-", std::process::id())
    })
}

pub(super) const SUFFIX: &str = ".tmp";

/// A temporary name is about to be made in this folder.
pub(super) fn note(folder: &Path) {
    let Some(record) = RECORD.get() else { return };
    let mut state = lock(&record.state);
    if state.known.contains(folder) {
        return;
    }
    // A home that cannot be written to must not keep anybody from writing in the workspace.
    match state.add(&record.folder, folder) {
        Ok(()) => drop(state.known.insert(folder.to_owned())),
        Err(error) => tracing::debug!(%error, "a temporary file is not recorded"),
    }
}

impl State {
    fn add(&mut self, records: &Path, folder: &Path) -> io::Result<()> {
        if self.file.is_none() {
            DirBuilder::new().recursive(true).mode(0o700).create(records)?;
            let path = records.join(prefix());
            let mut options = OpenOptions::new();
            let file = options.append(true).create(true).mode(0o600).open(&path)?;
            file.lock()?;
            // Before it was locked, somebody may have taken it for one of a process that is gone.
            if std::fs::metadata(&path)?.ino() != file.metadata()?.ino() {
                return Err(io::ErrorKind::NotFound.into());
            }
            self.file = Some(file);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        // No path has a zero byte.
        let mut line = folder.as_os_str().as_bytes().to_vec();
        line.push(0);
        file.write_all(&line)
    }
}

/// Removes the temporary files of processes that are gone.
pub fn sweep_temporaries(records: &Path) {
    let Ok(listing) = list(records, ENTRIES) else { return };
    for entry in listing.entries {
        if let Err(error) = sweep(&records.join(&entry.name), &entry.name) {
            tracing::debug!(%error, "a record of temporary files could not be swept");
        }
    }
}

fn sweep(record: &Path, prefix: &OsStr) -> io::Result<()> {
    if !prefix.as_bytes().starts_with(b".bowline-") {
        return Ok(());
    }
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(no_follow).open(record)?;
    match file.try_lock() {
        Ok(()) => {}
        // Its process is alive.
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut folders = Vec::new();
    file.take(LONGEST).read_to_end(&mut folders)?;
    for folder in folders.split(|byte| *byte == 0).filter(|folder| !folder.is_empty()) {
        sweep_folder(&PathBuf::from(OsString::from_vec(folder.to_vec())), prefix);
    }
    std::fs::remove_file(record)
}

fn sweep_folder(path: &Path, prefix: &OsStr) {
    let (Ok(listing), Ok(folder)) = (super::list_real(path, ENTRIES), Folder::open(path)) else {
        return;
    };
    for entry in listing.entries {
        if is_temporary(&entry.name, prefix) && is_ours(&folder, &entry.name) {
            match folder.remove(&entry.name) {
                Ok(()) => {
                    tracing::info!(path = %path.display(), "removed a leftover temporary file");
                }
                Err(error) => tracing::debug!(%error, "a leftover could not be removed"),
            }
        }
    }
}

/// A name that the process with this prefix gave: the prefix, a number, the suffix.
fn is_temporary(name: &OsStr, prefix: &OsStr) -> bool {
    let number = name.as_bytes().strip_prefix(prefix.as_bytes());
    let number = number.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_hexdigit))
}

fn is_ours(folder: &Folder, name: &OsStr) -> bool {
    let user = rustix::process::geteuid().as_raw();
    match folder.look(name) {
        Ok(Found::There(metadata)) => {
            metadata.is_file() && metadata.nlink() == 1 && {
                // As root, a file gets the owner of the one that it was to replace.
                metadata.uid() == user || user == 0
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::test::{create_folder, names, write};

    #[test]
    fn only_leftovers_of_processes_that_are_gone_are_removed() {
        let keep = tempfile::tempdir().unwrap();
        let root = crate::real_path(keep.path()).unwrap();
        let (records, folder) = (root.join("records"), root.join("w/deep"));
        let mut listed = folder.as_os_str().as_bytes().to_vec();
        listed.push(0);
        let (gone, alive) = (".bowline-abc-17-", ".bowline-abd-17-");
        write(&records.join(gone), &listed);
        write(&records.join(alive), &listed);
        write(&records.join("notes"), &listed);
        let held = File::open(records.join(alive)).unwrap();
        held.lock().unwrap();
        let stays = [
            ".bowline-abc-17-.tmp",
            ".bowline-abc-17-1",
            ".bowline-abc-17-1x.tmp",
            ".bowline-abc-18-1.tmp",
            ".bowline-abd-17-1.tmp",
            ".bowline-notes.tmp",
            "a.tmp",
        ];
        for name in stays {
            write(&folder.join(name), b"mine");
        }
        create_folder(&folder.join(".bowline-abc-17-9.tmp"));
        write(&folder.join(".bowline-abc-17-1.tmp"), b"left");
        write(&folder.join(".bowline-abc-17-2f.tmp"), b"left");
        write(&root.join("w/.bowline-abc-17-3.tmp"), b"in a folder that was not recorded");
        sweep_temporaries(&records);
        let mut left: Vec<_> = stays.iter().map(OsString::from).collect();
        left.push(".bowline-abc-17-9.tmp".into());
        left.sort();
        assert_eq!(names(&folder), left);
        assert_eq!(names(&root.join("w")), [".bowline-abc-17-3.tmp", "deep"]);
        assert_eq!(names(&records), [alive, "notes"]);
        drop(held);
        sweep_temporaries(&records);
        assert!(!names(&folder).contains(&".bowline-abd-17-1.tmp".into()));
        assert_eq!(names(&records), ["notes"]);
        sweep_temporaries(&root.join("nowhere"));
    }
}
