//! The text of one document: a rope that speaks bytes and lines.
//!
//! Lines end at `\n`, `\r\n` or a lone `\r`, as the language server protocol says, and at nothing
//! else. A text that ends with a terminator has one more, empty, line after it. The rope library
//! counts in characters; nobody outside this crate has to know.

mod pieces;

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Range;

use ropey::Rope;

use crate::edit::{CannotApply, Edit};
use crate::fingerprint::{Fingerprint, Hasher};

/// A text. Cloning it takes a snapshot and copies nothing.
#[derive(Clone, Default)]
pub struct Text(Rope);

impl Text {
    pub fn len_bytes(&self) -> usize {
        self.0.len_bytes()
    }

    /// The number of lines; never zero, for an empty text is one empty line.
    pub fn len_lines(&self) -> usize {
        self.0.len_lines()
    }

    pub fn is_empty(&self) -> bool {
        self.0.len_bytes() == 0
    }

    /// The line, counted from zero, that holds this byte; past the end it is the last line.
    pub fn byte_to_line(&self, offset: usize) -> usize {
        self.0.byte_to_line(offset.min(self.len_bytes()))
    }

    /// The first byte of a line, counted from zero; past the last line it is the end of the text.
    pub fn line_to_byte(&self, line: usize) -> usize {
        self.0.line_to_byte(line.min(self.len_lines()))
    }

    /// A line with its terminator, or nothing past the last line.
    pub fn line(&self, line: usize) -> Option<Cow<'_, str>> {
        self.0.get_line(line).map(Cow::from)
    }

    /// The text of a range of bytes, or nothing when it lies outside or cuts a character.
    pub fn slice(&self, range: Range<usize>) -> Option<Cow<'_, str>> {
        let start = self.char_at(range.start)?;
        let end = self.char_at(range.end)?;
        self.0.get_slice(start..end).map(Cow::from)
    }

    /// The whole text in pieces, without copying it.
    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        self.0.chunks()
    }

    /// The whole text as a stream of bytes, for searchers that want a reader.
    pub fn reader(&self) -> impl io::Read + '_ {
        Reader { chunks: self.0.chunks(), rest: &[] }
    }

    /// What the text says, as one number. It reads the whole text, so ask for it only when needed.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hasher = Hasher::default();
        for chunk in self.chunks() {
            hasher.write(chunk.as_bytes());
        }
        hasher.finish()
    }

    /// Changes the text in place, or leaves it as it was when the edit belongs to another text.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), CannotApply> {
        edit.check_length(self.len_bytes())?;
        // All places are found before the first change, so that a bad edit changes nothing.
        let mut places = Vec::with_capacity(edit.splices().len());
        for splice in edit.splices() {
            places.push(self.place(splice.range.start)?..self.place(splice.range.end)?);
        }
        // From the back, so that the places in front stay true.
        for (place, splice) in places.into_iter().zip(edit.splices()).rev() {
            let start = place.start;
            if !place.is_empty() {
                self.0.remove(place);
            }
            if !splice.text.is_empty() {
                self.0.insert(start, &splice.text);
            }
        }
        Ok(())
    }

    /// The rope, for the neighbours in this crate that need its other metrics.
    pub(crate) fn rope(&self) -> &Rope {
        &self.0
    }

    /// The rope's index of the character that starts at this byte, if one does.
    pub(crate) fn char_at(&self, offset: usize) -> Option<usize> {
        let index = self.0.try_byte_to_char(offset).ok()?;
        (self.0.char_to_byte(index) == offset).then_some(index)
    }

    /// The start of the character that holds this byte; past the end it is the end.
    pub(crate) fn floor(&self, offset: usize) -> usize {
        self.0.char_to_byte(self.0.byte_to_char(offset.min(self.len_bytes())))
    }

    fn place(&self, offset: usize) -> Result<usize, CannotApply> {
        self.char_at(offset).ok_or(CannotApply::InsideCharacter { offset })
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(Rope::from_str(text))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(Rope::from(text))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        // Two snapshots of one version are equal without reading them.
        self.0.is_instance(&other.0) || self.0 == other.0
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0 == *other
    }
}

struct Reader<'a> {
    chunks: ropey::iter::Chunks<'a>,
    rest: &'a [u8],
}

impl io::Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.chunks.next() {
                Some(chunk) => self.rest = chunk.as_bytes(),
                None => return Ok(0),
            }
        }
        self.rest.read(buffer)
    }
}

#[cfg(test)]
mod tests;
