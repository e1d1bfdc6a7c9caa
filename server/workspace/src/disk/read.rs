//! Reading a regular file, and nothing else.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::{Kind, Stamp, open};
use crate::resolve::{ResolveError, real_path};

/// `NONBLOCK` keeps a pipe without a writer from holding us, `NOCTTY` a terminal from becoming ours.
pub(super) const READING: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

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
    #[error(
        "{} is open in the editor with a text that is too large to be read. It cannot be read or \
         changed before it is closed there",
        path.display()
    )]
    TooLargeInEditor { path: PathBuf },
    #[error("{} now leads somewhere else. Nothing was done; try again.", path.display())]
    Moved { path: PathBuf },
    #[error(transparent)]
    Unresolvable(#[from] ResolveError),
    #[error("{} cannot be read ({source}); check its permissions", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => "; check the path".to_owned(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

/// Opens the regular file at a real path. What it is comes from the open file, not from the path,
/// which may name something else by then.
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata), ReadError> {
    if !path.is_absolute() {
        return Err(ReadError::Relative { path: path.to_path_buf() });
    }
    regular(open::open(path, READING), path)
}

/// What came of opening a file, which must be a regular one.
pub(super) fn regular(
    opened: Result<OwnedFd, Errno>,
    path: &Path,
) -> Result<(File, Metadata), ReadError> {
    let owned = || path.to_path_buf();
    let file = File::from(opened.map_err(|errno| match errno {
        Errno::NOENT | Errno::NOTDIR => ReadError::NotFound { path: owned(), nearest: Vec::new() },
        Errno::LOOP => ReadError::Moved { path: owned() },
        // What a socket answers.
        Errno::NXIO => ReadError::NotRegular { path: owned(), kind: Kind::Socket },
        errno => ReadError::Unreadable { path: owned(), source: errno.into() },
    })?);
    let metadata =
        file.metadata().map_err(|source| ReadError::Unreadable { path: owned(), source })?;
    match Kind::of(metadata.file_type()) {
        Kind::File => Ok((file, metadata)),
        Kind::Folder => Err(ReadError::IsDirectory { path: owned() }),
        kind => Err(ReadError::NotRegular { path: owned(), kind }),
    }
}

/// The bytes of the regular file at a real path, at most `cap` of them, and its stamp from before the
/// reading: when somebody writes meanwhile, the stamp is already an old one.
pub(crate) fn read_real(path: &Path, cap: u64) -> Result<(Vec<u8>, Stamp), ReadError> {
    let (file, metadata) = open_regular(path)?;
    contents(file, &metadata, cap, path)
}

/// The same for a file whose beginning is of interest, and nothing for any other: `wanted` is shown
/// the first `head` bytes, and says what the file is and how many bytes it may have.
pub fn read_if<T>(
    path: &Path,
    head: usize,
    wanted: impl FnOnce(&[u8]) -> Option<(T, u64)>,
) -> Result<Option<(T, Vec<u8>, Stamp)>, ReadError> {
    let (mut file, metadata) = open_regular(path)?;
    let unreadable = |source| ReadError::Unreadable { path: path.to_path_buf(), source };
    let mut beginning = Vec::with_capacity(head);
    (&mut file).take(head as u64).read_to_end(&mut beginning).map_err(unreadable)?;
    let Some((what, cap)) = wanted(&beginning) else { return Ok(None) };
    file.rewind().map_err(unreadable)?;
    contents(file, &metadata, cap, path).map(|(bytes, stamp)| Some((what, bytes, stamp)))
}

/// The bytes of a file by a name that may lead there through links. For our own
/// needs only: nothing that the agent asks for is read by a name that nobody has looked up before.
pub fn read_bytes(path: &Path, cap: u64) -> Result<(Vec<u8>, Stamp), ReadError> {
    let real = real_path(path).map_err(|error| match error {
        ResolveError::Relative { path } => ReadError::Relative { path },
        ResolveError::UnderFile { path, .. } => ReadError::NotFound { path, nearest: Vec::new() },
        error => ReadError::Unresolvable(error),
    })?;
    read_real(&real, cap)
}

/// The first bytes of the regular file at a real path, and whether there are more.
pub fn read_beginning(path: &Path, most: u64) -> Result<(Vec<u8>, bool), ReadError> {
    let (file, _) = open_regular(path)?;
    let unreadable = |source| ReadError::Unreadable { path: path.to_path_buf(), source };
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    let more = bytes.len() as u64 > most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok((bytes, more))
}

/// What an open file says.
pub(super) fn contents(
    file: File,
    metadata: &Metadata,
    cap: u64,
    path: &Path,
) -> Result<(Vec<u8>, Stamp), ReadError> {
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
        _ => Ok((bytes, Stamp::of(metadata))),
    }
}
