//! The only place of this crate that touches the disk.

#![expect(
    clippy::disallowed_methods,
    reason = "settings and trust are read before there is a workspace or a policy to go through"
)]

use std::fs::{self, DirBuilder, File, Metadata, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tempfile::NamedTempFile;

/// No settings file is larger; a device or a huge file must not fill the memory.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// Why a file that is there could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("is not a regular file")]
    NotAFile,
    #[error("is larger than 2 MiB")]
    TooLarge,
    #[error("is not UTF-8 text")]
    NotText,
    #[error("cannot be read ({0})")]
    Io(io::Error),
}

/// The text of a file; `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, ReadError> {
    Ok(read_with_mode(path)?.map(|(text, _)| text))
}

/// The text of a file, and who may do what with that very file.
pub(crate) fn read_with_mode(path: &Path) -> Result<Option<(String, u32)>, ReadError> {
    // Opening a FIFO would wait for a writer, so the kind is found out before.
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(ReadError::Io(error)),
    };
    if is_placeholder(path) {
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(ReadError::Io)?;
    let mode = file.metadata().map_err(ReadError::Io)?.mode() & 0o7777;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ReadError::TooLarge);
    }
    let text = String::from_utf8(bytes).map_err(|_| ReadError::NotText)?;
    Ok(Some((text, mode)))
}

/// A regular file as something that changes with it: its bytes, or its stamp when it is large.
pub(crate) fn fingerprint(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = is_file(path).then(|| File::open(path).ok())??;
    (&file).take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_BYTES {
        let stamp = Stamp::of(&file.metadata().ok()?);
        bytes = format!("{stamp:?}").into_bytes();
    }
    Some(bytes)
}

pub(crate) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

pub(crate) fn is_dir(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Whether only the user or root can have put something into a folder.
pub(crate) fn is_only_ours(folder: &Path) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    let me = rustix::process::geteuid().as_raw();
    fs::metadata(folder)
        .is_ok_and(|found| [0, me].contains(&found.uid()) && found.mode() & OTHERS_WRITE == 0)
}

/// What a folder holds, in no order; nothing when it cannot be read.
pub(crate) fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Whether something is there, also something that cannot be read.
pub(crate) fn exists(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => !is_absent(&error),
    }
}

/// Whether something is there that could say anything.
pub(crate) fn is_something(path: &Path) -> bool {
    exists(path) && !is_placeholder(path)
}

/// While a command runs in the sandbox, empty folders and files with a mark stand where others must
/// not come into being.
fn is_placeholder(path: &Path) -> bool {
    const STICKY: u32 = 0o1000;
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    found.mode() & STICKY != 0
        && ((found.is_file() && found.len() <= 2) || (found.is_dir() && is_empty()))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The real path, or the path as given when it leads nowhere.
pub(crate) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Which folder this is: another one in its place is another. The device does not count, because
/// its number changes when the machine starts again.
pub(crate) fn identity(folder: &Path) -> Option<String> {
    let metadata = fs::metadata(folder).ok()?;
    let born =
        metadata.created().ok().and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    Some(match born {
        Some(born) => format!("{} {}.{:09}", metadata.ino(), born.as_secs(), born.subsec_nanos()),
        None => metadata.ino().to_string(),
    })
}

/// Which file this is, whatever it is called.
pub(crate) fn same_file(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// What tells one version of a file from another, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// `None` when there is nothing, or nothing that can be looked at.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    (!is_placeholder(path)).then(|| Stamp::of(&metadata))
}

/// Nobody holds the lock for longer than it takes to write a small file.
const LOCKED_FOR: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Keeps other processes from writing into a folder until it is dropped. The folder itself is
/// locked, so that no lock file lies about.
pub(crate) fn lock(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < LOCKED_FOR => {
                std::thread::sleep(LOOK_AGAIN);
            }
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::TimedOut.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Replaces a file so that a reader sees the old text or the new one, and nobody else sees either.
/// A link stays a link; what it points to is replaced.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    replace(&real(path), text, PRIVATE)
}

/// The same for a real file that keeps the mode it has. A new one is for the user alone when
/// `private`, else for everybody to read.
pub(crate) fn write_keeping_mode(path: &Path, text: &str, private: bool) -> io::Result<()> {
    let mode = match fs::metadata(path) {
        Ok(metadata) => metadata.mode() & 0o7777,
        Err(_) if private => PRIVATE,
        Err(_) => 0o644,
    };
    replace(path, text, mode)
}

const PRIVATE: u32 = 0o600;

fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
    let mut file = NamedTempFile::new_in(folder)?; // created with mode 0600
    file.write_all(text.as_bytes())?;
    if mode != PRIVATE {
        file.as_file().set_permissions(Permissions::from_mode(mode))?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(folder)?.sync_all()
}

/// Makes a folder, and those above it that are missing, as other programs would.
pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Makes a folder, and those above it that are missing, for the user alone.
pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
