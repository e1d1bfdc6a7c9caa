//! Keys in, decisions out; what is on the screen.

use expect_test::{Expect, expect};

use super::super::tests::key;
use super::*;
use crate::render::line::plain_text;
use crate::state::changes::tests::hunk;

fn pending() -> Vec<Hunk> {
    vec![
        hunk("h1", "a.rs", 0, "one\n", "1\n"),
        hunk("h2", "a.rs", 9, "", "x\ny\nz\n"),
        hunk("h3", "src/b.rs", 4, "gone\n", ""),
    ]
}

fn check(review: &mut Review, expect: &Expect) {
    let from = |hunk: &Hunk| (hunk.id == "h1").then(|| "count from one".to_owned());
    let (rows, caret) = review.draw(&pending(), from, (44, 20));
    assert!(rows.iter().all(|row| row.width() <= 44));
    let caret = caret.map(|place| format!("caret {place:?}\n")).unwrap_or_default();
    expect.assert_eq(&(plain_text(&rows) + &caret));
}

fn press(review: &mut Review, keys: &str) -> Move {
    let mut last = Move::Stay;
    for name in keys.split(' ') {
        assert_eq!(last, Move::Stay, "{keys}");
        last = review.on_key(key(name), &pending());
    }
    last
}

#[test]
fn shows_where_one_is_and_the_change() {
    let mut review = Review::new("/w", 0);
    check(
        &mut review,
        &expect![[r#"
            ────────────────────────────────────────────
            a.rs:1  1 of 3 changes to review
              a.rs ❯1  10-12
              src/b.rs  5
            for: count from one
              1 - one
              1 + 1
            a accept · r reject · c reject and say why ·
            l only some lines · u undo
            A R all of this file · n p next, previous ·
            q leave
        "#]],
    );
    press(&mut review, "n l 2");
    check(
        &mut review,
        &expect![[r#"
            ────────────────────────────────────────────
            a.rs:10-12  2 of 3 changes to review
              a.rs  1 ❯10-12
              src/b.rs  5
              1 + x
              2 + y
              3 + z
            Lines, for example 2-3; then a accept · r
            reject · c reject and say why
            › 2
            caret (9, 3)
        "#]],
    );
}

#[test]
fn a_key_decides() {
    let verdict = |hunks: &[&str], action: ReviewAction, lines: &[(u32, u32)], comment: &str| {
        let lines = lines.iter().map(|&(start, end)| LineSpan { start, end }).collect::<Vec<_>>();
        Move::Resolve(Verdict {
            hunks: hunks.iter().map(|&id| id.to_owned()).collect(),
            scope: Scope::Hunks,
            action,
            lines: Some(lines).filter(|lines| !lines.is_empty()),
            comment: Some(comment.to_owned()).filter(|comment| !comment.is_empty()),
        })
    };
    let of_file = |verdict: Move, file: &str| match verdict {
        Move::Resolve(verdict) => {
            let scope = Scope::File(format!("file:///w/{file}"));
            Move::Resolve(Verdict { scope, ..verdict })
        }
        other => other,
    };
    let (accept, reject) = (ReviewAction::Accept, ReviewAction::Reject);
    for (keys, expect) in [
        ("a", verdict(&["h1"], accept.clone(), &[], "")),
        ("n r", verdict(&["h2"], reject.clone(), &[], "")),
        ("p r", verdict(&["h3"], reject.clone(), &[], "")),
        ("down down up a", verdict(&["h2"], accept.clone(), &[], "")),
        ("A", of_file(verdict(&["h1", "h2"], accept.clone(), &[], ""), "a.rs")),
        ("p R", of_file(verdict(&["h3"], reject.clone(), &[], ""), "src/b.rs")),
        ("c n o enter", verdict(&["h1"], reject.clone(), &[], "no")),
        ("c enter", verdict(&["h1"], reject.clone(), &[], "")),
        ("c x esc a", verdict(&["h1"], accept.clone(), &[], "")),
        ("n l 2 - 3 r", verdict(&["h2"], reject.clone(), &[(1, 3)], "")),
        ("n l 1 a", verdict(&["h2"], accept.clone(), &[(0, 1)], "")),
        ("n l 1 - 3 a", verdict(&["h2"], accept, &[], "")),
        ("n l 3 c n o enter", verdict(&["h2"], reject.clone(), &[(2, 3)], "no")),
        ("n l 9 r x backspace 1 enter r", verdict(&["h2"], reject, &[(0, 1)], "")),
        ("l esc u", Move::Undo),
        ("q", Move::Leave),
        ("esc", Move::Leave),
        ("ctrl-c", Move::Leave),
        ("n x pagedown space tab 1", Move::Stay),
    ] {
        assert_eq!(press(&mut Review::new("/w", 0), keys), expect, "{keys}");
    }
}

#[test]
fn keys_wait_for_the_outcome_but_leaving_does_not() {
    let mut review = Review::new("/w", 0);
    press(&mut review, "a");
    review.wait();
    assert_eq!(press(&mut review, "r q"), Move::Stay);
    let typed = review.go_on();
    assert_eq!(typed, [key("r"), key("q")]);
    review.wait();
    assert_eq!(press(&mut review, "esc"), Move::Leave);
}

#[test]
fn when_a_change_is_gone_the_next_one_is_in_sight() {
    let mut review = Review::new("/w", 0);
    press(&mut review, "n");
    let left = [pending().remove(0), pending().remove(2)];
    let decided = |answer: Move, id: &str| matches!(answer, Move::Resolve(v) if v.hunks == [id]);
    assert!(decided(review.on_key(key("a"), &left), "h3"));
    assert!(decided(review.on_key(key("a"), &left[..1]), "h1"));
    assert_eq!(review.on_key(key("a"), &[]), Move::Leave);
}

#[test]
fn a_comment_on_a_change_that_goes_away_decides_nothing() {
    let mut review = Review::new("/w", 0);
    press(&mut review, "c n o");
    let left = &pending()[1..];
    for name in ["r", "a", "R", "q", "enter"] {
        assert_eq!(review.on_key(key(name), left), Move::Stay);
    }
    assert!(matches!(review.on_key(key("r"), left), Move::Resolve(v) if v.hunks == ["h2"]));
}
