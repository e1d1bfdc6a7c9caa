//! Receipts as tables, and with faults put in on purpose.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::{Newline, Splice, diff, nasty};

const CODE: &str =
    "fn one() {\n    let a = 1;\n}\n\nfn two() {\n    let b = '😀';\n}\n\nfn three() {}\n";

/// Judges the change from `before` to `sent` in three spellings of the text.
fn check(before: &str, sent: &str, now: &str, expect: Receipt) {
    let edit = diff(before, sent);
    check_edit(before, &edit, now, expect);
    for spelled in [
        |text: &str| Newline::CrLf.convert(text).into_owned(),
        |text: &str| text.replace('a', "\u{10ffff}").replace('e', "é"),
    ] {
        let (before, sent, now) = (spelled(before), spelled(sent), spelled(now));
        check_edit(&before, &diff(&before, &sent), &now, expect);
    }
}

fn check_edit(before: &str, edit: &Edit, now: &str, expect: Receipt) {
    let found = judge(&Text::from(before), edit, &Text::from(now));
    assert_eq!(found, expect, "{before:?} with {edit:?} is {now:?}");
}

fn splices<const N: usize>(len: usize, splices: [(std::ops::Range<usize>, &str); N]) -> Edit {
    Edit::new(len, splices.into_iter().map(|(range, text)| Splice::new(range, text)).collect())
        .unwrap()
}

#[test]
fn applied_or_dropped() {
    let sent = CODE.replace("one", "first");
    check(CODE, &sent, &sent, Receipt::Applied);
    check(CODE, &sent, CODE, Receipt::Dropped);
    check(CODE, CODE, CODE, Receipt::Applied);
    check("", "x\n", "", Receipt::Dropped);
    check("", "x\n", "x\n", Receipt::Applied);
    // An edit of another text proves nothing.
    check_edit("abc", &splices(9, [(0..1, "x")]), "abc", Receipt::Dropped);
    check_edit("abc", &splices(9, [(0..1, "x")]), "xbc", Receipt::Different);
}

#[test]
fn some_of_it() {
    let sent = CODE.replace("one", "first").replace("let b", "let bb").replace("three", "third");
    let partial = |applied: usize| Receipt::Partial { applied, of: 3 };
    check(CODE, &sent, &CODE.replace("one", "first"), partial(1));
    check(CODE, &sent, &CODE.replace("let b", "let bb"), partial(1));
    check(CODE, &sent, &sent.replace("first", "one"), partial(2));
    check(CODE, &sent, &CODE.replace("one", "first").replace("}", "]"), Receipt::Different);
    let edit = splices(4, [(0..0, "x"), (1..2, ""), (3..3, "x"), (4..4, "y")]);
    check_edit("aaaa", &edit, "xaaaa", Receipt::Partial { applied: 1, of: 4 });
    check_edit("aaaa", &edit, "xaaay", Receipt::Partial { applied: 3, of: 4 });
}

#[test]
fn too_many_ways_to_read_it() {
    // Every splice may or may not be in, and each way ends in another place.
    let long = "a".repeat(3_000);
    let each = (0..12).map(|number| (number * 200..number * 200, "a".repeat(1 << number)));
    let edit = Edit::new(3_000, each.map(|(range, text)| Splice::new(range, text)).collect());
    let now = "a".repeat(3_000 + 1_234);
    let found = judge(&Text::from(long), &edit.unwrap(), &Text::from(now));
    assert_eq!(found, Receipt::Different);
}

#[test]
fn another_place() {
    let sent = CODE.replace("one() {\n", "one() {\n    let c = 3;\n");
    let now = CODE.replace("two() {\n", "two() {\n    let c = 3;\n");
    check(CODE, &sent, &now, Receipt::Misplaced);
    check(CODE, &sent, &CODE.replace("fn three", "    let c = 3;\nfn three"), Receipt::Misplaced);
    // The line is the wrong one, so something else was taken away.
    let sent = CODE.replace("    let a = 1;\n", "    nothing();\n");
    check(CODE, &sent, &CODE.replace("\nfn two() {\n", "\n    nothing();\n"), Receipt::Different);
    let edit = splices(CODE.len(), [(11..25, "    nothing();")]);
    check_edit(
        CODE,
        &edit,
        &CODE.replace("}\n\nfn two", "    nothing();\n\nfn two"),
        Receipt::Misplaced,
    );
    // A shift of several splices, of which one hits the end of a shorter line.
    let edit = splices(CODE.len(), [(3..6, "first"), (19..20, "abc")]);
    let shifted = "fn one() {\n   firstt a = 1;\n}abc\n\nfn two";
    let now = CODE.replace("fn one() {\n    let a = 1;\n}\n\nfn two", shifted);
    check_edit(CODE, &edit, &now, Receipt::Misplaced);
    // Each splice off by its own distance.
    let edit = splices(CODE.len(), [(3..6, "first"), (66..71, "third")]);
    let now = CODE.replace("fn one", "firstone").replace("three() {}", "threethird");
    check_edit(CODE, &edit, &now, Receipt::Misplaced);
    // Removed elsewhere, where it stands too.
    check("x\ny\nx\nz\n", "y\nx\nz\n", "x\ny\nz\n", Receipt::Misplaced);
}

#[test]
fn reformatted() {
    let sent = CODE.replace("let a = 1;", "let a = (1, \"x\");");
    let formats: [&dyn Fn(&str) -> String; 5] = [
        &|text| text.replace("    ", "\t"),
        &|text| text.replace("(1, \"x\")", "(\n        1,\n        \"x\",\n    )"),
        &|text| text.replace('"', "'"),
        &|text| text.replace('\n', "\r\n\r\n"),
        &|text| format!("{}\n", text.trim_end()).replace("= (", "=("),
    ];
    for format in &formats[..4] {
        check(CODE, &sent, &format(&sent), Receipt::Reformatted);
    }
    check(CODE, &sent, &formats[4](&sent), Receipt::Reformatted);
    check("a\n", "a\nb = 'it\\'s'\n", "a\nb = \"it's\"\n", Receipt::Reformatted);
    check("a = []\n", "a = [1]\n", "a = [\n1,\n]\n", Receipt::Reformatted);
    // One more thing than a formatter does.
    check(CODE, &sent, &formats[0](&sent).replace("two", "too"), Receipt::Different);
    // The formatter ran over the text without our change.
    check(CODE, &sent, &formats[0](CODE), Receipt::Different);
    // An edit of blanks only, in the wrong line.
    check("a\nb\nc\n", "a\n  b\nc\n", "a\nb\n  c\n", Receipt::Misplaced);
}

#[test]
fn anything_else() {
    let sent = CODE.replace("one", "first");
    check(CODE, &sent, "", Receipt::Different);
    check(CODE, &sent, &sent.replace("first", "fist"), Receipt::Different);
    check(CODE, &sent, &format!("{sent}more\n"), Receipt::Different);
}

#[test]
fn big_texts_come_to_an_end() {
    let numbered: String = (0..200_000).map(|line| format!("    line number {line}\n")).collect();
    let repeated = "    same(line);\n".repeat(300_000);
    for before in [numbered, repeated] {
        let ends = nasty::line_starts(&before);
        let places: Vec<usize> = ends.iter().copied().step_by(1_000).take(200).collect();
        let insert = |at: &usize| Splice::new(*at..*at, "    more\n");
        let edit = Edit::new(before.len(), places.iter().map(insert).collect()).unwrap();
        let shifted: Vec<usize> = ends.iter().copied().skip(7).step_by(1_000).take(200).collect();
        let shifted = Edit::new(before.len(), shifted.iter().map(insert).collect()).unwrap();
        let predicted = nasty::spliced(&before, &edit);
        let (old, check) = (Text::from(before.as_str()), |now: String, expect: Receipt| {
            assert_eq!(judge(&Text::from(before.as_str()), &edit, &Text::from(now)), expect);
        });
        assert_eq!(judge(&old, &edit, &edit.apply(&old).unwrap()), Receipt::Applied);
        check(nasty::spliced(&before, &shifted), Receipt::Misplaced);
        check(predicted.replace("    ", "\t"), Receipt::Reformatted);
        check(predicted.replace("more", "less"), Receipt::Different);
        check(
            predicted.replacen("    more\n", "", 1),
            Receipt::Partial { applied: places.len() - 1, of: places.len() },
        );
    }
}

/// The edit an editor makes that is wrong by some lines; nothing if that is outside the text.
fn off_by(text: &Text, edit: &Edit, lines: usize) -> Option<Edit> {
    let moved = |offset: usize| {
        let line = text.byte_to_line(offset);
        let column = offset - text.line_to_byte(line);
        let start = text.line_to_byte(line + lines);
        let line = text.line(line + lines)?;
        let content = line.trim_end_matches(['\r', '\n']);
        (column <= content.len() && content.is_char_boundary(column)).then_some(start + column)
    };
    let splices = edit.splices().iter().map(|splice| {
        Some(Splice::new(moved(splice.range.start)?..moved(splice.range.end)?, &*splice.text))
    });
    Edit::new(edit.len_before(), splices.collect::<Option<_>>()?).ok()
}

/// What must hold whatever happened.
fn honest(before: &Text, edit: &Edit, now: &Text) -> Receipt {
    let receipt = judge(before, edit, now);
    let predicted = edit.apply(before).unwrap();
    assert_eq!(receipt == Receipt::Applied, *now == predicted);
    assert_eq!(receipt == Receipt::Dropped, now == before && *now != predicted);
    if let Receipt::Partial { applied, of } = receipt {
        assert!(0 < applied && applied < of && of == edit.splices().len());
    }
    receipt
}

fn exact(receipt: Receipt) -> bool {
    matches!(receipt, Receipt::Applied | Receipt::Dropped)
}

proptest! {
    #[test]
    fn nothing_or_all((text, edit) in nasty::text_and_edit()) {
        let before = Text::from(text);
        let predicted = edit.apply(&before).unwrap();
        prop_assert!(exact(honest(&before, &edit, &before)));
        prop_assert_eq!(honest(&before, &edit, &predicted), Receipt::Applied);
    }

    #[test]
    fn splices_left_out((text, edit) in nasty::text_and_edit(), which in any::<u8>()) {
        let before = Text::from(text);
        let kept = edit.splices().iter().enumerate().filter(|(at, _)| which >> at & 1 == 1);
        let kept = kept.map(|(_, splice)| splice.clone()).collect();
        let now = Edit::new(edit.len_before(), kept).unwrap().apply(&before).unwrap();
        let receipt = honest(&before, &edit, &now);
        let partial = matches!(receipt, Receipt::Partial { .. });
        prop_assert!(exact(receipt) || partial, "{:?}", receipt);
    }

    #[test]
    fn a_shifted_edit((text, edit) in nasty::text_and_edit(), lines in 1usize..5) {
        let before = Text::from(text);
        if let Some(wrong) = off_by(&before, &edit, lines) {
            honest(&before, &edit, &wrong.apply(&before).unwrap());
        }
    }

    /// Where lines cannot be mistaken for each other, a shift is always seen.
    #[test]
    fn a_shifted_edit_of_plain_lines(
        places in prop::collection::btree_set(0usize..40, 1..5),
        lines in 1usize..10,
        crlf in any::<bool>(),
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let text: String = (100..150).map(|n| format!("{n} 😀 line {n}{end}")).collect();
        let width = text.len() / 50;
        let splices = places.iter().map(|line| {
            Splice::new(line * width + 4..line * width + 8, format!("new{line}{end}"))
        });
        let edit = Edit::new(text.len(), splices.collect()).unwrap();
        let before = Text::from(text);
        let wrong = off_by(&before, &edit, lines).unwrap();
        let receipt = honest(&before, &edit, &wrong.apply(&before).unwrap());
        prop_assert_eq!(receipt, Receipt::Misplaced);
    }

    #[test]
    fn a_formatter((text, edit) in nasty::text_and_edit(), indent in "[ \t]{1,4}", crlf in any::<bool>()) {
        let before = Text::from(text);
        let predicted = edit.apply(&before).unwrap().to_string();
        let mut now = String::new();
        for line in Text::from(predicted.as_str()).rope().lines() {
            now.push_str(&indent);
            now.push_str(&String::from(line));
        }
        if crlf {
            now = Newline::CrLf.convert(&now).into_owned();
        }
        let receipt = honest(&before, &edit, &Text::from(now));
        let blank = reformatted::say_the_same(&before, &Text::from(predicted));
        let plainer = matches!(receipt, Receipt::Partial { .. }) || blank;
        prop_assert!(receipt == Receipt::Reformatted || plainer, "{:?}", receipt);
    }

    #[test]
    fn any_other_text((text, edit) in nasty::text_and_edit(), now in nasty::text()) {
        honest(&Text::from(text), &edit, &Text::from(now));
    }

    #[test]
    fn something_else_on_top((text, edit, more) in nasty::text_and_edits_in_turn(), at in any::<Index>()) {
        let before = Text::from(text);
        let mut now = edit.apply(&before).unwrap();
        if !more.is_empty() {
            let one = more.splices()[at.index(more.splices().len())].clone();
            now = Edit::new(more.len_before(), vec![one]).unwrap().apply(&now).unwrap();
        }
        honest(&before, &edit, &now);
    }
}
