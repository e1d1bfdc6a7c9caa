//! The disk: the only module here that touches files.
//!
//! It opens nothing that could make it wait, reads nothing without a cap, and never leaves half a
//! file behind.

#![expect(clippy::disallowed_methods, reason = "this is the module whose job it is")]

mod remove;
mod stamp;
mod write;

use std::ffi::OsString;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::OFlags;

pub use remove::remove;
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

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{} is not an absolute path; give the full path", path.display())]
    Relative { path: PathBuf },
    #[error("{} does not exist{}", path.display(), did_you_mean(nearest))]
    NotFound { path: PathBuf, nearest: Vec<String> },
    #[error("{} is a folder; name a file in it, or list it with Glob", path.display())]
    IsDirectory { path: PathBuf },
    #[error("{} is a {}, not a file; it cannot be read", path.display(), kind.name())]
    NotRegular { path: PathBuf, kind: Kind },
    #[error("{} is {kind}, not text; use a program that knows this format", path.display())]
    Binary { path: PathBuf, kind: &'static str },
    #[error(
        "{} has {size} bytes, more than the {cap} that can be read; search it with Grep instead",
        path.display()
    )]
    TooLarge { path: PathBuf, size: u64, cap: u64 },
    #[error("{} cannot be read ({source}); check its permissions", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => "; check the path".to_owned(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

/// Opens a regular file and nothing else.
///
/// What it is comes from the open file, not from the path, which may name something else by then.
/// `NONBLOCK` keeps a pipe without a writer from holding us, `NOCTTY` a terminal from becoming ours.
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata), ReadError> {
    let owned = || path.to_path_buf();
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let opened = OpenOptions::new().read(true).custom_flags(flags as i32).open(path);
    let file = opened.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            ReadError::NotFound { path: owned(), nearest: Vec::new() }
        }
        // What a socket answers.
        _ if source.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
            ReadError::NotRegular { path: owned(), kind: Kind::Socket }
        }
        _ => ReadError::Unreadable { path: owned(), source },
    })?;
    let metadata =
        file.metadata().map_err(|source| ReadError::Unreadable { path: owned(), source })?;
    match Kind::of(metadata.file_type()) {
        Kind::File => Ok((file, metadata)),
        Kind::Folder => Err(ReadError::IsDirectory { path: owned() }),
        kind => Err(ReadError::NotRegular { path: owned(), kind }),
    }
}

/// The bytes of a regular file, at most `cap` of them, and its stamp from before the reading: when
/// somebody writes meanwhile, the stamp is already an old one.
pub fn read_bytes(path: &Path, cap: u64) -> Result<(Vec<u8>, Stamp), ReadError> {
    if !path.is_absolute() {
        return Err(ReadError::Relative { path: path.to_path_buf() });
    }
    let (file, metadata) = open_regular(path)?;
    let too_large = |size| ReadError::TooLarge { path: path.to_path_buf(), size, cap };
    if metadata.len() > cap {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    // One more than the cap, because the size is not the truth for a file that grows.
    file.take(cap.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|source| ReadError::Unreadable { path: path.to_path_buf(), source })?;
    match bytes.len() as u64 {
        size if size > cap => Err(too_large(size)),
        _ => Ok((bytes, Stamp::of(&metadata))),
    }
}

/// What a path leads to, through links; nothing where nothing is.
pub fn kind(path: &Path) -> io::Result<Option<Kind>> {
    existing(fs::metadata(path)).map(|metadata| metadata.map(|m| Kind::of(m.file_type())))
}

/// When a file last changed. What cannot be asked is as old as can be.
pub(crate) fn modified(path: &Path) -> SystemTime {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    modified.unwrap_or(SystemTime::UNIX_EPOCH)
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

/// Lists a folder, at most `cap` entries of it.
pub fn list(path: &Path, cap: usize) -> io::Result<Listing> {
    let mut entries = Vec::new();
    let mut truncated = false;
    for entry in fs::read_dir(path)? {
        if entries.len() == cap {
            truncated = true;
            break;
        }
        let entry = entry?;
        entries.push(Entry { name: entry.file_name(), kind: Kind::of(entry.file_type()?) });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Listing { entries, truncated })
}

/// What is at one part of a path, for [`crate::resolve`].
pub(crate) enum Step {
    Missing,
    Link(PathBuf),
    Other,
}

pub(crate) fn step(path: &Path) -> io::Result<Step> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Step::Missing),
        Err(error) => return Err(error),
    };
    if metadata.is_symlink() { fs::read_link(path).map(Step::Link) } else { Ok(Step::Other) }
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
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    pub(crate) fn write(path: &Path, bytes: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
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
