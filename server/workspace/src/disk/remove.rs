//! Deleting a file that says what it is expected to say.

use std::fs;
use std::path::Path;

use super::write::{check_expected, check_writable, failure, sync_folder};
use super::{Expected, WriteError, existing};
use crate::resolve::real_path;

/// Deletes a regular file. A link is not followed and not deleted, for it is not the file that was
/// meant; folders on the way may be links.
pub fn remove(path: &Path, expected: Expected) -> Result<(), WriteError> {
    let gone = || WriteError::Gone { path: path.to_path_buf() };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(WriteError::IsDirectory { path: path.to_path_buf() });
    };
    let folder = real_path(folder)?;
    let target = folder.join(name);
    let metadata = existing(fs::symlink_metadata(&target)).map_err(failure(&target))?;
    check_writable(&target, &metadata.ok_or_else(gone)?)?;
    // As late as can be, so that little time is left for somebody else to write.
    check_expected(&target, Some(expected))?;
    fs::remove_file(&target).map_err(failure(&target))?;
    sync_folder(&folder);
    Ok(())
}

#[cfg(test)]
mod tests;
