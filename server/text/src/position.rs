//! Positions as editors speak them, and the way to a byte and back.
//!
//! A position that is not in the text is an error here and never the nearest place: whoever
//! receives one has lost step with the sender, and guessing would write into the wrong line.

use std::ops::Range;

use crate::text::Text;

/// A line and a column, both counted from zero. What a column counts is the [`PositionEncoding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// What a column counts: bytes, UTF-16 units, or characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PositionEncoding {
    Utf8,
    Utf16,
    Utf32,
}

/// A position that the text does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutsideText {
    #[error("line {line} is past the end: the text has {lines} lines; ask for the current text")]
    Line { line: u32, lines: usize },
    #[error(
        "column {column} is past the end of line {line}, which has {columns} columns; \
         ask for the current text"
    )]
    Column { line: u32, column: u32, columns: u32 },
    #[error(
        "column {column} of line {line} is in the middle of a character; check the position encoding"
    )]
    InsideCharacter { line: u32, column: u32 },
    #[error("the range ends at line {line}, column {column}, before it starts; swap its ends")]
    Backwards { line: u32, column: u32 },
}

impl Text {
    /// The byte a position means. The end of a line is the place before its terminator.
    pub fn offset(
        &self,
        position: Position,
        encoding: PositionEncoding,
    ) -> Result<usize, OutsideText> {
        let Position { line, column } = position;
        let rope = self.rope();
        if line as usize >= rope.len_lines() {
            return Err(OutsideText::Line { line, lines: rope.len_lines() });
        }
        let columns = self.position(self.line_end(line as usize), encoding).column;
        if column > columns {
            return Err(OutsideText::Column { line, column, columns });
        }
        let inside_character = OutsideText::InsideCharacter { line, column };
        let start = rope.line_to_char(line as usize);
        match encoding {
            PositionEncoding::Utf8 => {
                let offset = rope.char_to_byte(start) + column as usize;
                self.char_at(offset).map(|_| offset).ok_or(inside_character)
            }
            PositionEncoding::Utf16 => {
                let unit = rope.char_to_utf16_cu(start) + column as usize;
                let index = rope.utf16_cu_to_char(unit);
                if rope.char_to_utf16_cu(index) != unit {
                    return Err(inside_character);
                }
                Ok(rope.char_to_byte(index))
            }
            PositionEncoding::Utf32 => Ok(rope.char_to_byte(start + column as usize)),
        }
    }

    /// The byte that an editor takes for a position of another version of the text: past the end of
    /// a line the end of the line, past the last line the end of the text.
    pub fn nearest_offset(&self, position: Position, encoding: PositionEncoding) -> usize {
        let Position { line, column } = position;
        let at = |column: u32| self.offset(Position { line, column }, encoding);
        let found = match at(column) {
            Err(OutsideText::Line { .. }) => return self.len_bytes(),
            Err(OutsideText::Column { columns, .. }) => at(columns),
            // No character takes more than four columns.
            Err(OutsideText::InsideCharacter { .. }) => {
                let before = (1..4).filter_map(|back| column.checked_sub(back));
                return before.flat_map(at).next().unwrap_or_else(|| self.len_bytes());
            }
            found => found,
        };
        found.unwrap_or_else(|_| self.len_bytes())
    }

    /// The position of a byte.
    ///
    /// Every place an editor can name comes back from [`Text::offset`] unchanged. A byte it cannot
    /// name gets the last position before it: inside a character its start, between `\r` and `\n`
    /// the end of the line, past the end the end of the text.
    pub fn position(&self, offset: usize, encoding: PositionEncoding) -> Position {
        let rope = self.rope();
        let line = self.byte_to_line(offset);
        let start = rope.line_to_char(line);
        let index = rope.byte_to_char(offset.min(self.line_end(line)));
        let column = match encoding {
            PositionEncoding::Utf8 => rope.char_to_byte(index) - rope.char_to_byte(start),
            PositionEncoding::Utf16 => rope.char_to_utf16_cu(index) - rope.char_to_utf16_cu(start),
            PositionEncoding::Utf32 => index - start,
        };
        Position { line: narrow(line), column: narrow(column) }
    }

    /// The bytes that a range of positions means.
    pub fn range(
        &self,
        range: Range<Position>,
        encoding: PositionEncoding,
    ) -> Result<Range<usize>, OutsideText> {
        if range.end < range.start {
            let Position { line, column } = range.end;
            return Err(OutsideText::Backwards { line, column });
        }
        Ok(self.offset(range.start, encoding)?..self.offset(range.end, encoding)?)
    }

    /// The end of a line's content, before its terminator.
    fn line_end(&self, line: usize) -> usize {
        let next = self.line_to_byte(line + 1);
        if line + 1 >= self.len_lines() {
            return next; // only the last line has no terminator
        }
        let byte = |offset: usize| self.rope().get_byte(offset);
        // A `\r` in front of the `\n` belongs to the same terminator, as no line ends in between.
        if byte(next - 1) == Some(b'\n') && next > 1 && byte(next - 2) == Some(b'\r') {
            next - 2
        } else {
            next - 1
        }
    }
}

/// A line or column beyond four thousand million is no position any editor can send.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
