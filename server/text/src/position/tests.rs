//! Positions in three encodings against a walk over the characters.

use proptest::prelude::*;

use super::*;
use crate::nasty;
use PositionEncoding::{Utf8, Utf16, Utf32};

const ENCODINGS: [PositionEncoding; 3] = [Utf8, Utf16, Utf32];

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

fn width(text: &str, encoding: PositionEncoding) -> u32 {
    let count = match encoding {
        Utf8 => text.len(),
        Utf16 => text.encode_utf16().count(),
        Utf32 => text.chars().count(),
    };
    count as u32
}

#[test]
fn a_table_of_places() {
    let text = Text::from("a😀é\r\ne\u{301}\rz\n");
    let check = |encoding, position, expect| {
        assert_eq!(text.offset(position, encoding), expect, "{encoding:?} {position:?}");
    };
    check(Utf8, at(0, 5), Ok(5));
    check(Utf16, at(0, 3), Ok(5));
    check(Utf32, at(0, 2), Ok(5));
    check(Utf16, at(0, 4), Ok(7));
    check(Utf16, at(1, 2), Ok(12));
    check(Utf16, at(2, 1), Ok(14));
    check(Utf16, at(3, 0), Ok(15));
    check(Utf16, at(0, 2), Err(OutsideText::InsideCharacter { line: 0, column: 2 }));
    check(Utf8, at(0, 2), Err(OutsideText::InsideCharacter { line: 0, column: 2 }));
    check(Utf16, at(0, 5), Err(OutsideText::Column { line: 0, column: 5, columns: 4 }));
    check(Utf8, at(3, 1), Err(OutsideText::Column { line: 3, column: 1, columns: 0 }));
    check(Utf8, at(4, 0), Err(OutsideText::Line { line: 4, lines: 4 }));
    check(Utf8, at(u32::MAX, u32::MAX), Err(OutsideText::Line { line: u32::MAX, lines: 4 }));
}

#[test]
fn ranges() {
    let text = Text::from("one\ntwo");
    assert_eq!(text.range(at(0, 1)..at(1, 2), Utf16), Ok(1..6));
    let backwards = Err(OutsideText::Backwards { line: 0, column: 1 });
    assert_eq!(text.range(at(1, 2)..at(0, 1), Utf16), backwards);
    let outside = Err(OutsideText::Line { line: 2, lines: 2 });
    assert_eq!(text.range(at(1, 2)..at(2, 0), Utf16), outside);
}

#[test]
fn a_byte_no_editor_can_name_gets_the_place_before_it() {
    let text = Text::from("é\r\nz");
    assert_eq!(text.position(1, Utf8), at(0, 0));
    assert_eq!(text.position(3, Utf8), at(0, 2));
    assert_eq!(text.position(99, Utf8), at(1, 1));
}

#[test]
fn one_line_of_ten_megabytes() {
    let unit = "ab😀é";
    let repeats = 10 * 1024 * 1024 / unit.len();
    let text = Text::from(unit.repeat(repeats));
    for encoding in ENCODINGS {
        let middle = width(unit, encoding) * (repeats as u32 / 2) + 2;
        let offset = unit.len() * (repeats / 2) + 2;
        assert_eq!(text.offset(at(0, middle), encoding), Ok(offset));
        assert_eq!(text.position(offset, encoding), at(0, middle));
    }
}

proptest! {
    #[test]
    fn every_place_comes_back(text in nasty::long_text()) {
        let rope = Text::from(text.as_str());
        let starts = nasty::line_starts(&text);
        // All places of a short text, some hundred of a long one.
        let step = text.len() / 200 + 1;
        let places = text.char_indices().map(|(offset, _)| offset).step_by(step);
        for offset in places.chain([text.len()]) {
            let line = starts.partition_point(|start| *start <= offset) - 1;
            let tears = crate::newline::tears_crlf(&text, offset);
            for encoding in ENCODINGS {
                let position = rope.position(offset, encoding);
                let nameable = if tears { offset - 1 } else { offset };
                let column = width(&text[starts[line]..nameable], encoding);
                prop_assert_eq!(position, at(line as u32, column));
                prop_assert_eq!(rope.offset(position, encoding), Ok(nameable));
            }
        }
    }

    #[test]
    fn every_column_is_a_place_or_an_error(text in nasty::text()) {
        let rope = Text::from(text.as_str());
        let starts = nasty::line_starts(&text);
        for (line, start) in starts.iter().enumerate() {
            let end = starts.get(line + 1).copied().unwrap_or(text.len());
            let content = text[*start..end].trim_end_matches(['\n', '\r']);
            for encoding in ENCODINGS {
                let columns = width(content, encoding);
                for column in 0..columns + 3 {
                    let place = (0..=content.len()).find(|at| {
                        content.get(..*at).is_some_and(|head| width(head, encoding) == column)
                    });
                    let position = at(line as u32, column);
                    let expect = match place {
                        Some(place) => Ok(start + place),
                        None if column > columns => {
                            Err(OutsideText::Column { line: line as u32, column, columns })
                        }
                        None => Err(OutsideText::InsideCharacter { line: line as u32, column }),
                    };
                    prop_assert_eq!(rope.offset(position, encoding), expect);
                }
            }
        }
    }
}
