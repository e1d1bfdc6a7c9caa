//! Merges: what both sides wrote is there, or the conflict is told.

use proptest::prelude::*;

use super::*;
use crate::nasty;

fn merged(base: &str, ours: &str, theirs: &str) -> Result<String, MergeConflict> {
    merge(base, ours, theirs).map(|edit| nasty::spliced(ours, &edit))
}

/// A merge that works, from either side.
fn check(base: &str, ours: &str, theirs: &str, expect: &str) {
    assert_eq!(merged(base, ours, theirs).as_deref(), Ok(expect), "{base:?} {ours:?} {theirs:?}");
    assert_eq!(merged(base, theirs, ours).as_deref(), Ok(expect), "{base:?} {theirs:?} {ours:?}");
}

fn check_conflict(base: &str, ours: &str, theirs: &str, expect: &[(usize, &str, &str)]) {
    let places: Vec<_> = merged(base, ours, theirs).unwrap_err().places;
    let found: Vec<_> =
        places.iter().map(|p| (p.line, p.ours.as_str(), p.theirs.as_str())).collect();
    assert_eq!(found, expect, "{base:?} {ours:?} {theirs:?}");
}

#[test]
fn changes_far_apart() {
    check("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n");
    check("a\nb\nc\nd\n", "b\nc\nd\n", "a\nb\nc\nd\ne\n", "b\nc\nd\ne\n");
    check("a\nb\nc\n", "x\na\nb\nc\n", "a\nb\n", "x\na\nb\n");
    check("", "", "new\n", "new\n");
    check("a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n");
}

#[test]
fn the_same_change_on_both_sides() {
    check("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n");
    check("a\nb\nc\nd\n", "a\nB\nc\nD\n", "a\nB\nc\nd\n", "a\nB\nc\nD\n");
    check("a\n", "a\nb\n", "a\nb\n", "a\nb\n");
    check("a\nb\nc\nd\n", "a\nc\nd\n", "a\nc\nD\n", "a\nc\nD\n");
}

#[test]
fn ends_of_lines_stay() {
    check("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n");
    check("a\rb\rc", "A\rb\rc", "a\rb\rc\rd", "A\rb\rc\rd");
    check("a\r\nb\nc\rd", "a\r\nb\nc\rD😀", "é\nb\nc\rd", "é\nb\nc\rD😀");
    // A change of nothing but the ends is a change.
    check_conflict("a\nb\n", "a\r\nb\r\n", "a\nB\n", &[(1, "a\r\nb\r\n", "a\nB\n")]);
}

#[test]
fn conflicts_say_where() {
    check_conflict("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n", &[(2, "ours\n", "theirs\n")]);
    // Neighbouring lines are too close, as in git.
    check_conflict("a\nb\n", "A\nb\n", "a\nB\n", &[(1, "A\nb\n", "a\nB\n")]);
    check_conflict("a\nb\n", "a\n", "a\nB\n", &[(2, "", "B\n")]);
    check_conflict("a\n", "a\nx\n", "a\ny\n", &[(2, "x\n", "y\n")]);
    check_conflict("", "x", "y", &[(1, "x", "y")]);
    // What both agree on at the edges is left out.
    check_conflict("a\nb\nc\nd\ne\n", "a\n1\n2\n3\ne\n", "a\n1\nII\n3\ne\n", &[(3, "2\n", "II\n")]);
    let error = merged("a\nb\nc\n", "1\nb\n2\n", "x\nb\ny\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "both sides changed the same text (lines 1, 3); settle it there first"
    );
}

#[test]
fn long_conflicts_are_cut() {
    let ours = format!("{}\n", "é".repeat(5_000));
    let places = merged("a\n", &ours, "b\n").unwrap_err().places;
    assert!(places[0].ours.len() < 2_100 && places[0].ours.ends_with('…'));
}

#[test]
fn only_their_changes_are_splices() {
    let base = "fn one() {\n    1\n}\n\nfn two() {\n    2\n}\n";
    let ours = base.replace("one", "first");
    let edit = merge(base, &ours, &base.replace("    2", "    22")).unwrap();
    assert_eq!(edit.splices(), [crate::Splice::new(38..38, "2")]);
}

#[test]
fn big_texts() {
    let base: String = (0..50_000).map(|line| format!("line {line}\n")).collect();
    let ours = base.replace("line 100\n", "ours\n").replace("line 40000\n", "");
    let theirs = base.replace("line 300\n", "theirs\n") + "more\n";
    let expect = ours.replace("line 300\n", "theirs\n") + "more\n";
    check(&base, &ours, &theirs, &expect);
    let other: String = (0..50_000).map(|line| format!("{}\n", line * 31 % 97)).collect();
    assert!(merge(&base, &other, &theirs).is_err());
}

/// Lines that only one side can have written.
fn with_marks(text: &str, places: &[prop::sample::Index], mark: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for (number, place) in places.iter().enumerate() {
        lines.insert(place.index(lines.len() + 1), format!("{mark}{number}\n"));
    }
    lines.concat()
}

proptest! {
    #[test]
    fn one_side_alone((text, edit) in nasty::text_and_edit()) {
        let changed = nasty::spliced(&text, &edit);
        prop_assert!(merge(&text, &changed, &text).unwrap().is_empty());
        prop_assert!(merge(&text, &changed, &changed).unwrap().is_empty());
        let taken = merged(&text, &text, &changed);
        prop_assert_eq!(taken.as_ref(), Ok(&changed));
    }

    #[test]
    fn both_sides_get_the_same((base, one, other) in nasty::text_and_disjoint_edits()) {
        let (ours, theirs) = (nasty::spliced(&base, &one), nasty::spliced(&base, &other));
        match (merged(&base, &ours, &theirs), merged(&base, &theirs, &ours)) {
            (Ok(one), Ok(other)) => prop_assert_eq!(&one, &other),
            (Err(one), Err(other)) => {
                let swapped = other.places.into_iter().map(|place| (place.theirs, place.ours));
                let places = one.places.into_iter().map(|place| (place.ours, place.theirs));
                prop_assert!(places.eq(swapped));
            }
            (one, other) => prop_assert!(false, "{one:?} but {other:?}"),
        }
    }

    #[test]
    fn no_line_is_lost(
        text in nasty::long_text(),
        ours in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        theirs in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let text = crate::Newline::Lf.convert(&text).into_owned() + "\n";
        let (one, other) = (with_marks(&text, &ours, "ours"), with_marks(&text, &theirs, "theirs"));
        if let Ok(merged) = merged(&text, &one, &other) {
            let count = |mark: &str| merged.matches(mark).count();
            prop_assert_eq!((count("ours"), count("theirs")), (ours.len(), theirs.len()));
            prop_assert_eq!(merged.lines().count(), text.lines().count() + ours.len() + theirs.len());
        }
    }
}
