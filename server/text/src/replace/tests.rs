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

fn near(line: usize, text: &str, differs: &[(Difference, usize)]) -> Option<Nearest> {
    Some(Nearest { line, text: text.to_owned(), differs: differs.to_vec() })
}

fn not_found(nearest: Option<Nearest>) -> Result<&'static str, ReplaceError> {
    Err(ReplaceError::NotFound { nearest })
}

fn ambiguous(lines: &[usize], around: &str) -> Result<&'static str, ReplaceError> {
    let (lines, around) = (lines.to_vec(), around.to_owned());
    Err(ReplaceError::Ambiguous { count: lines.len(), lines, around, leniency: None })
}

#[test]
fn one_place() {
    check("one two", "two", "three", Ok("one three"));
    check("a\nb\nc\n", "b\n", "", Ok("a\nc\n"));
    check("aé😀", "é", "e", Ok("ae😀"));
    check("x", "", "y", Err(ReplaceError::Empty));
    check("x", "x", "x", Err(ReplaceError::Same));
    check("a b a\na", "a", "c", ambiguous(&[1, 1, 2], "1: a b a\n1: a b a\n2: a"));
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
    use Difference::*;
    let text = "fn one() {\n\tlet x = 1;\n}\n\nfn two() {\n\tlet y = 2;\n}\n";
    check(
        text,
        "fn two() {\n    let z = 2;\n}",
        "",
        not_found(near(5, "fn two() {\n\tlet y = 2;\n}", &[(Words, 6)])),
    );
    check(text, "let yy = 2;", "", not_found(near(6, "\tlet y = 2;", &[(Words, 6)])));
    check(text, "something else entirely", "", not_found(None));
    check("", "x", "y", not_found(None));
    check("a\r\n  b1\r\n", "a\n b1\n c1", "", not_found(near(1, "a\n  b1", &[(Indentation, 2)])));
}

#[test]
fn how_the_nearest_differs() {
    use Difference::*;
    let check = |text: &str, old: &str, expect: &[(Difference, usize)]| {
        let Err(ReplaceError::NotFound { nearest: Some(nearest) }) = replace(text, old, "", false)
        else {
            panic!("expected a nearest text for {old:?}");
        };
        assert_eq!(nearest.differs, expect, "{old:?} in {text:?}");
    };
    check("if a:\n    b1\n    c1\n", "if a:\n  b1\n    c1\n", &[(Indentation, 2)]);
    check("let a = b+c;\n", "let a = b + c;", &[(Blanks, 1)]);
    check("x\nlet a = Foo;\n", "let a = foo;", &[(Case, 2)]);
    check(
        "f1(a)\n\tg1('b')\n  h1()  \ni",
        "f1(a)\n\tg1(‘b’)\nh1()\ni",
        &[(Quotes, 2), (Indentation, 3), (TrailingBlanks, 3)],
    );
}

#[test]
fn errors_say_what_to_do() {
    let check = |error: ReplaceError, expect: &str| assert_eq!(error.to_string(), expect);
    let ambiguous = |leniency| ReplaceError::Ambiguous {
        count: 30,
        lines: vec![1, 4],
        around: "1: a\n3: b\n4: a".to_owned(),
        leniency,
    };
    check(
        ambiguous(None),
        "the text to replace was found 30 times (lines 1, 4, …); quote more of the text around it, \
         or replace all; the first ones are:\n1: a\n3: b\n4: a",
    );
    check(
        ambiguous(Some(Leniency::Quotes)),
        "the text to replace was found 30 times (lines 1, 4, …, with quotation marks of another \
         style); quote more of the text around it, or replace all; the first ones are:\n\
         1: a\n3: b\n4: a",
    );
    let differs = [Difference::Indentation, Difference::Quotes, Difference::Words];
    let nearest = |count: usize| ReplaceError::NotFound {
        nearest: Some(Nearest {
            line: 3,
            text: "abc".to_owned(),
            differs: differs.into_iter().take(count).zip(4..).collect(),
        }),
    };
    check(
        nearest(0),
        "the text to replace was not found; read the file again and quote it exactly; \
         the nearest is at line 3:\nabc",
    );
    check(
        nearest(3),
        "the text to replace was not found; read the file again and quote it exactly; \
         the nearest is at line 3 and differs in indentation (line 4), in quotation marks (line 5) \
         and in words (line 6):\nabc",
    );
}

#[test]
fn a_long_quote_is_cut() {
    let line = format!("{}\n", "é".repeat(900));
    let text = line.repeat(5);
    let Err(ReplaceError::NotFound { nearest: Some(Nearest { line: 1, text: quoted, .. }) }) =
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
