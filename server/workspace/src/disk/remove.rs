//! Deleting a file that says what it is expected to say.

use std::path::Path;

use super::write::Target;
use super::{Expected, WriteError};
use crate::resolve::ResolveError;

/// Deletes the regular file at a real path. A link is not followed and not deleted, for it is not the
/// file that was meant.
pub fn remove(path: &Path, expected: Expected) -> Result<(), WriteError> {
    let gone = || WriteError::Gone { path: path.to_path_buf() };
    let target = Target::find(path, false).map_err(|error| match error {
        WriteError::NoFolder { .. } | WriteError::Unresolvable(ResolveError::UnderFile { .. }) => {
            gone()
        }
        error => error,
    })?;
    target.old()?.ok_or_else(gone)?;
    // As late as can be, so that little time is left for somebody else to write.
    target.check_expected(Some(expected))?;
    target.folder.remove(target.name).map_err(|errno| target.failed(errno))?;
    target.folder.sync();
    Ok(())
}

#[cfg(test)]
mod tests;
