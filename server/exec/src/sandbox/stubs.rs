//! What stands in for protected names that are missing, for as long as a contained process runs.
//!
//! A name can only be held by a mount, and a mount needs something to be mounted on. So an empty
//! folder is made (git does not see those), and taken away afterwards by `rmdir`, which never
//! deletes anything that somebody put there. Inside `.git` a few of them are files with a text that
//! changes nothing for git; they are deleted only while they say exactly that.
//!
//! Ours are told by the sticky bit, which nobody sets on such names, so those of a process that
//! was killed are found and taken away by the next one. Who uses one holds a shared lock on it,
//! and only who gets it alone takes it away: removing it earlier would also remove the mount of
//! somebody else, in this process or another.

#![expect(clippy::disallowed_methods, reason = "made and removed for the walls alone")]

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use policy::pinned::{self, Blank};
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, mkdirat, openat};
use rustix::io::Errno;
use tempfile::NamedTempFile;

const STICKY: u32 = 0o1000;
/// Made again by somebody else's removal this often, it is not held.
const TRIES: usize = 100;
/// Who removes one holds it alone for a moment; nobody has a reason to hold it longer.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);

/// One that is held in place. Dropped, it is taken away if nobody else holds it.
#[derive(Debug)]
pub(crate) struct Stub {
    path: PathBuf,
    blank: Blank,
    file: File,
}

/// Those that commands of this process hold. A background command for each stub and a descriptor for
/// each of those would be hundreds.
static HELD: Mutex<BTreeMap<PathBuf, Weak<Stub>>> = Mutex::new(BTreeMap::new());

impl Stub {
    /// Makes it, or shares the one that is there, with others in this process if they have it.
    pub(crate) fn hold(path: &Path, blank: Blank) -> io::Result<Arc<Stub>> {
        let held = || HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held().get(path).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|stub| is_same(&stub.file, path) && is_ours(path)) {
            return Ok(known);
        }
        let stub = Arc::new(Stub::open(path, blank)?);
        let mut held = held();
        held.retain(|_, stub| stub.strong_count() > 0);
        held.insert(path.to_owned(), Arc::downgrade(&stub));
        Ok(stub)
    }

    fn open(path: &Path, blank: Blank) -> io::Result<Stub> {
        for _ in 0..TRIES {
            match make(path, blank) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let Ok(file) = open(path) else { continue };
            share(&file)?;
            // Whoever removed it between the two has left us with a lock on nothing.
            if is_same(&file, path) {
                if !is_ours(path) {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                return Ok(Stub { path: path.to_owned(), blank, file });
            }
        }
        Err(io::ErrorKind::WouldBlock.into())
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        // A lock is changed by giving it up first, so two who leave together may both fail here;
        // the next one to come takes it away then.
        if flock(&self.file, FlockOperation::NonBlockingLockExclusive).is_err()
            || !is_same(&self.file, &self.path)
        {
            return;
        }
        let gone = match self.blank {
            Blank::Folder => fs::remove_dir(&self.path),
            Blank::File(text) if says(&mut self.file, text) => fs::remove_file(&self.path),
            Blank::File(_) => Err(io::ErrorKind::DirectoryNotEmpty.into()),
        };
        // Somebody made use of it: then it is theirs.
        if gone.is_err()
            && let Ok(metadata) = self.file.metadata()
        {
            let plain = fs::Permissions::from_mode(metadata.mode() & 0o777);
            drop(self.file.set_permissions(plain));
        }
    }
}

/// Takes away what is left at the top of a folder by a process that was killed. Nobody waits: what is
/// still held by somebody stays.
pub fn sweep(root: &Path) {
    let own = pinned::MISSING.iter().map(|name| (root.join(name), Blank::Folder));
    let repository = root.join(".git");
    let inside = pinned::IN_REPOSITORY.iter().flat_map(|(name, blank)| {
        let path = repository.join(name);
        // A folder stands for what would lie in it.
        let folder = path.parent().filter(|parent| **parent != *repository).map(Path::to_owned);
        folder.map(|folder| (folder, Blank::Folder)).into_iter().chain([(path, *blank)])
    });
    for (path, blank) in own.chain(inside).filter(|(path, _)| is_ours(path)) {
        let Ok(file) = open(&path) else { continue };
        drop(Stub { path, blank, file });
    }
}

/// Whether `path` is what we put there and nobody has made use of since.
pub(crate) fn is_ours(path: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    if metadata.mode() & STICKY == 0 || metadata.uid() != rustix::process::geteuid().as_raw() {
        return false;
    }
    if metadata.is_dir() {
        return fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    }
    metadata.is_file() && metadata.len() <= 2 && metadata.nlink() == 1
}

/// With its mark from the first moment on, so that no other run takes it for somebody's own.
fn make(path: &Path, blank: Blank) -> io::Result<()> {
    match blank {
        Blank::Folder => Ok(mkdirat(CWD, path, Mode::from_raw_mode(STICKY | 0o755))?),
        Blank::File(text) => {
            let folder = path.parent().unwrap_or(Path::new("/"));
            let mut whole = NamedTempFile::new_in(folder)?;
            whole.write_all(text.as_bytes())?;
            whole.as_file().set_permissions(fs::Permissions::from_mode(STICKY | 0o644))?;
            whole.persist_noclobber(path).map(drop).map_err(|refused| refused.error)
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened: OwnedFd = openat(CWD, path, flags, Mode::empty())?;
    Ok(File::from(opened))
}

/// Locks it with others, or gives up: a lock of somebody else's must not stop every command.
fn share(file: &File) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        match flock(file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < until => {
                std::thread::sleep(PAUSE);
            }
            done => return Ok(done?),
        }
    }
}

fn is_same(file: &File, path: &Path) -> bool {
    let (Ok(held), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    (held.dev(), held.ino()) == (there.dev(), there.ino())
}

fn says(file: &mut File, text: &str) -> bool {
    let mut found = Vec::new();
    file.take(16).read_to_end(&mut found).is_ok() && found == text.as_bytes()
}
