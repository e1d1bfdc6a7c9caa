//! Tests over the whole way of a file: read, edit, write. No byte outside of the edit changes,
//! however the file is stored.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::{
    Expected, READ_CAP, ReadError, View, WriteError, WriteOptions, read_bytes, write_atomic,
    write_text,
};
use text::{Edit, Encoding, Position, PositionEncoding, Splice, Text};

const ENCODINGS: [Encoding; 5] =
    [Encoding::Utf8, Encoding::Utf8Bom, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Latin1];
const POSITIONS: [PositionEncoding; 3] =
    [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32];

struct File {
    _keep: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    fn new(bytes: &[u8]) -> File {
        let keep = tempfile::tempdir().unwrap();
        let path = keep.path().join("file");
        write_atomic(&path, bytes, &WriteOptions::default()).unwrap();
        File { _keep: keep, path }
    }

    fn bytes(&self) -> Vec<u8> {
        bytes_of(&self.path)
    }

    /// What a tool does to a file that is not open.
    fn edit(&self, edit: &Edit) -> Result<(), WriteError> {
        let file = View::default().read(&self.path).unwrap();
        let new = edit.apply(&file.text).unwrap();
        let expected = Some(Expected::Text(file.fingerprint()));
        let options = WriteOptions { expected, ..WriteOptions::default() };
        let stamp = write_text(&self.path, &new.to_string(), &file.format, &options)?;
        assert_eq!(crate::stamp(&self.path).unwrap(), Some(stamp));
        assert_eq!(View::default().read(&self.path).unwrap().text, new);
        Ok(())
    }
}

fn bytes_of(path: &Path) -> Vec<u8> {
    read_bytes(path, READ_CAP + 1).unwrap().0
}

/// The bytes of a text without a mark, found without the code that is tested.
fn plain(text: &str, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => text.as_bytes().to_vec(),
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Encoding::Latin1 => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
    }
}

fn mark(encoding: Encoding) -> &'static [u8] {
    match encoding {
        Encoding::Utf8 | Encoding::Latin1 => b"",
        Encoding::Utf8Bom => b"\xef\xbb\xbf",
        Encoding::Utf16Le => b"\xff\xfe",
        Encoding::Utf16Be => b"\xfe\xff",
    }
}

fn stored(text: &str, encoding: Encoding) -> Vec<u8> {
    [mark(encoding), &plain(text, encoding)].concat()
}

/// Replaces a range of the text in the file, and compares every byte.
fn check(text: &str, encoding: Encoding, range: Range<usize>, new: &str) {
    let file = File::new(&stored(text, encoding));
    let edit = Edit::new(text.len(), vec![Splice::new(range.clone(), new)]).unwrap();
    file.edit(&edit).unwrap();
    let expect = [
        mark(encoding),
        &plain(&text[..range.start], encoding),
        &plain(new, encoding),
        &plain(&text[range.end..], encoding),
    ];
    assert!(file.bytes() == expect.concat(), "{encoding:?}: {range:?} of {text:?} to {new:?}");
}

/// Lines with what the encoding can hold, each ended in its own way; the last may have no end.
fn sample(encoding: Encoding, ends: [&str; 3]) -> String {
    let lines = match encoding {
        Encoding::Latin1 => ["für café", "\u{a0}x\u{ff}y", "Ende ß"],
        _ => ["a😀b e\u{301}", "漢字 👩\u{200d}👧 x\u{feff}y", "z\u{308}\u{323} \u{10ffff}"],
    };
    lines.iter().zip(ends).flat_map(|(line, end)| [*line, end]).collect()
}

const ENDS: [[&str; 3]; 7] = [
    ["\n", "\n", "\n"],
    ["\r\n", "\r\n", "\r\n"],
    ["\r", "\r", "\r"],
    ["\n", "\r\n", "\r"],
    ["\r\n", "\n", ""],
    ["\n", "\n", ""],
    ["\r", "\r\n", "\n"],
];

#[test]
fn every_way_to_store_a_text() {
    for encoding in ENCODINGS {
        let new = match encoding {
            Encoding::Latin1 => "neu ÿ",
            _ => "new 🦀 o\u{302}",
        };
        for ends in ENDS {
            let text = sample(encoding, ends);
            let second = ends[0].len() + text.find(ends[0]).unwrap();
            let x = second + text[second..].find('x').unwrap();
            let end = text.len();
            check(&text, encoding, 0..0, new);
            check(&text, encoding, 0..second, "");
            check(&text, encoding, x..x, new);
            check(&text, encoding, x..x + 1, &format!("{new}{}", ends[0]));
            check(&text, encoding, second - 1..x, ends[0]);
            check(&text, encoding, end..end, new);
            check(&text, encoding, x..end, "");
            check(&text, encoding, 0..0, "");
        }
    }
}

#[test]
fn every_place_has_a_name_and_is_found_by_it() {
    for encoding in ENCODINGS {
        for ends in ENDS {
            let file = File::new(&stored(&sample(encoding, ends), encoding));
            let text = View::default().read(&file.path).unwrap().text;
            let whole = text.to_string();
            let named = (0..=whole.len()).filter(|at| whole.is_char_boundary(*at));
            for at in named.filter(|at| !is_torn(&whole, *at)) {
                check_place(&text, at);
            }
        }
    }
}

/// No editor can name the place between the two halves of a line end.
fn is_torn(text: &str, at: usize) -> bool {
    text[..at].ends_with('\r') && text[at..].starts_with('\n')
}

fn check_place(text: &Text, at: usize) {
    for encoding in POSITIONS {
        let position: Position = text.position(at, encoding);
        assert_eq!(text.offset(position, encoding), Ok(at), "{encoding:?} {position:?}");
    }
}

#[test]
fn one_byte() {
    for byte in ["a", "\n", "\r"] {
        check(byte, Encoding::Utf8, 0..0, "é😀");
        check(byte, Encoding::Utf8, 1..1, "é😀");
        check(byte, Encoding::Utf8, 0..1, "");
    }
    check("", Encoding::Utf8, 0..0, "x");
    check("", Encoding::Utf8Bom, 0..0, "x");
}

#[test]
fn the_largest_file_that_can_be_read() {
    let line = "a line of some length, with é and 😀 in it\r\n";
    let len = usize::try_from(READ_CAP).unwrap();
    let mut text = line.repeat(len / line.len());
    let rest = len - text.len() - 3;
    text.extend(std::iter::repeat_n('.', rest));
    text.push_str("end");
    let file = File::new(text.as_bytes());
    let middle = len / line.len() / 2 * line.len();
    // As long as what it replaces, for one byte more could not be read again.
    let splices = vec![
        Splice::new(0..1, "A"),
        Splice::new(middle..middle + 6, "🦀me"),
        Splice::new(len - 3..len, "END"),
    ];
    let edit = Edit::new(len, splices).unwrap();
    file.edit(&edit).unwrap();
    text.replace_range(0..1, "A");
    text.replace_range(middle..middle + 6, "🦀me");
    text.replace_range(len - 3..len, "END");
    assert!(file.bytes() == text.as_bytes());

    text.push('!');
    write_atomic(&file.path, text.as_bytes(), &WriteOptions::default()).unwrap();
    let error = View::default().read(&file.path).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
}

#[test]
fn one_line_of_ten_megabytes() {
    let piece = "no end of this😀line e\u{301} ";
    let line = |bytes: usize| piece.repeat(bytes / piece.len());
    let middle = |text: &str| text.len() / piece.len() / 2 * piece.len();
    let long = line(10 * 1024 * 1024);
    check(&long, Encoding::Utf8, middle(&long)..middle(&long) + 2, "🦀");
    let shorter = line(512 * 1024);
    check(&shorter, Encoding::Utf16Le, middle(&shorter)..middle(&shorter) + 2, "🦀");
    let text = Text::from(long.as_str());
    for at in [0, 14, 18, middle(&long) + 18, long.len()] {
        check_place(&text, at);
    }
}

#[test]
fn what_the_encoding_does_not_have_changes_nothing() {
    let before = stored("für café\n", Encoding::Latin1);
    let file = File::new(&before);
    let edit = Edit::new(11, vec![Splice::new(0..0, "ok 🦀")]).unwrap();
    let error = file.edit(&edit).unwrap_err();
    assert!(matches!(error, WriteError::Encode { .. }), "{error}");
    assert_eq!(file.bytes(), before);
}
