//! The Edit tool's search as a table, and against `str::replace`.

use proptest::prelude::*;

use super::*;
use crate::nasty;

fn check(text: &str, old: &str, new: &str, expect: Result<&str, ReplaceError>) {
    let found = replace(text, old, new, false).map(|found| {
        assert_eq!(found.count, 1);
        nasty::spliced(text, &found.edit)
    });
    assert_eq!(found, expect.map(str::to_owned), "{old:?} -> {new:?} in {text:?}");
}

fn not_found(nearest: Option<(usize, &str)>) -> Result<&'static str, ReplaceError> {
    let nearest = nearest.map(|(line, text)| (line, text.to_owned()));
    Err(ReplaceError::NotFound { nearest })
}

#[test]
fn one_place() {
    check("one two", "two", "three", Ok("one three"));
    check("a\nb\nc\n", "b\n", "", Ok("a\nc\n"));
    check("aé😀", "é", "e", Ok("ae😀"));
    check("x", "", "y", Err(ReplaceError::Empty));
    check("x", "x", "x", Err(ReplaceError::Same));
    check("a b a\na", "a", "c", Err(ReplaceError::Ambiguous { count: 3, lines: vec![1, 1, 2] }));
}

#[test]
fn the_ends_of_lines_of_the_file() {
    check("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", Ok("x\r\ny\r\nz\r\nc\r\n"));
    check("a\r\nb\r\n", "b", "b\nc", Ok("a\r\nb\r\nc\r\n"));
    check("a\r\nb\r\n", "\nb", "\nc", Ok("a\r\nc\r\n"));
    check("a\r\nb\r\n", "\nb", "c", Ok("ac\r\n"));
    check("a\r\nb\r\n", "a\r\nb", "a\nb", Ok("a\nb\r\n"));
    check("a\r\nb\r\n", "a\nb", "a\r\nb", Err(ReplaceError::Same));
    check("a\rb\r", "a\nb", "a\nc", Ok("a\rc\r"));
    check("a\nb\n", "a\r\nb", "c\r\nd", Ok("c\nd\n"));
    check("a\nb\r\nc\r\nd\n", "b\nc", "x\ny", Ok("a\nx\r\ny\r\nd\n"));
    check("a\nb\nc\r\n", "a\nb", "x\ny", Ok("x\ny\nc\r\n"));
}

#[test]
fn only_what_differs_is_touched() {
    let text = "fn one() {\n    1\n}\n";
    let found = replace(text, text, "fn one() {\n    2\n}\n", false).unwrap();
    assert_eq!(found.edit.splices(), [Splice::new(15..16, "2")]);
}

#[test]
fn all_places() {
    let text = "a b a\na";
    let found = replace(text, "a", "cc", true).unwrap();
    assert_eq!((nasty::spliced(text, &found.edit).as_str(), found.count), ("cc b cc\ncc", 3));
}

#[test]
fn the_nearest_text() {
    let text = "fn one() {\n\tlet x = 1;\n}\n\nfn two() {\n\tlet y = 2;\n}\n";
    check(
        text,
        "fn two() {\n    let y = 2;\n}",
        "",
        not_found(Some((5, "fn two() {\n\tlet y = 2;\n}"))),
    );
    check(text, "let yy = 2;", "", not_found(Some((6, "\tlet y = 2;"))));
    check(text, "something else entirely", "", not_found(None));
    check("", "x", "y", not_found(None));
    check("a\r\n  b1\r\n", "a\n b1\n c1", "", not_found(Some((1, "a\n  b1"))));
}

#[test]
fn errors_say_what_to_do() {
    let check = |error: ReplaceError, expect: &str| assert_eq!(error.to_string(), expect);
    check(
        ReplaceError::Ambiguous { count: 30, lines: vec![1, 4] },
        "the text to replace was found 30 times (lines 1, 4, …); quote more of the text around it, \
         or replace all",
    );
    check(
        ReplaceError::NotFound { nearest: Some((3, "abc".to_owned())) },
        "the text to replace was not found; read the file again and quote it exactly; \
         the nearest is at line 3:\nabc",
    );
}

#[test]
fn a_long_quote_is_cut() {
    let line = format!("{}\n", "é".repeat(900));
    let text = line.repeat(5);
    let Err(ReplaceError::NotFound { nearest: Some((1, quoted)) }) =
        replace(&text, &format!(" {}x", line.repeat(3)), "", false)
    else {
        panic!("expected a nearest text");
    };
    assert!(quoted.len() < 2_100 && quoted.ends_with('…'));
}

proptest! {
    #[test]
    fn like_a_plain_replace(text in nasty::text(), new in nasty::text(), old in "[ab ]|word") {
        let text = Newline::Lf.convert(&text).into_owned();
        prop_assume!(old != new);
        let count = text.matches(&old).count();
        match replace(&text, &old, &new, true) {
            Ok(found) => {
                prop_assert_eq!(found.count, count);
                prop_assert_eq!(nasty::spliced(&text, &found.edit), text.replace(&old, &new));
            }
            Err(error) => {
                prop_assert_eq!(count, 0);
                let not_found = matches!(error, ReplaceError::NotFound { .. });
                prop_assert!(not_found);
            }
        }
        let one = replace(&text, &old, &new, false);
        prop_assert_eq!(one.is_ok(), count == 1);
    }

    #[test]
    fn any_search_ends_well(text in nasty::text(), old in nasty::text(), new in nasty::text()) {
        if let Ok(found) = replace(&text, &old, &new, true) {
            let rope = crate::Text::from(text.as_str());
            prop_assert!(found.edit.apply(&rope).is_ok());
        }
    }
}
