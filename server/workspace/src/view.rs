//! One truth of text: the open buffer over the disk, and the disk where nothing is open.
//!
//! Every tool that reads, reads here, so that all of them see what the user sees.

use std::path::Path;
use std::sync::OnceLock;

use text::{Edit, Encoding, Fingerprint, Format, Newline, Text};

use crate::disk::{self, Entry, Kind, Listing, ReadError, Stamp};
use crate::document::Document;
use crate::nearest::nearest;
use crate::overlay::{self, DiskSide, Overlay};
use crate::resolve::real_path;
use crate::snapshot::Snapshot;
use crate::stored::{self, Stored};
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
    /// How the file stores it. For a buffer it is UTF-8, as long as its file is not known.
    pub format: Format,
    pub origin: Origin,
    fingerprint: OnceLock<Fingerprint>,
    /// What the editor has, where that is not the text.
    buffer: Option<Text>,
    /// From there to the text; found when first asked for.
    step: OnceLock<Edit>,
}

/// Where a text was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Buffer {
        uri: DocumentUri,
        version: i32,
        /// The buffer has something that the file has not, as far as anybody knows.
        dirty: bool,
        /// When not, the text may differ from what the user sees, and must not be written to.
        in_sync: bool,
        disk: DiskSide,
    },
    Disk {
        stamp: Stamp,
    },
}

impl FileText {
    fn new(text: Text, format: Format, origin: Origin) -> FileText {
        let fingerprint = OnceLock::new();
        FileText { text, format, origin, fingerprint, buffer: None, step: OnceLock::new() }
    }

    /// What the editor has. It differs from the text when the disk is ahead of it, and is the text
    /// of a file that is not open.
    pub fn buffer(&self) -> &Text {
        self.buffer.as_ref().unwrap_or(&self.text)
    }

    /// A change of the text as a change of what the editor has: it brings what the editor has not
    /// seen yet, and then the change. An edit for another text comes back as it is and will not
    /// apply.
    pub fn for_buffer(&self, edit: &Edit) -> Edit {
        let Some(buffer) = &self.buffer else { return edit.clone() };
        let find = || text::diff(&buffer.to_string(), &self.text.to_string());
        let step = self.step.get_or_init(find);
        Edit::compose(step, edit).unwrap_or_else(|_| edit.clone())
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

    /// The text of a file as the user sees it, by a name that may lead there through links. For our
    /// own needs only; what the agent asks for is read by its real path, which was decided about.
    pub fn follow(&self, path: &Path) -> Result<FileText, ReadError> {
        self.read(&real_path(path)?)
    }

    /// The text of the file at a real path as the user sees it. Links are not followed.
    pub fn read(&self, path: &Path) -> Result<FileText, ReadError> {
        if !path.is_absolute() {
            return Err(ReadError::Relative { path: path.to_path_buf() });
        }
        match self.snapshot.at(path) {
            Some(document) if document.unread => {
                Err(ReadError::TooLargeInEditor { path: path.to_path_buf() })
            }
            Some(document) => Ok(from_buffer(document)),
            None => from_disk(path).map_err(|error| self.with_suggestions(error)),
        }
    }

    /// Whether there is something at a path, be it only an open document that was never saved.
    pub fn exists(&self, path: &Path) -> Result<bool, ReadError> {
        Ok(self.kind(path)?.is_some())
    }

    /// What is at a real path.
    pub fn kind(&self, path: &Path) -> Result<Option<Kind>, ReadError> {
        if self.snapshot.at(path).is_some() {
            return Ok(Some(Kind::File));
        }
        disk::kind_of_real(path).map_err(unreadable(path))
    }

    /// The entries of the folder at a real path, with the open documents that are not on the disk yet.
    pub fn list_dir(&self, path: &Path) -> Result<Listing, ReadError> {
        let mut listing = match disk::kind_of_real(path).map_err(unreadable(path))? {
            None => return Err(self.not_found(path)),
            Some(Kind::Folder) => disk::list_real(path, LIST_CAP).map_err(unreadable(path))?,
            Some(Kind::Link) => return Err(ReadError::Moved { path: path.to_path_buf() }),
            Some(kind) => return Err(ReadError::NotRegular { path: path.to_path_buf(), kind }),
        };
        let open = self.snapshot.iter().filter_map(Document::real_path);
        for real in open.filter(|real| real.parent() == Some(path)) {
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
    let Overlay { text, dirty, disk, encoding, step } = overlay::look(document);
    let newline = Newline::of_chunks(text.chunks());
    let format = Format { encoding: encoding.unwrap_or(Encoding::Utf8), newline };
    let ahead = matches!(disk, DiskSide::Newer | DiskSide::Merged);
    let origin = Origin::Buffer {
        uri: document.uri.clone(),
        version: document.version,
        dirty,
        in_sync: document.in_sync,
        disk,
    };
    let mut file = FileText::new(text, format, origin);
    file.buffer = ahead.then(|| document.text.clone());
    file.step = step.map(OnceLock::from).unwrap_or_default();
    file
}

fn from_disk(path: &Path) -> Result<FileText, ReadError> {
    let Stored { text, format, stamp, .. } = stored::read(path)?;
    Ok(FileText::new(Text::from(text), format, Origin::Disk { stamp }))
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> ReadError + '_ {
    |source| ReadError::Unreadable { path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests;
