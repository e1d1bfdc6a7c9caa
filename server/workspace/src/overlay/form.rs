//! The text of a file in the form an editor shows it.
//!
//! Editors hide how a file stores its text: the byte order mark, and often the line ends, which they
//! bring to one kind. None of that is a difference between buffer and file.

use std::borrow::Cow;

use text::{Encoding, Newline, Text};

/// How the lines of a buffer end; those of the text it came from, when it has only one line.
pub(super) fn newline(buffer: &Text, base: Option<&Text>) -> Newline {
    match Newline::of_chunks(buffer.chunks()) {
        Newline::None => base.map_or(Newline::None, |base| Newline::of_chunks(base.chunks())),
        newline => newline,
    }
}

/// What is on the disk, as the editor of this buffer would show it.
pub(super) fn shown(disk: String, encoding: Encoding, buffer: &Text, newline: Newline) -> String {
    let mut shown = match newline.convert(&disk) {
        Cow::Borrowed(_) => disk,
        Cow::Owned(converted) => converted,
    };
    // Most editors hide the mark, but not all.
    let is_marked = !matches!(encoding, Encoding::Utf8 | Encoding::Latin1);
    if is_marked && starts_with_mark(buffer) {
        shown.insert(0, MARK);
    }
    shown
}

/// The same text with other line ends; shared when they are these already.
pub(super) fn with_ends(text: &Text, newline: Newline) -> Text {
    match newline.as_str() {
        Some(_) if Newline::of_chunks(text.chunks()) != newline => {
            Text::from(newline.convert(&text.to_string()).into_owned())
        }
        _ => text.clone(),
    }
}

/// Whether two texts are equal but for the end of the last line, which some editors add when they
/// save and do not show.
pub(super) fn same_but_for_the_end(text: &Text, disk: &str) -> bool {
    const ENDS: [&str; 3] = ["\r\n", "\n", "\r"];
    let (len, disk_len) = (text.len_bytes(), disk.len());
    if len <= disk_len {
        let shorter = |end: &&str| disk.strip_suffix(*end).is_some_and(|start| *text == *start);
        return *text == *disk || ENDS.iter().any(shorter);
    }
    let last = text.slice(disk_len..len);
    last.is_some_and(|last| ENDS.contains(&&*last)) && starts_with(text, disk)
}

fn starts_with(text: &Text, start: &str) -> bool {
    let mut rest = start.as_bytes();
    for chunk in text.chunks() {
        let (this, next) = rest.split_at(chunk.len().min(rest.len()));
        if !chunk.as_bytes().starts_with(this) {
            return false;
        }
        rest = next;
    }
    rest.is_empty()
}

const MARK: char = '\u{feff}';

fn starts_with_mark(text: &Text) -> bool {
    text.chunks().next().is_some_and(|chunk| chunk.starts_with(MARK))
}
