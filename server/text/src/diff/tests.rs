//! Diffs: always right, small where it matters, and bounded.

use proptest::prelude::*;

use super::*;
use crate::{Text, nasty};
use expect_test::{Expect, expect};

fn check(old: &str, new: &str, expect: &[(Range<usize>, &str)]) {
    let edit = diff(old, new);
    let found: Vec<_> =
        edit.splices().iter().map(|splice| (splice.range.clone(), splice.text.as_str())).collect();
    assert_eq!(found, expect, "{old:?} -> {new:?}");
    assert_eq!(nasty::spliced(old, &edit), new);
}

#[test]
fn small_edits() {
    check("", "", &[]);
    check("same\n", "same\n", &[]);
    check("", "new\n", &[(0..0, "new\n")]);
    check("old\n", "", &[(0..4, "")]);
    check("a\nb\nc\n", "a\nc\n", &[(2..4, "")]);
    check("a\nc\n", "a\nb\nc\n", &[(2..2, "b\n")]);
    check("let foo = 1;\n", "let bar = 1;\n", &[(4..7, "bar")]);
    check("foo_bar(x)\n", "foo_baz(x)\n", &[(6..7, "z")]);
    check("one(1)\ntwo(2)\n", "one(7)\ntwo(8)\n", &[(4..5, "7"), (11..12, "8")]);
}

#[test]
fn characters_and_line_ends_stay_whole() {
    check("é\n", "è\n", &[(0..2, "è")]);
    check("😀", "😁", &[(0..4, "😁")]);
    check("a\r\nb", "a\nb", &[(1..3, "\n")]);
    check("a\nb", "a\r\nb", &[(1..2, "\r\n")]);
    check("a\rb", "a\r\nb", &[(1..2, "\r\n")]);
    check("a\r\n", "a\r", &[(1..3, "\r")]);
}

#[test]
fn equal_signs_are_no_common_ground() {
    check("alpha + beta;\n", "one + two;\n", &[(0..12, "one + two")]);
}

#[test]
fn big_rewrites_are_one_piece() {
    let old = "a b ".repeat(20_000);
    let new = "c b ".repeat(20_000);
    let edit = diff(&old, &new);
    assert_eq!(edit.splices().len(), 1);
    assert_eq!(nasty::spliced(&old, &edit), new);
}

#[test]
fn a_change_in_a_big_text_is_small() {
    let old: String = (0..50_000).map(|line| format!("line number {line}\n")).collect();
    let new = old.replacen("number 777\n", "number seven\nmore\n", 1).replacen("25000", "many", 1);
    let edit = diff(&old, &new);
    assert_eq!(nasty::spliced(&old, &edit), new);
    let inserted: usize = edit.splices().iter().map(|splice| splice.text.len()).sum();
    assert!(edit.splices().len() <= 3 && inserted < 20, "{edit:?}");
}

#[test]
fn texts_with_nothing_in_common_come_to_an_end() {
    let numbers = |factor: u64| -> String {
        (0..20_000u64).map(|line| format!("{}\n", line * factor % 97)).collect()
    };
    let (old, new) = (numbers(31), numbers(59));
    assert_eq!(nasty::spliced(&old, &diff(&old, &new)), new);
}

#[test]
fn changes_in_a_text_too_big_to_compare_as_a_whole() {
    let old: Vec<String> = (0..20_000).map(|line| format!("line {line}\n}}\n")).collect();
    let mut new = old.clone();
    new[100] = "changed\n".to_owned();
    new.remove(9_000);
    new.insert(12_000, "more\n}\n".to_owned());
    new.swap(15_000, 15_001);
    new[19_000].push_str("}\n");
    let (old, new) = (old.concat(), new.concat());
    let edit = diff(&old, &new);
    assert_eq!(nasty::spliced(&old, &edit), new);
    assert!(edit.splices().len() <= 8, "{edit:?}");
    assert_eq!(stat(&old, &new), (6, 6));
    assert_eq!(hunks(&old, &new, 3).len(), 5);
}

#[test]
fn a_spent_budget_still_gives_the_right_edit() {
    let line = |at: usize, sign: char| format!("{}{at}\n", sign.to_string().repeat(at % 7));
    let old: String = (0..40_000).map(|at| line(at % 50, '+')).collect();
    let new: String = (0..40_000).map(|at| line(at * 3 % 50, '-')).collect();
    assert_eq!(nasty::spliced(&old, &diff(&old, &new)), new);
    assert_eq!(stat(&old, "+1\n"), (0, 39_999));
}

fn check_unified(old: &str, new: &str, context: usize, expect: &Expect) {
    expect.assert_eq(&unified(old, new, context));
}

#[test]
fn unified_format() {
    check_unified(
        "a\nb\nc\nd\ne\nf\n",
        "a\nb\nC\nd\ne\nf\ng",
        1,
        &expect![[r#"
        @@ -2,3 +2,3 @@
         b
        -c
        +C
         d
        @@ -6,1 +6,2 @@
         f
        +g
        \ No newline at end of file
    "#]],
    );
    check_unified(
        "",
        "a\nb\n",
        3,
        &expect![[r#"
        @@ -0,0 +1,2 @@
        +a
        +b
    "#]],
    );
    check_unified(
        "a\nb\nc\n",
        "a\nc\n",
        0,
        &expect![[r#"
        @@ -2,1 +1,0 @@
        -b
    "#]],
    );
    check_unified(
        "a",
        "a\n",
        3,
        &expect![[r#"
        @@ -1,1 +1,1 @@
        -a
        \ No newline at end of file
        +a
    "#]],
    );
    check_unified("same", "same", 3, &expect![""]);
}

#[test]
fn hunks_for_clients() {
    let found = hunks("a\r\nb\r\n", "a\r\nx\ny", 3);
    let expect = DiffHunk {
        old_start: 1,
        old_lines: 2,
        new_start: 1,
        new_lines: 3,
        lines: [" a\r", "-b\r", "+x", "+y", "\\ No newline at end of file"]
            .map(str::to_owned)
            .into(),
    };
    assert_eq!(found, [expect]);
    let created = hunks("", "a\n", 3);
    assert_eq!((created[0].old_start, created[0].old_lines), (1, 0));
}

#[test]
fn counts() {
    let check = |old, new, expect| assert_eq!(stat(old, new), expect);
    check("", "", (0, 0));
    check("a\nb\n", "a\nc\nd\n", (2, 1));
    check("", "a", (1, 0));
    check("a\rb\r", "b\r", (0, 1));
    check("a", "a\n", (1, 1));
}

proptest! {
    #[test]
    fn the_edit_between_two_texts(old in nasty::long_text(), new in nasty::text()) {
        prop_assert_eq!(diff(&old, &new).apply(&Text::from(old.as_str())).unwrap().to_string(), new.as_str());
        prop_assert_eq!(diff(&new, &old).apply(&Text::from(new.as_str())).unwrap().to_string(), old.as_str());
    }

    #[test]
    fn the_edit_between_neighbours((old, edit) in nasty::text_and_edit()) {
        let new = nasty::spliced(&old, &edit);
        let found = diff(&old, &new);
        prop_assert_eq!(nasty::spliced(&old, &found), new.as_str());
        for splice in found.splices() {
            prop_assert!(can_cut(&old, splice.range.start) && can_cut(&old, splice.range.end));
        }
        for splice in found.invert(&Text::from(old.as_str())).unwrap().splices() {
            prop_assert!(can_cut(&new, splice.range.start) && can_cut(&new, splice.range.end));
        }
    }

    #[test]
    fn hunks_tell_it_all(old in nasty::text(), new in nasty::text(), context in 0usize..4) {
        let (added, removed) = stat(&old, &new);
        let shown = hunks(&old, &new, context);
        let count = |sign: char| {
            shown.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.starts_with(sign)).count()
        };
        prop_assert_eq!(added as isize - removed as isize, count('+') as isize - count('-') as isize);
        for hunk in &shown {
            let own = |sign| hunk.lines.iter().filter(|line| line.starts_with(sign)).count();
            prop_assert_eq!(hunk.old_lines, own(' ') + own('-'));
            prop_assert_eq!(hunk.new_lines, own(' ') + own('+'));
        }
        prop_assert_eq!(shown.is_empty(), old == new);
    }
}
