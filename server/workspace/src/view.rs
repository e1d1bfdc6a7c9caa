//! One truth of text: the open buffer first, the disk where nothing is open.
//!
//! Every tool that reads, reads here, so that all of them see what the user sees.

use std::path::Path;
use std::sync::OnceLock;

use text::{Encoding, Fingerprint, Format, Newline, NotText, Text};

use crate::READ_CAP;
use crate::disk::{self, Entry, Kind, Listing, ReadError, Stamp};
use crate::magic;
use crate::nearest::nearest;
use crate::resolve::real_path;
use crate::snapshot::{Document, Snapshot};
use crate::uri::DocumentUri;

/// So many entries of a folder are listed, or looked through for a name that may be meant.
const LIST_CAP: usize = 10_000;

/// The files as one moment saw them, unsaved text included.
#[derive(Debug, Clone, Default)]
pub struct View {
    snapshot: Snapshot,
}

/// The text of a file.
#[derive(Debug, Clone)]
pub struct FileText {
    pub text: Text,
    /// How the file stores it. The encoding of a buffer is the editor's business, and is UTF-8 here.
    pub format: Format,
    pub origin: Origin,
    fingerprint: OnceLock<Fingerprint>,
}

/// Where a text was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Buffer {
        uri: DocumentUri,
        version: i32,
        dirty: bool,
        /// When not, the text may differ from what the user sees, and must not be written to.
        in_sync: bool,
    },
    Disk {
        stamp: Stamp,
    },
}

impl FileText {
    fn new(text: Text, format: Format, origin: Origin) -> FileText {
        FileText { text, format, origin, fingerprint: OnceLock::new() }
    }

    /// What the text says, as one number. Computed when first asked for.
    pub fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| self.text.fingerprint())
    }
}

impl View {
    pub fn new(snapshot: Snapshot) -> View {
        View { snapshot }
    }

    /// What the editor has open in this view.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The text of a file as the user sees it.
    pub fn read(&self, path: &Path) -> Result<FileText, ReadError> {
        if !path.is_absolute() {
            return Err(ReadError::Relative { path: path.to_path_buf() });
        }
        match self.snapshot.get(path) {
            Some(document) => Ok(from_buffer(document)),
            None => from_disk(path).map_err(|error| self.with_suggestions(error)),
        }
    }

    /// Whether there is something at a path, be it only an open document that was never saved.
    pub fn exists(&self, path: &Path) -> Result<bool, ReadError> {
        Ok(self.kind(path)?.is_some())
    }

    /// What is at a path.
    pub fn kind(&self, path: &Path) -> Result<Option<Kind>, ReadError> {
        if self.snapshot.get(path).is_some() {
            return Ok(Some(Kind::File));
        }
        disk::kind(path).map_err(unreadable(path))
    }

    /// The entries of a folder, with the open documents that are not on the disk yet.
    pub fn list_dir(&self, path: &Path) -> Result<Listing, ReadError> {
        let mut listing = match disk::kind(path).map_err(unreadable(path))? {
            None => return Err(self.not_found(path)),
            Some(Kind::Folder) => disk::list(path, LIST_CAP).map_err(unreadable(path))?,
            Some(kind) => return Err(ReadError::NotRegular { path: path.to_path_buf(), kind }),
        };
        let folder = real_path(path).ok();
        let open = self.snapshot.iter().filter_map(Document::real_path);
        for real in open.filter(|real| real.parent() == folder.as_deref()) {
            let Some(name) = real.file_name() else { continue };
            if !listing.entries.iter().any(|entry| entry.name == name) {
                listing.entries.push(Entry { name: name.to_owned(), kind: Kind::File });
            }
        }
        listing.entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    fn with_suggestions(&self, error: ReadError) -> ReadError {
        match error {
            ReadError::NotFound { path, .. } => self.not_found(&path),
            error => error,
        }
    }

    fn not_found(&self, path: &Path) -> ReadError {
        let names = || {
            let listing = self.list_dir(path.parent()?).ok()?;
            let wanted = path.file_name()?.to_string_lossy().into_owned();
            let names = listing.entries.into_iter();
            Some(nearest(&wanted, names.map(|entry| entry.name.to_string_lossy().into_owned())))
        };
        ReadError::NotFound { path: path.to_path_buf(), nearest: names().unwrap_or_default() }
    }
}

fn from_buffer(document: &Document) -> FileText {
    let newline = Newline::of(&document.text.to_string());
    let origin = Origin::Buffer {
        uri: document.uri.clone(),
        version: document.version,
        dirty: document.dirty,
        in_sync: document.in_sync,
    };
    FileText::new(document.text.clone(), Format { encoding: Encoding::Utf8, newline }, origin)
}

fn from_disk(path: &Path) -> Result<FileText, ReadError> {
    let (bytes, stamp) = disk::read_bytes(path, READ_CAP)?;
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
    Ok(FileText::new(Text::from(decoded.text), decoded.format, Origin::Disk { stamp }))
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> ReadError + '_ {
    |source| ReadError::Unreadable { path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests;
