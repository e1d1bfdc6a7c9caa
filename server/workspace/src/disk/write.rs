//! Writing a file whole or not at all.
//!
//! The folder is opened once, by its real path, and everything happens in it: the new bytes go to a
//! temporary file, reach the disk, and take the name in one step. Where the file system can, that file
//! has no name until then, so that a process that is killed leaves none. A link is never followed, for who
//! has looked up where it leads names that place. A hard link is cut, so that a file outside never
//! changes through a second name inside.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::io::Errno;
use text::{CannotEncode, Fingerprint, Format};

use super::folder::{Folder, Found, Temporary, split};
use super::keep::keep;
use super::read::{contents, regular};
use super::{Kind, ReadError, Stamp};
use crate::READ_CAP;
use crate::resolve::ResolveError;

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
    #[error("{} now leads somewhere else. Nothing was done; try again.", path.display())]
    Moved { path: PathBuf },
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

/// Replaces the file at a real path, or makes it. Its mode, its attributes and, where we may, its
/// owner stay as they were.
pub fn write_atomic(
    path: &Path,
    bytes: &[u8],
    options: &WriteOptions,
) -> Result<Stamp, WriteError> {
    let target = Target::find(path, options.create_parents)?;
    let old = target.old()?;
    let mode = if old.is_some() { PRIVATE } else { USUAL };
    let write = |mut temporary: Temporary<'_>| -> Result<Option<Stamp>, WriteError> {
        fill(&mut temporary, bytes, old.as_ref()).map_err(failure(path))?;
        // As late as can be, so that little time is left for somebody else to write.
        target.check_expected(options.expected)?;
        let placed = if options.expected == Some(Expected::Absent) {
            temporary.place(target.name)
        } else {
            temporary.replace(target.name)
        };
        match placed {
            Err(errno) if errno != Errno::EXIST && temporary.is_unnamed() => {
                tracing::debug!(%errno, "a file without a name could not be given one");
                return Ok(None);
            }
            placed => placed.map_err(|errno| target.failed(errno))?,
        }
        target.folder.sync();
        let metadata = temporary.file.metadata().map_err(failure(path))?;
        Ok(Some(Stamp::of(&metadata)))
    };
    if let Some(unnamed) = target.folder.unnamed(mode)
        && let Some(stamp) = write(unnamed)?
    {
        return Ok(stamp);
    }
    let named = target.folder.temporary(mode).map_err(|errno| target.failed(errno))?;
    // One with a name was put in its place, or there was an error.
    write(named)?.ok_or_else(|| target.failed(Errno::NOENT))
}

/// Until it has the mode of an old file, a new one is private. Without an old one it gets what the
/// process gives to new files.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);
const USUAL: Mode = PRIVATE.union(Mode::from_bits_truncate(0o066));

fn fill(temporary: &mut Temporary<'_>, bytes: &[u8], old: Option<&File>) -> io::Result<()> {
    temporary.file.write_all(bytes)?;
    if let Some(old) = old {
        keep(old, &temporary.file)?;
    }
    temporary.file.sync_all()
}

/// A file by the folder it is in, which stays open, and its name there.
pub(super) struct Target<'p> {
    path: &'p Path,
    pub(super) folder: Folder,
    pub(super) name: &'p OsStr,
}

impl<'p> Target<'p> {
    pub(super) fn find(path: &'p Path, create_parents: bool) -> Result<Target<'p>, WriteError> {
        let owned = || path.to_path_buf();
        if !path.is_absolute() {
            return Err(ResolveError::Relative { path: owned() }.into());
        }
        let (parent, name) =
            split(path).ok_or_else(|| WriteError::IsDirectory { path: owned() })?;
        let folder = if create_parents { Folder::make(parent) } else { Folder::open(parent) };
        let folder = folder.map_err(|errno| match errno {
            Errno::LOOP => WriteError::Moved { path: owned() },
            Errno::NOENT => WriteError::NoFolder { path: parent.to_path_buf() },
            Errno::NOTDIR => {
                ResolveError::UnderFile { file: parent.to_path_buf(), path: owned() }.into()
            }
            errno => failure(parent)(errno.into()),
        })?;
        Ok(Target { path, folder, name })
    }

    /// The file that is there, open; nothing when there is none. What is no file is not touched.
    pub(super) fn old(&self) -> Result<Option<File>, WriteError> {
        let path = || self.path.to_path_buf();
        match self.folder.look(self.name).map_err(failure(self.path))?.kind() {
            None => return Ok(None),
            Some(Kind::File) => {}
            Some(Kind::Folder) => return Err(WriteError::IsDirectory { path: path() }),
            Some(Kind::Link) => return Err(WriteError::Moved { path: path() }),
            Some(kind) => return Err(WriteError::NotRegular { path: path(), kind }),
        }
        let writable = self.folder.check_writable(self.name);
        writable.map_err(|errno| self.failed(errno))?;
        match regular(self.folder.open_file(self.name), self.path) {
            Ok((file, _)) => Ok(Some(file)),
            Err(ReadError::NotFound { .. }) => Ok(None),
            Err(ReadError::Unreadable { source, .. }) => {
                Err(WriteError::Denied { path: path(), source })
            }
            Err(_) => Err(WriteError::Moved { path: path() }),
        }
    }

    pub(super) fn check_expected(&self, expected: Option<Expected>) -> Result<(), WriteError> {
        let path = || self.path.to_path_buf();
        let as_expected = match expected {
            None => true,
            Some(Expected::Absent) => match self.found()? {
                Found::Nothing => true,
                Found::Link | Found::There(_) => return Err(WriteError::Exists { path: path() }),
            },
            Some(Expected::Stamp(stamp)) => {
                matches!(self.found()?, Found::There(metadata) if Stamp::of(&metadata) == stamp)
            }
            Some(Expected::Text(fingerprint)) => match self.says() {
                Ok(bytes) => text::decode(&bytes)
                    .is_ok_and(|decoded| Fingerprint::of(&decoded.text) == fingerprint),
                Err(ReadError::Unreadable { source, .. }) => {
                    return Err(WriteError::Denied { path: path(), source });
                }
                Err(ReadError::Moved { .. }) => return Err(WriteError::Moved { path: path() }),
                Err(_) => false,
            },
        };
        if as_expected { Ok(()) } else { Err(WriteError::Changed { path: path() }) }
    }

    fn found(&self) -> Result<Found, WriteError> {
        self.folder.look(self.name).map_err(failure(self.path))
    }

    fn says(&self) -> Result<Vec<u8>, ReadError> {
        let (file, metadata) = regular(self.folder.open_file(self.name), self.path)?;
        contents(file, &metadata, READ_CAP, self.path).map(|(bytes, _)| bytes)
    }

    pub(super) fn failed(&self, errno: Errno) -> WriteError {
        match errno {
            Errno::EXIST => WriteError::Exists { path: self.path.to_path_buf() },
            errno => failure(self.path)(errno.into()),
        }
    }
}

fn failure(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
    |source| match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            WriteError::Denied { path: path.to_path_buf(), source }
        }
        _ => WriteError::Failed { path: path.to_path_buf(), source },
    }
}
