//! The text of a file as the disk has it, whatever is open.

use std::path::Path;

use text::{Encoding, Format, NotText};

use crate::READ_CAP;
use crate::disk::{self, ReadError, Stamp};
use crate::magic;

/// What was read.
pub(crate) struct Stored {
    pub(crate) text: String,
    pub(crate) format: Format,
    /// From before the reading.
    pub(crate) stamp: Stamp,
    settled: bool,
}

impl Stored {
    /// The stamp, if it is sure to differ once the file says something else.
    pub(crate) fn lasting_stamp(&self) -> Option<Stamp> {
        self.settled.then_some(self.stamp)
    }
}

/// Reads the file at a real path as text.
pub(crate) fn read(path: &Path) -> Result<Stored, ReadError> {
    let before = disk::clock();
    let (bytes, stamp) = disk::read_real(path, READ_CAP)?;
    let binary = |kind| ReadError::Binary { path: path.to_path_buf(), kind };
    let decoded = text::decode(&bytes).map_err(|error| match error {
        NotText::Binary { .. } => binary(magic::known(&bytes).unwrap_or("binary data")),
        NotText::Broken { .. } => binary("text with broken characters"),
    })?;
    // Bytes of all kinds can pass for Latin-1; those of a known format are not meant as text.
    if decoded.format.encoding == Encoding::Latin1
        && let Some(kind) = magic::known(&bytes)
    {
        return Err(binary(kind));
    }
    let settled = stamp.is_settled(before);
    Ok(Stored { text: decoded.text, format: decoded.format, stamp, settled })
}
