//! Buffer over disk: what an open document says, when its file may say something else.
//!
//! Three texts decide: the buffer, the file, and what the two last agreed on. Where the user
//! changed nothing the file is the truth, for the editor is about to load it; where the file did not
//! change the buffer is; where both changed, they are merged. One `stat` finds out that nothing has
//! happened. The rest runs only for open documents whose file moved, and never on the main loop.

mod form;

use std::path::Path;

use text::{Edit, Encoding, MergeConflict, Text};

use crate::disk::{self, ReadError, Stamp};
use crate::document::Document;
use crate::resolve::real_path;
use crate::stored::{self, Stored};

/// What buffer and disk last agreed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    pub text: Text,
    /// The state the file was in then. Without it, the file must be read to know whether it changed.
    pub stamp: Option<Stamp>,
    /// How the file stores it. Nothing while that is not known, or where the editor reads the bytes
    /// in a way of its own: then what they say to us is not what they say to the user.
    pub encoding: Option<Encoding>,
}

/// How the file of an open document stands to its buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskSide {
    /// The file says nothing that the buffer does not know of.
    Same,
    /// Nothing is unsaved and the file has changed: its text is the truth.
    Newer,
    /// Both have changed, in different places: the text has both changes.
    Merged,
    /// Both have changed the same places: the text is the buffer's.
    Conflict(MergeConflict),
    /// There is no file yet, or nothing is known of one.
    Missing,
    /// There was a file, and it is gone. The text is the buffer's.
    Gone,
    /// There was a file, and now there is something else: "a folder". The text is the buffer's.
    Replaced(&'static str),
    /// The file cannot be compared: it is no text, too large or not readable, or nothing is known
    /// of where the buffer came from. The text is the buffer's.
    Unknown,
}

/// What an open document says at the moment.
#[derive(Debug)]
pub(crate) struct Overlay {
    pub(crate) text: Text,
    /// Whether the buffer has something that the file has not.
    pub(crate) dirty: bool,
    pub(crate) disk: DiskSide,
    pub(crate) encoding: Option<Encoding>,
    /// From the buffer to `text`, where it is known already.
    pub(crate) step: Option<Edit>,
}

/// What the disk says about a document that was just opened or saved with this text. Not for the
/// main loop: it reads the file.
///
/// Where the file says the same, the base shares the text. Where it says something else, the file is
/// what the buffer once came from, as with unsaved text that an editor restored.
pub fn common_base(path: &Path, text: &Text) -> Base {
    let agreed = |stamp, encoding| Base { text: text.clone(), stamp, encoding };
    // The editor may have opened it through links.
    let Ok(path) = &real_path(path) else { return agreed(None, None) };
    match stored::read(path) {
        Ok(stored) => {
            let (stamp, encoding) = (stored.lasting_stamp(), stored.format.encoding);
            let disk = form::shown(stored.text, encoding, text, form::newline(text, None));
            if form::same_but_for_the_end(text, &disk) {
                agreed(stamp, Some(encoding))
            } else if is_guess(encoding) {
                agreed(stamp, None)
            } else {
                Base { text: Text::from(disk), stamp, encoding: Some(encoding) }
            }
        }
        Err(ReadError::NotFound { .. }) => {
            Base { text: Text::default(), stamp: None, encoding: None }
        }
        // The editor has read it in its own way; whether it changes can still be seen.
        Err(_) => agreed(disk::settled_stamp(path), None),
    }
}

/// Bytes of many encodings pass for Latin-1, and an editor may have been told the right one.
fn is_guess(encoding: Encoding) -> bool {
    encoding == Encoding::Latin1
}

/// What a document says, with one look at its file.
pub(crate) fn look(document: &Document) -> Overlay {
    // Of a text that may not be the user's, nothing can be said.
    if !document.in_sync {
        return Overlay::buffer(document, None, DiskSide::Unknown);
    }
    let base = document.common();
    let buffer = |disk| Overlay::buffer(document, base.as_ref(), disk);
    let Some(path) = document.real_path().or(document.path.as_deref()) else {
        return buffer(DiskSide::Missing);
    };
    match disk::stamp(path) {
        Ok(None) => {
            let was_there = |base: &Base| base.stamp.is_some() || base.encoding.is_some();
            let gone = base.as_ref().is_some_and(was_there);
            return buffer(if gone { DiskSide::Gone } else { DiskSide::Missing });
        }
        Ok(now) if base.as_ref().is_some_and(|base| base.stamp == now) => {
            return buffer(DiskSide::Same);
        }
        Ok(Some(_)) => {}
        Err(_) => return buffer(DiskSide::Unknown),
    }
    match stored::read(path) {
        Ok(stored) => compare(document, base, stored),
        Err(ReadError::NotFound { .. }) => buffer(DiskSide::Missing),
        Err(error) => {
            let was_text = base.as_ref().is_some_and(|base| base.encoding.is_some());
            buffer(replaced(&error, was_text).map_or(DiskSide::Unknown, DiskSide::Replaced))
        }
    }
}

/// What is there instead of a file with text. Bytes that are no text are news only where there was
/// text before: the editor may have ways of its own to read them.
fn replaced(error: &ReadError, was_text: bool) -> Option<&'static str> {
    match error {
        ReadError::IsDirectory { .. } => Some("a folder"),
        ReadError::NotRegular { kind: disk::Kind::Pipe, .. } => Some("a pipe"),
        ReadError::NotRegular { kind: disk::Kind::Socket, .. } => Some("a socket"),
        ReadError::NotRegular { .. } => Some("a device"),
        ReadError::Moved { .. } => Some("a symbolic link"),
        ReadError::Binary { .. } if was_text => Some("a binary file"),
        _ => None,
    }
}

/// The file may have changed since the base: what is the truth now?
fn compare(document: &Document, base: Option<Base>, stored: Stored) -> Overlay {
    let buffer = &document.text;
    let (stamp, encoding) = (stored.lasting_stamp(), stored.format.encoding);
    let newline = form::newline(buffer, base.as_ref().map(|base| &base.text));
    let disk = form::shown(stored.text, encoding, buffer, newline);
    let agree = |text: Text, encoding| {
        let base = Base { text, stamp, encoding };
        let overlay = Overlay::buffer(document, Some(&base), DiskSide::Same);
        document.agree(base);
        overlay
    };
    if *buffer == *disk {
        return agree(buffer.clone(), Some(encoding));
    }
    let Some(mut base) = base else { return Overlay::buffer(document, None, DiskSide::Unknown) };
    base.text = form::with_ends(&base.text, newline);
    // Opened or saved a moment ago, and not compared since: small differences are the editor's.
    let fresh = base.stamp.is_none();
    if is_guess(encoding) && base.encoding != Some(encoding) {
        // A file that was not there before was not read by the editor either.
        return match fresh && !base.text.is_empty() {
            true => agree(base.text, None),
            false => Overlay::buffer(document, Some(&base), DiskSide::Unknown),
        };
    }
    if base.text == *disk || fresh && form::same_but_for_the_end(&base.text, &disk) {
        return agree(base.text, Some(encoding));
    }
    // The editor has had the file's text since, and its user went on from there.
    if let Some(former) = document.former(&disk) {
        return agree(former.clone(), Some(encoding));
    }
    if base.text == *buffer {
        let overlay = Overlay::buffer(document, Some(&base), DiskSide::Newer);
        return Overlay { text: Text::from(disk), encoding: Some(encoding), ..overlay };
    }
    merge(document, &base, &disk)
}

fn merge(document: &Document, base: &Base, disk: &str) -> Overlay {
    let mut overlay = Overlay::buffer(document, Some(base), DiskSide::Merged);
    match text::merge(&base.text.to_string(), &document.text.to_string(), disk) {
        Ok(edit) if edit.is_empty() => overlay.disk = DiskSide::Same,
        Ok(edit) => match edit.apply(&document.text) {
            Ok(merged) => {
                overlay.text = merged;
                overlay.step = Some(edit);
            }
            Err(_) => overlay.disk = DiskSide::Unknown,
        },
        Err(conflict) => overlay.disk = DiskSide::Conflict(conflict),
    }
    overlay
}

impl Overlay {
    /// The buffer as it is.
    fn buffer(document: &Document, base: Option<&Base>, disk: DiskSide) -> Overlay {
        let dirty = base.map_or(document.dirty, |base| base.text != document.text);
        let encoding = base.and_then(|base| base.encoding);
        Overlay { text: document.text.clone(), dirty, disk, encoding, step: None }
    }
}

#[cfg(test)]
mod tests;
