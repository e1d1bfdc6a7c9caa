//! What must hold for edits whatever the text: undo, joining, and two writers at once.

use proptest::prelude::*;

use super::*;
use crate::nasty;

fn bad<const N: usize>(len: usize, ranges: [Range<usize>; N]) -> BadEdit {
    let splices = ranges.into_iter().map(|range| Splice::new(range, "x")).collect();
    Edit::new(len, splices).unwrap_err()
}

fn edit(text: &str, splices: &[(Range<usize>, &str)]) -> Edit {
    let splices = splices.iter().map(|(range, text)| Splice::new(range.clone(), *text)).collect();
    Edit::new(text.len(), splices).unwrap()
}

#[test]
fn splices_must_make_sense() {
    #[expect(clippy::reversed_empty_ranges, reason = "that is the fault")]
    let backwards = 3..2;
    assert_eq!(bad(5, [backwards.clone()]), BadEdit::Backwards(backwards));
    assert_eq!(bad(5, [0..1, 4..6]), BadEdit::Outside { range: 4..6, len: 5 });
    assert_eq!(bad(5, [2..4, 0..3]), BadEdit::Overlapping { first: 0..3, second: 2..4 });
    assert_eq!(bad(5, [2..2, 1..3]), BadEdit::Overlapping { first: 1..3, second: 2..2 });
}

#[test]
fn splices_are_put_in_order() {
    let old = Text::from("abcdef");
    let change = edit("abcdef", &[(4..5, "E"), (2..2, "1"), (3..3, ""), (2..3, "C"), (2..2, "2")]);
    assert_eq!(change.splices().len(), 4);
    assert_eq!((change.len_before(), change.len_after()), (6, 8));
    assert_eq!(change.apply(&old).unwrap(), *"ab12CdEf");
    assert!(edit("abc", &[(1..1, "")]).is_empty());
    assert_eq!(Edit::identity(3), edit("abc", &[]));
}

#[test]
fn where_places_go() {
    let change = edit("0123456789", &[(2..2, "xx"), (4..7, "y"), (7..7, "zz")]);
    let check = |offset: usize, before: usize, after: usize| {
        assert_eq!(change.map_offset(offset, Bias::Before), before, "{offset} before");
        assert_eq!(change.map_offset(offset, Bias::After), after, "{offset} after");
    };
    check(0, 0, 0);
    check(2, 2, 4);
    check(3, 5, 5);
    check(4, 6, 6);
    check(5, 6, 7);
    check(7, 7, 9);
    check(10, 12, 12);
}

/// Two writers on "0123456789"; the second edit lands after the first.
fn check_rebase(
    over: &[(Range<usize>, &str)],
    late: &[(Range<usize>, &str)],
    expect: Result<&str, Range<usize>>,
) {
    let text = "0123456789";
    let (over, late) = (edit(text, over), edit(text, late));
    let landed = late
        .rebase(&over)
        .map(|late| late.apply(&over.apply(&Text::from(text)).unwrap()).unwrap().to_string());
    assert_eq!(landed, expect.map(str::to_owned).map_err(|range| Overlap { range }));
}

#[test]
fn two_writers_far_apart() {
    check_rebase(&[(1..2, "AAA")], &[(8..9, "")], Ok("0AAA2345679"));
    check_rebase(&[(8..9, "")], &[(1..2, "AAA")], Ok("0AAA2345679"));
    check_rebase(&[(0..1, ""), (9..10, "!")], &[(5..5, "_")], Ok("1234_5678!"));
    check_rebase(&[], &[(5..5, "_")], Ok("01234_56789"));
}

#[test]
fn two_writers_side_by_side() {
    check_rebase(&[(3..3, "U")], &[(3..3, "A")], Ok("012UA3456789"));
    check_rebase(&[(3..3, "U")], &[(3..6, "A")], Ok("012UA6789"));
    check_rebase(&[(6..6, "U")], &[(3..6, "A")], Ok("012AU6789"));
    check_rebase(&[(3..6, "U")], &[(3..3, "A")], Ok("012AU6789"));
    check_rebase(&[(3..6, "U")], &[(6..6, "A")], Ok("012UA6789"));
    check_rebase(&[(3..6, "U")], &[(6..8, "A")], Ok("012UA89"));
    check_rebase(&[(5..5, "U")], &[(3..5, "A"), (5..7, "B")], Ok("012AUB789"));
    check_rebase(&[(3..3, "U"), (3..6, "V")], &[(3..3, "A")], Ok("012UAV6789"));
}

#[test]
fn two_writers_in_one_place() {
    check_rebase(&[(4..4, "U")], &[(3..6, "A")], Err(3..6));
    check_rebase(&[(3..6, "U")], &[(4..4, "A")], Err(3..6));
    check_rebase(&[(3..6, "U")], &[(5..8, "A")], Err(3..8));
    check_rebase(&[(3..6, "")], &[(3..6, "")], Err(3..6));
    check_rebase(&[(0..1, ""), (5..6, "")], &[(1..2, ""), (4..9, "")], Err(4..9));
}

#[test]
fn edits_of_different_texts_do_not_meet() {
    let (one, other) = (edit("abc", &[(0..0, "x")]), edit("abcd", &[]));
    assert_eq!(one.rebase(&other), Err(Overlap { range: 0..4 }));
    assert_eq!(
        Edit::compose(&one, &one),
        Err(CannotApply::LengthMismatch { expected: 3, found: 4 })
    );
    let other = Text::from("é");
    assert_eq!(one.invert(&other), Err(CannotApply::LengthMismatch { expected: 3, found: 2 }));
}

#[test]
fn a_cut_inside_a_character_is_found() {
    let cut = Edit::new(2, vec![Splice::new(0..1, "x")]).unwrap();
    let inside = Err(CannotApply::InsideCharacter { offset: 1 });
    assert_eq!(cut.invert(&Text::from("é")), inside);
    let first = edit("", &[(0..0, "é")]);
    assert_eq!(Edit::compose(&first, &cut), inside);
}

#[test]
fn what_is_read_back_is_checked() {
    let change = edit("abc", &[(0..1, "é\n"), (3..3, "")]);
    let stored = serde_json::to_string(&change).unwrap();
    assert_eq!(stored, r#"[3,[[0,1,"é\n"]]]"#);
    assert_eq!(serde_json::from_str::<Edit>(&stored).unwrap(), change);
    let check = |stored: &str, expect: &str| {
        let error = serde_json::from_str::<Edit>(stored).unwrap_err().to_string();
        assert!(error.starts_with(expect), "{error}");
    };
    check(r#"[3,[[2,1,"x"]]]"#, "a range from 2 to 1 ends before it starts");
    check(r#"[3,[[2,4,"x"]]]"#, "a range from 2 to 4 is outside the text of 3 bytes");
    check(r#"[3,[[1,3,"x"],[0,2,"y"]]]"#, "the ranges 0..2 and 1..3 overlap");
    check(r#"[18446744073709551615,[[0,0,"x"]]]"#, "no text is as long as this edit says");
}

#[test]
fn what_came_and_went_is_gone() {
    let typed = edit("abc", &[(1..1, "xyz")]);
    let erased = edit("axyzbc", &[(1..4, "")]);
    assert!(Edit::compose(&typed, &erased).unwrap().is_empty());
    let then = edit("axyzbc", &[(2..5, "-")]);
    assert_eq!(Edit::compose(&typed, &then).unwrap(), edit("abc", &[(1..2, "x-")]));
}

/// Whether two splices touch the same bytes, said in the plainest way.
fn collide(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

proptest! {
    #[test]
    fn undo_restores((text, edit) in nasty::text_and_edit()) {
        let old = Text::from(text);
        let new = edit.apply(&old).unwrap();
        let undo = edit.invert(&old).unwrap();
        prop_assert_eq!(&undo.apply(&new).unwrap(), &old);
        let redo = undo.invert(&new).unwrap();
        prop_assert_eq!(redo.apply(&old).unwrap(), new);
    }

    #[test]
    fn one_edit_for_two((text, first, then) in nasty::text_and_edits_in_turn()) {
        let old = Text::from(text);
        let both = Edit::compose(&first, &then).unwrap();
        prop_assert_eq!(both.len_before(), old.len_bytes());
        let in_turn = then.apply(&first.apply(&old).unwrap()).unwrap();
        prop_assert_eq!(both.len_after(), in_turn.len_bytes());
        prop_assert_eq!(both.apply(&old).unwrap(), in_turn);
        let checked = Edit::new(both.len_before(), both.splices().to_vec()).unwrap();
        prop_assert_eq!(checked, both);
    }

    #[test]
    fn an_edit_and_its_undo_come_to_nothing((text, edit) in nasty::text_and_edit()) {
        let old = Text::from(text);
        let nothing = Edit::compose(&edit, &edit.invert(&old).unwrap()).unwrap();
        prop_assert_eq!(nothing.apply(&old).unwrap(), old);
    }

    /// The result is that of one edit with the splices of both, so nothing of either is lost; who
    /// came first matters only where both insert at one point.
    #[test]
    fn two_writers_keep_all((text, one, other) in nasty::text_and_disjoint_edits()) {
        let old = Text::from(text.as_str());
        let land = |first: &Edit, late: &Edit| {
            let late = late.rebase(first).unwrap();
            late.apply(&first.apply(&old).unwrap()).unwrap().to_string()
        };
        let model = |first: &Edit, late: &Edit| {
            let splices = [first.splices(), late.splices()].concat();
            nasty::spliced(&text, &Edit::new(text.len(), splices).unwrap())
        };
        prop_assert_eq!(land(&one, &other), model(&one, &other));
        prop_assert_eq!(land(&other, &one), model(&other, &one));

        let points = |edit: &Edit| -> Vec<usize> {
            let insertions = edit.splices().iter().filter(|splice| splice.range.is_empty());
            insertions.map(|splice| splice.range.start).collect()
        };
        let shared = points(&one).iter().any(|point| points(&other).contains(point));
        if !shared {
            prop_assert_eq!(land(&one, &other), land(&other, &one));
        }
    }

    #[test]
    fn collisions_are_told((_, one, other) in nasty::text_and_two_edits()) {
        let collision = one.splices().iter().any(|a| {
            other.splices().iter().any(|b| collide(&a.range, &b.range))
        });
        prop_assert_eq!(one.rebase(&other).is_err(), collision);
        prop_assert_eq!(other.rebase(&one).is_err(), collision);
    }

    #[test]
    fn kept_text_is_where_the_map_says((text, edit) in nasty::text_and_edit()) {
        let new = nasty::spliced(&text, &edit);
        let kept = |at: usize| !edit.splices().iter().any(|splice| splice.range.contains(&at));
        let mut last = 0;
        for at in 0..text.len() {
            let (before, after) = (edit.map_offset(at, Bias::Before), edit.map_offset(at, Bias::After));
            prop_assert!(last <= before && before <= after && after <= new.len());
            last = before;
            if kept(at) {
                prop_assert_eq!(text.as_bytes()[at], new.as_bytes()[after]);
                prop_assert_eq!(edit.map_offset(at + 1, Bias::Before), after + 1);
            }
        }
        prop_assert_eq!(edit.map_offset(text.len(), Bias::After), new.len());
    }
}

#[test]
fn shared_lines() {
    let text = Text::from("one two\nthree\nfour\n");
    let edit = |start: usize, end: usize| {
        Edit::new(text.len_bytes(), vec![Splice::new(start..end, "x")]).unwrap()
    };
    let check = |a: (usize, usize), b: (usize, usize), expect: Option<usize>| {
        assert_eq!(edit(a.0, a.1).shares_line(&edit(b.0, b.1), &text), expect, "{a:?} {b:?}");
    };
    check((0, 3), (4, 7), Some(0));
    check((0, 0), (7, 7), Some(0));
    check((0, 3), (8, 9), None);
    check((0, 8), (8, 14), None);
    check((0, 9), (10, 11), Some(0));
    check((14, 14), (8, 14), None);
}
