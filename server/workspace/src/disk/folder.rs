//! A folder that is held open while something is done in it. Whatever becomes of its name
//! meanwhile, everything happens in this very folder.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Access, AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::{Kind, leftovers, open};

pub(super) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

/// What a name in a folder stands for.
pub(super) enum Found {
    Nothing,
    Link,
    /// A file, a folder or whatever else.
    There(Metadata),
}

impl Found {
    pub(super) fn kind(&self) -> Option<Kind> {
        match self {
            Found::Nothing => None,
            Found::Link => Some(Kind::Link),
            Found::There(metadata) => Some(Kind::of(metadata.file_type())),
        }
    }
}

/// How to open something only to look what it is.
#[cfg(target_os = "linux")]
const GLANCE: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const GLANCE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Folder, Errno> {
        open::folder(path).map(|handle| Folder { handle, path: path.to_owned() })
    }

    /// The same, with what is missing of it made.
    pub(super) fn make(path: &Path) -> Result<Folder, Errno> {
        open::made_folder(path).map(|handle| Folder { handle, path: path.to_owned() })
    }

    /// Only to look into it.
    pub(super) fn passage(path: &Path) -> Result<Folder, Errno> {
        open::passage(path).map(|handle| Folder { handle, path: path.to_owned() })
    }

    pub(super) fn look(&self, name: &OsStr) -> io::Result<Found> {
        match open::open_in(&self.handle, name, GLANCE) {
            Ok(handle) => {
                let metadata = File::from(handle).metadata()?;
                Ok(if metadata.is_symlink() { Found::Link } else { Found::There(metadata) })
            }
            Err(Errno::NOENT) => Ok(Found::Nothing),
            Err(Errno::LOOP) => Ok(Found::Link),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Opens a file to read it. It may be something else by now; the one who reads looks.
    pub(super) fn open_file(&self, name: &OsStr) -> Result<OwnedFd, Errno> {
        open::open_in(&self.handle, name, super::READING)
    }

    /// Whether the file itself may be written: a rename would only ask the folder.
    pub(super) fn check_writable(&self, name: &OsStr) -> Result<(), Errno> {
        rustix::fs::accessat(&self.handle, name, Access::WRITE_OK, AtFlags::empty())
    }

    pub(super) fn remove(&self, name: &OsStr) -> Result<(), Errno> {
        rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())
    }

    /// Makes new names durable. Some file systems cannot, and the content is safe without.
    pub(super) fn sync(&self) {
        if let Err(error) = rustix::fs::fsync(&self.handle) {
            tracing::debug!(%error, "the folder could not be synced");
        }
    }

    /// A new file without a name, which is gone when the process is. `None` where the file system
    /// has no such files.
    #[cfg(target_os = "linux")]
    pub(super) fn unnamed(&self, mode: Mode) -> Option<Temporary<'_>> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.handle, ".", flags, mode).ok()?;
        Some(Temporary { folder: self, name: None, file: File::from(handle), placed: false })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn unnamed(&self, _: Mode) -> Option<Temporary<'_>> {
        None
    }

    /// A new file under a name that nobody has. It is gone again unless it is put in its place.
    pub(super) fn temporary(&self, mode: Mode) -> Result<Temporary<'_>, Errno> {
        leftovers::note(&self.path);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        for _ in 0..TRIES {
            let name = temporary_name();
            match rustix::fs::openat(&self.handle, &name, flags | OFlags::CLOEXEC, mode) {
                Ok(handle) => {
                    let (name, file) = (Some(name), File::from(handle));
                    return Ok(Temporary { folder: self, name, file, placed: false });
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::EXIST)
    }
}

/// Names are numbered, so that only somebody who wants to be in the way is.
const TRIES: u32 = 100;

fn temporary_name() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}{count:x}{}", leftovers::prefix(), leftovers::SUFFIX).into()
}

/// A file that waits for its name.
pub(super) struct Temporary<'f> {
    folder: &'f Folder,
    /// Without one, nobody sees it.
    name: Option<OsString>,
    pub(super) file: File,
    placed: bool,
}

impl Temporary<'_> {
    /// Takes a name in the same folder, from whatever has it.
    pub(super) fn replace(&mut self, name: &OsStr) -> Result<(), Errno> {
        // A file without a name cannot replace another one, so it gets one for a moment.
        let own = match self.name.take() {
            Some(own) => own,
            None => {
                leftovers::note(&self.folder.path);
                let own = temporary_name();
                self.link(&own)?;
                own
            }
        };
        let own = &*self.name.insert(own);
        let folder = &self.folder.handle;
        rustix::fs::renameat(folder, own, folder, name)?;
        self.placed = true;
        Ok(())
    }

    /// Gives a file without a name one that nobody has.
    #[cfg(target_os = "linux")]
    fn link(&self, name: &OsStr) -> Result<(), Errno> {
        let unnamed = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let follow = AtFlags::SYMLINK_FOLLOW;
        rustix::fs::linkat(rustix::fs::CWD, unnamed, &self.folder.handle, name, follow)
    }

    #[cfg(not(target_os = "linux"))]
    fn link(&self, _: &OsStr) -> Result<(), Errno> {
        Err(Errno::NOTSUP)
    }

    /// Whether it has no name: where it could not be given one, a file with a name may do.
    pub(super) fn is_unnamed(&self) -> bool {
        self.name.is_none()
    }

    /// Takes a name that nobody has: `EXIST` otherwise.
    pub(super) fn place(&mut self, name: &OsStr) -> Result<(), Errno> {
        let Some(own) = &self.name else {
            self.link(name)?;
            self.placed = true;
            return Ok(());
        };
        let folder = &self.folder.handle;
        match rustix::fs::renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE) {
            // Not every file system can. A second name is as careful, and the first one goes.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(folder, own, folder, name, AtFlags::empty())?;
                self.folder.remove(own)?;
            }
            renamed => renamed?,
        }
        self.placed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let (false, Some(name)) = (self.placed, &self.name)
            && let Err(error) = self.folder.remove(name)
        {
            tracing::debug!(%error, "a temporary file could not be removed");
        }
    }
}

/// The folder and the name of a real path.
pub(super) fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    Some((path.parent()?, path.file_name()?))
}
