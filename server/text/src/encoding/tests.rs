//! Bytes come back as they were, or are refused.

use proptest::prelude::*;

use super::*;
use crate::nasty;
use Encoding::{Latin1, Utf8, Utf8Bom, Utf16Be, Utf16Le};

fn check(bytes: &[u8], expect: Result<(&str, Encoding, Newline), NotText>) {
    let decoded = decode(bytes);
    let found = decoded
        .as_ref()
        .map(|decoded| (decoded.text.as_str(), decoded.format.encoding, decoded.format.newline));
    assert_eq!(found, expect.as_ref().copied(), "{bytes:x?}");
    if let Ok(decoded) = &decoded {
        assert_eq!(encode(&decoded.text, &decoded.format).unwrap(), bytes);
    }
}

#[test]
fn a_table_of_files() {
    check(b"", Ok(("", Utf8, Newline::None)));
    check("aé\r\n".as_bytes(), Ok(("aé\r\n", Utf8, Newline::CrLf)));
    check(b"\xEF\xBB\xBFa\n", Ok(("a\n", Utf8Bom, Newline::Lf)));
    check(b"\xEF\xBB\xBF", Ok(("", Utf8Bom, Newline::None)));
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFa", Ok(("\u{feff}a", Utf8Bom, Newline::None)));
    check(b"\xFF\xFEa\0\r\0", Ok(("a\r", Utf16Le, Newline::Cr)));
    check(b"\xFE\xFF\xD8\x3D\xDE\x00", Ok(("😀", Utf16Be, Newline::None)));
    check(b"caf\xE9 \x93ok\x94\n", Ok(("café “ok”\n", Latin1, Newline::Lf)));
}

#[test]
fn what_is_no_text() {
    let binary = |offset| Err(NotText::Binary { offset });
    let broken = |encoding, offset| Err(NotText::Broken { encoding, offset });
    check(b"ab\0", binary(2));
    check(b"\xEF\xBB\xBFa\0", binary(4));
    check(b"\x89PNG\r\n\x1a\n", binary(6));
    check(b"\xFF\xD8\xFF\xE0J", binary(0));
    check(b"\xFF\xFE\0\0a\0\0\0", binary(2));
    check(b"\xFF\xFEa", broken("UTF-16", 2));
    check(b"\xFF\xFEa\0\x3D\xD8b\0", broken("UTF-16", 4));
    check(b"\xEF\xBB\xBFa\xFF", broken("UTF-8", 4));
}

#[test]
fn a_character_the_file_cannot_hold() {
    let format = Format { encoding: Latin1, newline: Newline::Lf };
    assert_eq!(encode("ok → no", &format), Err(CannotEncode { character: '→' }));
}

proptest! {
    #[test]
    fn all_encodings_of_all_texts(text in nasty::long_text()) {
        for encoding in [Utf8, Utf8Bom, Utf16Le, Utf16Be] {
            // Without a mark, a first U+FEFF is one.
            if encoding == Utf8 && text.starts_with('\u{feff}') {
                continue;
            }
            let format = Format { encoding, newline: Newline::of(&text) };
            let bytes = encode(&text, &format).unwrap();
            let decoded = decode(&bytes).unwrap();
            prop_assert_eq!(decoded, Decoded { text: text.clone(), format });
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(decoded) = decode(&bytes) {
            prop_assert_eq!(encode(&decoded.text, &decoded.format).unwrap(), bytes);
        }
    }

    #[test]
    fn any_latin1(bytes in prop::collection::vec(0x80u8..=0xFF, 1..100)) {
        let bytes = [b"some words in front of it ".repeat(4), bytes].concat();
        if let Ok(decoded) = decode(&bytes) {
            prop_assert_eq!(encode(&decoded.text, &decoded.format).unwrap(), bytes);
        }
    }
}
