//! Writing a file whole or not at all.
//!
//! The new bytes go to a temporary file in the same folder, reach the disk, and take the name in
//! one step. A link keeps pointing where it did: its target is what gets replaced. A hard link is
//! cut, so that a file outside never changes through a second name inside.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Gid, Uid};
use tempfile::NamedTempFile;
use text::{CannotEncode, Fingerprint, Format};

use super::{Kind, ReadError, Stamp, existing, read_bytes};
use crate::READ_CAP;
use crate::resolve::{ResolveError, real_path};

/// What a writer takes for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// There is no such file yet.
    Absent,
    /// The file is in this state.
    Stamp(Stamp),
    /// The file says this, whatever happened to it meanwhile.
    Text(Fingerprint),
}

/// How to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Refuse to write when this is not so any more.
    pub expected: Option<Expected>,
    /// Make the folders that are missing.
    pub create_parents: bool,
}

/// Why nothing was written or deleted. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Unresolvable(#[from] ResolveError),
    #[error("{} is a folder; name a file in it", path.display())]
    IsDirectory { path: PathBuf },
    #[error("{} is a {}, not a file; write somewhere else", path.display(), kind.name())]
    NotRegular { path: PathBuf, kind: Kind },
    #[error("{} is not there any more, so there is nothing to delete", path.display())]
    Gone { path: PathBuf },
    #[error("{} already exists; read it before replacing it", path.display())]
    Exists { path: PathBuf },
    #[error("{} has changed since it was read; read it again and redo the change", path.display())]
    Changed { path: PathBuf },
    #[error("the folder {} does not exist; create it first", path.display())]
    NoFolder { path: PathBuf },
    #[error("{} may not be written ({source}); check the permissions", path.display())]
    Denied { path: PathBuf, source: io::Error },
    #[error("{} was not changed ({source}); its old content is still there", path.display())]
    Failed { path: PathBuf, source: io::Error },
    #[error("{} was not written: {cause}", path.display())]
    Encode { path: PathBuf, cause: CannotEncode },
}

/// Stores text the way the file stored it before.
pub fn write_text(
    path: &Path,
    text: &str,
    format: &Format,
    options: &WriteOptions,
) -> Result<Stamp, WriteError> {
    let bytes = text::encode(text, format)
        .map_err(|cause| WriteError::Encode { path: path.to_path_buf(), cause })?;
    write_atomic(path, &bytes, options)
}

/// Replaces a file, or makes it. The mode and, where we may, the owner stay as they were.
pub fn write_atomic(
    path: &Path,
    bytes: &[u8],
    options: &WriteOptions,
) -> Result<Stamp, WriteError> {
    let target = real_path(path)?;
    let old = existing(fs::symlink_metadata(&target)).map_err(failure(&target))?;
    if let Some(old) = &old {
        check_writable(&target, old)?;
    }
    let folder = target.parent().unwrap_or(Path::new("/"));
    check_folder(folder, options.create_parents)?;

    let mut temporary = temporary_file(folder, old.as_ref()).map_err(failure(&target))?;
    let filled = fill(&mut temporary, bytes, old.as_ref());
    filled.map_err(failure(&target))?;
    // As late as can be, so that little time is left for somebody else to write.
    check_expected(&target, options.expected)?;
    let file = put_in_place(temporary, &target, options.expected == Some(Expected::Absent))?;
    sync_folder(folder);
    let metadata = file.metadata().map_err(failure(&target))?;
    Ok(Stamp::of(&metadata))
}

pub(super) fn check_writable(target: &Path, old: &Metadata) -> Result<(), WriteError> {
    let path = || target.to_path_buf();
    match Kind::of(old.file_type()) {
        Kind::File => {}
        Kind::Folder => return Err(WriteError::IsDirectory { path: path() }),
        kind => return Err(WriteError::NotRegular { path: path(), kind }),
    }
    // A rename asks the folder and not the file, so a file that is read-only must be asked itself.
    rustix::fs::access(target, Access::WRITE_OK)
        .map_err(|errno| WriteError::Denied { path: path(), source: errno.into() })
}

fn check_folder(folder: &Path, create: bool) -> Result<(), WriteError> {
    if create {
        return fs::create_dir_all(folder).map_err(failure(folder));
    }
    match super::kind(folder).map_err(failure(folder))? {
        Some(_) => Ok(()),
        None => Err(WriteError::NoFolder { path: folder.to_path_buf() }),
    }
}

/// The new file. Instead of an old one it is private until it has the old one's mode; a file that
/// is new gets what the process gives to new files.
fn temporary_file(folder: &Path, old: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    tempfile::Builder::new()
        .prefix(".bowline-")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)
}

fn fill(temporary: &mut NamedTempFile, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    temporary.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner_and_mode(temporary.as_file(), old)?;
    }
    temporary.as_file().sync_all()
}

fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let (uid, gid) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
        if rustix::fs::fchown(file, Some(uid), Some(gid)).is_err() {
            // The file is ours from now on, so it must not run with the rights of its old owner.
            mode &= 0o777;
        }
    }
    file.set_permissions(Permissions::from_mode(mode))
}

pub(super) fn check_expected(target: &Path, expected: Option<Expected>) -> Result<(), WriteError> {
    let path = || target.to_path_buf();
    let as_expected = match expected {
        None => true,
        Some(Expected::Absent) => {
            if super::kind(target).map_err(failure(target))?.is_some() {
                return Err(WriteError::Exists { path: path() });
            }
            true
        }
        Some(Expected::Stamp(stamp)) => {
            super::stamp(target).map_err(failure(target))? == Some(stamp)
        }
        Some(Expected::Text(fingerprint)) => match read_bytes(target, READ_CAP) {
            Ok((bytes, _)) => text::decode(&bytes)
                .is_ok_and(|decoded| Fingerprint::of(&decoded.text) == fingerprint),
            Err(ReadError::Unreadable { source, .. }) => {
                return Err(WriteError::Denied { path: path(), source });
            }
            Err(_) => false,
        },
    };
    if as_expected { Ok(()) } else { Err(WriteError::Changed { path: path() }) }
}

fn put_in_place(temporary: NamedTempFile, target: &Path, new: bool) -> Result<File, WriteError> {
    let placed = if new { temporary.persist_noclobber(target) } else { temporary.persist(target) };
    placed.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::Exists { path: target.to_path_buf() },
        _ => failure(target)(error.error),
    })
}

/// Makes the new name durable. Some file systems cannot, and the content is safe without.
pub(super) fn sync_folder(folder: &Path) {
    if let Err(error) = File::open(folder).and_then(|folder| folder.sync_all()) {
        tracing::debug!(%error, "the folder could not be synced");
    }
}

pub(super) fn failure(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
    |source| match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            WriteError::Denied { path: path.to_path_buf(), source }
        }
        _ => WriteError::Failed { path: path.to_path_buf(), source },
    }
}
