//! Places: from the server's addresses and columns to paths and columns that count characters.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use text::{OutsideText, PositionEncoding, Text};
use workspace::DocumentUri;

use super::not_understood;
use super::wire::{Location, OneOrMany, Position, Range};
use crate::{Files, Place};

/// Counts columns in the texts of files, each read once.
pub(super) struct Reader<'a> {
    pub(super) encoding: PositionEncoding,
    files: &'a dyn Files,
    texts: HashMap<PathBuf, Option<Text>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(encoding: PositionEncoding, files: &'a dyn Files) -> Reader<'a> {
        Reader { encoding, files, texts: HashMap::new() }
    }

    pub(super) fn text(&mut self, path: &Path) -> Option<&Text> {
        if !self.texts.contains_key(path) {
            self.texts.insert(path.to_owned(), self.files.text(path));
        }
        self.texts.get(path).and_then(Option::as_ref)
    }

    /// A file that cannot be read keeps the server's own columns: they are right wherever a line
    /// is plain ASCII, and the line is right everywhere.
    pub(super) fn place(&mut self, path: PathBuf, range: Range) -> Place {
        let encoding = self.encoding;
        let (start, end) = match self.text(&path) {
            Some(text) => (near(text, range.start, encoding), near(text, range.end, encoding)),
            None => (from_one(range.start), from_one(range.end)),
        };
        Place { path, start, end: end.max(start) }
    }
}

pub(super) fn places(value: Value, reader: &mut Reader<'_>) -> Result<Vec<Place>, String> {
    let locations: Option<OneOrMany<Location>> =
        serde_json::from_value(value).map_err(|error| not_understood("places", error))?;
    let locations = locations.map(OneOrMany::into_vec).unwrap_or_default();
    let mut places: Vec<Place> = Vec::with_capacity(locations.len());
    let mut elsewhere = None;
    for location in locations {
        let (uri, range) = match location {
            Location::Plain { uri, range } => (uri, range),
            Location::Link { target_uri, target_selection_range } => {
                (target_uri, target_selection_range)
            }
        };
        match DocumentUri::new(&uri).to_path() {
            Some(path) => places.push(reader.place(path, range)),
            None => elsewhere = Some(uri),
        }
    }
    // Servers may know things that are in no file, such as what is inside of an archive.
    match elsewhere {
        Some(uri) if places.is_empty() => Err(format!(
            "It is at {}, which is no file that can be read; look at its documentation instead.",
            uri.escape_debug()
        )),
        _ => Ok(places),
    }
}

/// The place as the model counts, moved into the text when it lies outside: the protocol lets a
/// column past the end of a line stand for its end, and showing a place changes nothing.
pub(super) fn near(text: &Text, position: Position, encoding: PositionEncoding) -> (u32, u32) {
    let mut position = text::Position::from(position);
    let offset = loop {
        match text.offset(position, encoding) {
            Ok(offset) => break offset,
            Err(OutsideText::Column { columns, .. }) => position.column = columns,
            Err(OutsideText::InsideCharacter { .. }) if position.column > 0 => position.column -= 1,
            Err(_) => break text.len_bytes(),
        }
    };
    from_one(text.position(offset, PositionEncoding::Utf32).into())
}

fn from_one(position: Position) -> (u32, u32) {
    (position.line.saturating_add(1), position.character.saturating_add(1))
}

/// The place, or why the text has no such place: for changes, where guessing would hit the wrong
/// text.
pub(super) fn exact(
    path: &Path,
    text: &Text,
    range: Range,
    encoding: PositionEncoding,
) -> Result<Place, OutsideText> {
    let range = text.range(range.start.into()..range.end.into(), encoding)?;
    let shown = |offset: usize| from_one(text.position(offset, PositionEncoding::Utf32).into());
    Ok(Place { path: path.to_owned(), start: shown(range.start), end: shown(range.end) })
}
