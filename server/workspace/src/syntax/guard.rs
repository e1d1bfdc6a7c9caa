//! Texts that a grammar's scanner cannot bear, and how they are kept from it.
//!
//! A scanner is C code that a file of a stranger must not bring down. Those of Python and YAML save
//! how deep they are in 1024 bytes and write past them in a text that is nested deeper; that of
//! Bash reads past a table. No text that people work with is like that.

use std::borrow::Cow;
use std::collections::HashSet;

use text::Text;

use super::language::Language;

/// Python's scanner has room for 383 indentations when as many strings as it counts are open.
const INDENTATIONS: usize = 300;
/// YAML's scanner has room for 253 levels.
const LEVELS: usize = 100;
/// After an error, lines that look like the head of a block of text count as levels in YAML.
const TEXT_HEADS: usize = 100;

/// What the parser gets to read. For Bash every byte outside ASCII becomes a letter: byte ranges
/// stay the same, to the language both are plain word characters, and the grammar's scanner (0.25)
/// reads out of bounds on code points it does not expect.
pub(super) fn twin(language: Language, bytes: &[u8]) -> Cow<'_, [u8]> {
    if language != Language::Bash || bytes.is_ascii() {
        return Cow::Borrowed(bytes);
    }
    let plain = |byte: &u8| if byte.is_ascii() { *byte } else { b'x' };
    Cow::Owned(bytes.iter().map(plain).collect())
}

/// Whether the grammar's scanner stays within its bounds on this text.
pub(super) fn is_bearable(language: Language, text: &Text) -> bool {
    match language {
        Language::Python => indentations(bytes(text)) <= INDENTATIONS,
        Language::Yaml => Levels::default().fit(bytes(text)),
        _ => true,
    }
}

fn bytes(text: &Text) -> impl Iterator<Item = u8> {
    text.chunks().flat_map(str::bytes)
}

/// How many different indentations a Python text has, counted as the scanner does. It keeps them
/// in a stack in which every one is deeper than the one before, so there are never more.
fn indentations(text: impl Iterator<Item = u8>) -> usize {
    let mut found = HashSet::new();
    let mut indentation = Some(0_u16);
    let mut escaped = false;
    for byte in text {
        let was_escaped = std::mem::take(&mut escaped);
        indentation = match (byte, indentation) {
            // A line that goes on in the next keeps the indentation it began with.
            (b'\n' | b'\r', Some(columns)) if was_escaped => {
                escaped = byte == b'\r';
                Some(columns)
            }
            (b'\n' | b'\r' | b'\x0c', _) => Some(0),
            (b' ', Some(columns)) => Some(columns.wrapping_add(1)),
            (b'\t', Some(columns)) => Some(columns.wrapping_add(8)),
            (b'\\', Some(columns)) => {
                escaped = true;
                Some(columns)
            }
            (_, Some(columns)) => {
                found.insert(columns);
                None
            }
            (_, None) => None,
        };
    }
    found.len()
}

/// The levels that YAML's scanner may be in: one for every deeper indentation, and one for every
/// `-`, `?` or `:` that stands alone.
#[derive(Default)]
struct Levels {
    columns: Vec<usize>,
    text_heads: usize,
}

impl Levels {
    fn fit(mut self, text: impl Iterator<Item = u8>) -> bool {
        let mut column = 0;
        let mut before = b'\n';
        let mut line_began = false;
        let mut text = text.peekable();
        while let Some(byte) = text.next() {
            if matches!(byte, b'\n' | b'\r') {
                (column, line_began, before) = (0, false, byte);
                continue;
            }
            let after = text.peek().copied().unwrap_or(b'\n');
            if !line_began && !is_blank(byte) {
                line_began = true;
                self.begin_line(column, byte, after);
            } else if is_blank(before) && is_blank(after) && matches!(byte, b'-' | b'?' | b':') {
                self.columns.push(column);
            }
            if self.columns.len() > LEVELS || self.text_heads > TEXT_HEADS {
                return false;
            }
            before = byte;
            column += 1;
        }
        true
    }

    fn begin_line(&mut self, column: usize, first: u8, after: u8) {
        if first == b'#' {
            return;
        }
        while self.columns.last().is_some_and(|last| *last >= column) {
            self.columns.pop();
        }
        self.columns.push(column);
        let is_head = is_blank(after) || matches!(after, b'1'..=b'9' | b'+' | b'-');
        self.text_heads += usize::from(matches!(first, b'|' | b'>') && is_head);
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests;
