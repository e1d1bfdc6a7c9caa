//! The only place of this crate that touches the disk.

#![expect(
    clippy::disallowed_methods,
    reason = "settings and trust are read before there is a workspace or a policy to go through"
)]

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

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
    // Opening a FIFO would wait for a writer, so the kind is found out before.
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(ReadError::Io(error)),
    };
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(ReadError::Io)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ReadError::TooLarge);
    }
    String::from_utf8(bytes).map(Some).map_err(|_| ReadError::NotText)
}

/// Whether something is there, also something that cannot be read.
pub(crate) fn exists(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => !is_absent(&error),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The real path, or the path as given when it leads nowhere.
pub(crate) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Replaces a file so that a reader sees the old text or the new one, and nobody else sees either.
/// A link stays a link; what it points to is replaced.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let path = real(path);
    let folder = path.parent().ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
    let mut file = NamedTempFile::new_in(folder)?; // created with mode 0600
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    File::open(folder)?.sync_all()
}

/// Makes a folder, and those above it that are missing, for the user alone.
pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
