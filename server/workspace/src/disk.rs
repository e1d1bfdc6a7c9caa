//! The disk: the only module here that touches files.
//!
//! It opens nothing that could make it wait, reads nothing without a cap, and never leaves half a
//! file behind. What it opens for the agent it opens by its real path: where a link has come to stand
//! since that was found out, nothing is done.

#![expect(clippy::disallowed_methods, reason = "this is the module whose job it is")]

mod folder;
mod keep;
mod leftovers;
mod open;
mod read;
mod remove;
mod spool;
mod stamp;
mod write;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Dir, OFlags};
use rustix::io::Errno;

use crate::resolve::real_path;
use folder::{Folder, Found, split};
use read::READING;

pub use leftovers::{record_temporaries, sweep_temporaries};
pub use read::{ReadError, read_beginning, read_bytes, read_if};
pub(crate) use read::{open_regular, read_real};
pub use remove::remove;
pub use spool::Spool;
pub use stamp::{Stamp, Watched, stamp};
pub(crate) use stamp::{clock, settled_stamp};
pub use write::{Expected, WriteError, WriteOptions, write_atomic, write_text};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    File,
    Folder,
    /// Only in a listing; everywhere else links are followed.
    Link,
    Device,
    Pipe,
    Socket,
}

impl Kind {
    fn of(file_type: FileType) -> Kind {
        match file_type {
            t if t.is_dir() => Kind::Folder,
            t if t.is_symlink() => Kind::Link,
            t if t.is_fifo() => Kind::Pipe,
            t if t.is_socket() => Kind::Socket,
            t if t.is_file() => Kind::File,
            _ => Kind::Device,
        }
    }

    /// What a listing says of an entry, if it does.
    fn of_entry(file_type: rustix::fs::FileType) -> Option<Kind> {
        use rustix::fs::FileType as Told;
        Some(match file_type {
            Told::RegularFile => Kind::File,
            Told::Directory => Kind::Folder,
            Told::Symlink => Kind::Link,
            Told::Fifo => Kind::Pipe,
            Told::Socket => Kind::Socket,
            Told::CharacterDevice | Told::BlockDevice => Kind::Device,
            Told::Unknown => return None,
        })
    }

    /// The word for it in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Folder => "folder",
            Kind::Link => "symbolic link",
            Kind::Device => "device",
            Kind::Pipe => "pipe",
            Kind::Socket => "socket",
        }
    }
}

/// What a path leads to, through links; nothing where nothing is.
pub fn kind(path: &Path) -> io::Result<Option<Kind>> {
    existing(fs::metadata(path)).map(|metadata| metadata.map(|m| Kind::of(m.file_type())))
}

/// What stands at a real path, be it a link that came there meanwhile.
pub(crate) fn kind_of_real(path: &Path) -> io::Result<Option<Kind>> {
    let Some((folder, name)) = split(path) else { return kind(path) };
    match Folder::passage(folder) {
        Ok(folder) => Ok(folder.look(name)?.kind()),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// When the file at a real path last changed; nothing where no file is, or a link stands in the way.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    let (folder, name) = split(path)?;
    match Folder::passage(folder).ok()?.look(name).ok()? {
        Found::There(metadata) => metadata.modified().ok(),
        Found::Nothing | Found::Link => None,
    }
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: Kind,
}

/// The entries of a folder by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// There were more than the cap.
    pub truncated: bool,
}

/// Lists a folder, at most `cap` entries of it. For our own needs: links on the way are followed.
pub fn list(path: &Path, cap: usize) -> io::Result<Listing> {
    list_real(&real_path(path).map_err(io::Error::other)?, cap)
}

/// Lists the folder at a real path.
pub(crate) fn list_real(path: &Path, cap: usize) -> io::Result<Listing> {
    let folder = open::open(path, OFlags::DIRECTORY)?;
    let mut entries = Vec::new();
    let mut truncated = false;
    for entry in Dir::new(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if entries.len() == cap {
            truncated = true;
            break;
        }
        let kind = Kind::of_entry(entry.file_type());
        // Some file systems do not tell with the name.
        let kind = kind.map_or_else(|| kind_of_real(&path.join(name)), |kind| Ok(Some(kind)))?;
        entries.extend(kind.map(|kind| Entry { name: name.to_owned(), kind }));
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Listing { entries, truncated })
}

/// What is at one part of a path, for [`crate::resolve`].
pub(crate) enum Step {
    Missing,
    Link(PathBuf),
    /// A link of the kernel's own, which leads to an open file or another process, whatever it says.
    Magic,
    Folder(Stamp),
    Other(Stamp),
}

pub(crate) fn step(path: &Path) -> io::Result<Step> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Step::Missing),
        Err(error) => return Err(error),
    };
    if !metadata.is_symlink() {
        let stamp = Stamp::of(&metadata);
        return Ok(if metadata.is_dir() { Step::Folder(stamp) } else { Step::Other(stamp) });
    }
    if is_magic(path)? { Ok(Step::Magic) } else { fs::read_link(path).map(Step::Link) }
}

/// All parts of a path at once: its stamp, if there is no link among them and something at the end.
pub(crate) fn glance(path: &Path) -> Option<Stamp> {
    let file = File::from(open::glance(path).ok()?);
    file.metadata().ok().as_ref().map(Stamp::of)
}

/// Whether a link is one of the kernel's own: those of a process, below the top of its file system.
#[cfg(target_os = "linux")]
fn is_magic(link: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    /// What tells the file system of the processes, and the number of its top.
    const PROCESSES: i128 = 0x9fa0;
    const TOP: u64 = 1;
    let Some(folder) = link.parent() else { return Ok(false) };
    let system = rustix::fs::statfs(folder)?;
    Ok(i128::from(system.f_type) == PROCESSES && fs::metadata(folder)?.ino() != TOP)
}

#[cfg(not(target_os = "linux"))]
fn is_magic(_link: &Path) -> io::Result<bool> {
    Ok(false)
}

fn existing(found: io::Result<Metadata>) -> io::Result<Option<Metadata>> {
    match found {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(error),
        },
    }
}

/// What the tests of this crate need of the disk beyond what the crate itself may do.
#[cfg(test)]
pub(crate) mod test {
    use super::*;
    use std::fs::OpenOptions;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    pub(crate) fn write(path: &Path, bytes: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes through whatever links there are, as far as that can be done.
    pub(crate) fn try_write(path: &Path, bytes: &[u8]) -> bool {
        fs::write(path, bytes).is_ok()
    }

    pub(crate) fn rename(from: &Path, to: &Path) {
        fs::rename(from, to).unwrap();
    }

    pub(crate) fn delete(path: &Path) {
        fs::remove_file(path).unwrap();
    }

    /// Makes a file this long without writing so much.
    pub(crate) fn set_len(path: &Path, len: u64) {
        OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
    }

    pub(crate) fn read(path: &Path) -> Vec<u8> {
        fs::read(path).unwrap()
    }

    pub(crate) fn create_folder(path: &Path) {
        fs::create_dir_all(path).unwrap();
    }

    pub(crate) fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    /// Sets the age of a file, so that an order by age does not depend on the clock.
    pub(crate) fn set_modified(path: &Path, seconds: u64) {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    pub(crate) fn names(path: &Path) -> Vec<OsString> {
        list(path, 1000).unwrap().entries.into_iter().map(|entry| entry.name).collect()
    }
}

#[cfg(test)]
mod tests;
