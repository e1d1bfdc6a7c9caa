//! The rope against the simplest model of a text: a string.

use std::io::Read;

use proptest::prelude::*;

use super::*;
use crate::edit::Splice;
use crate::nasty;

#[test]
fn lines_end_where_the_protocol_says() {
    let check = |text: &str, expect: &[&str]| {
        let text = Text::from(text);
        let lines: Vec<_> =
            (0..text.len_lines()).map(|line| text.line(line).unwrap().into_owned()).collect();
        assert_eq!(lines, expect);
        assert_eq!(text.line(expect.len()), None);
    };
    check("", &[""]);
    check("a", &["a"]);
    check("a\n", &["a\n", ""]);
    check("a\r\nb\rc\nd", &["a\r\n", "b\r", "c\n", "d"]);
    check("\r\r\n\n", &["\r", "\r\n", "\n", ""]);
    check("a\u{2028}b\u{85}c\u{b}d\u{c}e", &["a\u{2028}b\u{85}c\u{b}d\u{c}e"]);
}

#[test]
fn slices_refuse_what_is_not_there() {
    let text = Text::from("aé😀");
    let check = |range: Range<usize>, expect: Option<&str>| {
        assert_eq!(text.slice(range.clone()).as_deref(), expect, "{range:?}");
    };
    check(0..7, Some("aé😀"));
    check(1..3, Some("é"));
    check(7..7, Some(""));
    check(1..2, None);
    check(2..3, None);
    check(0..8, None);
    check(8..8, None);
    #[expect(clippy::reversed_empty_ranges, reason = "a caller may do it")]
    check(3..1, None);
}

#[test]
fn places_past_the_end_are_the_end() {
    let text = Text::from("a\nb");
    assert_eq!(text.byte_to_line(usize::MAX), 1);
    assert_eq!(text.line_to_byte(2), 3);
    assert_eq!(text.line_to_byte(usize::MAX), 3);
}

#[test]
fn a_bad_edit_changes_nothing() {
    let mut text = Text::from("aé");
    let other = Edit::identity(4);
    assert_eq!(text.apply(&other), Err(CannotApply::LengthMismatch { expected: 4, found: 3 }));
    let cuts = Edit::new(3, vec![Splice::new(0..1, "b"), Splice::new(2..3, "")]).unwrap();
    assert_eq!(text.apply(&cuts), Err(CannotApply::InsideCharacter { offset: 2 }));
    assert_eq!(text, *"aé");
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let mut text = Text::from("one two");
    let snapshot = text.clone();
    text.apply(&Edit::new(7, vec![Splice::new(0..3, "three")]).unwrap()).unwrap();
    assert_eq!(text, *"three two");
    assert_eq!(snapshot, *"one two");
    assert_ne!(text, snapshot);
    assert_eq!(text, Text::from("three two".to_owned()));
    assert_eq!(format!("{snapshot:?}"), r#""one two""#);
    assert!(Text::default().is_empty());
}

proptest! {
    #[test]
    fn says_the_same_as_a_string((old, edit) in nasty::text_and_edit()) {
        let mut text = Text::from(old.as_str());
        text.apply(&edit).unwrap();
        let model = nasty::spliced(&old, &edit);
        prop_assert_eq!(text.to_string(), model.as_str());
        prop_assert_eq!(text.len_bytes(), model.len());
        prop_assert_eq!(edit.len_after(), model.len());

        let starts = nasty::line_starts(&model);
        prop_assert_eq!(text.len_lines(), starts.len());
        for (line, start) in starts.iter().enumerate() {
            prop_assert_eq!(text.line_to_byte(line), *start);
            let end = starts.get(line + 1).copied().unwrap_or(model.len());
            prop_assert_eq!(text.line(line).unwrap(), &model[*start..end]);
        }
        for offset in 0..=model.len() {
            let line = starts.partition_point(|start| *start <= offset) - 1;
            prop_assert_eq!(text.byte_to_line(offset), line, "byte {}", offset);
            let slice = text.slice(offset..offset + 5);
            prop_assert_eq!(slice.as_deref(), model.get(offset..offset + 5));
        }
    }

    #[test]
    fn the_reader_reads_it_all(text in nasty::long_text(), size in 1usize..3000) {
        let rope = Text::from(text.as_str());
        let mut read = Vec::new();
        let mut reader = rope.reader();
        let mut buffer = vec![0; size];
        loop {
            let count = reader.read(&mut buffer).unwrap();
            if count == 0 {
                break;
            }
            read.extend_from_slice(&buffer[..count]);
        }
        prop_assert_eq!(read, text.as_bytes());
    }
}

#[test]
fn what_changed() {
    let check = |old: &str, new: &str, expect: Option<(Range<usize>, Range<usize>)>| {
        assert_eq!(Text::from(old).changed(&Text::from(new)), expect, "{old:?} {new:?}");
    };
    check("", "", None);
    check("same", "same", None);
    check("", "a", Some((0..0, 0..1)));
    check("abc", "", Some((0..3, 0..0)));
    check("abc", "abXc", Some((2..2, 2..3)));
    check("aaa", "aaaa", Some((3..3, 3..4)));
    check("aaaa", "aaa", Some((3..4, 3..3)));
    // Characters are not cut: these share bytes at their start, and at their end.
    check("aéb", "aèb", Some((1..3, 1..3)));
    check("aéb", "aƩb", Some((1..3, 1..3)));
}

proptest! {
    #[test]
    fn a_change_is_found_from_both_ends((text, edit) in nasty::text_and_edit()) {
        let changed = nasty::spliced(&text, &edit);
        let (old, new) = (Text::from(text.as_str()), Text::from(changed.as_str()));
        match old.changed(&new) {
            None => prop_assert_eq!(text, changed),
            Some((was, is)) => {
                prop_assert_eq!(&text[..was.start], &changed[..is.start]);
                prop_assert_eq!(&text[was.end..], &changed[is.end..]);
                prop_assert_ne!(&text[was], &changed[is]);
            }
        }
    }

    #[test]
    fn pieces_lie_on_both_sides_of_a_byte(text in nasty::long_text(), at in any::<usize>()) {
        let rope = Text::from(text.as_str());
        let at = at % (text.len() + 2);
        let cut = at.min(text.len());
        let (before, from) = (rope.bytes_before(at), rope.bytes_from(at));
        prop_assert!(text.as_bytes()[..cut].ends_with(before));
        prop_assert!(text.as_bytes()[cut..].starts_with(from));
        prop_assert_eq!(before.is_empty(), cut == 0);
        prop_assert_eq!(from.is_empty(), cut == text.len());
    }
}
