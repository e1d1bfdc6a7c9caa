//! Several changes in one go.

use proptest::prelude::*;

use super::*;
use crate::nasty;

fn check(text: &str, changes: &[(&str, &str)], expect: Result<&str, (usize, ReplaceError)>) {
    let changes: Vec<_> =
        changes.iter().map(|(old, new)| Change { old, new, all: false }).collect();
    let found = replace_many(text, &changes).map(|found| {
        assert_eq!(found.count, changes.len());
        nasty::spliced(text, &found.edit)
    });
    assert_eq!(found, expect.map(str::to_owned), "{changes:?} in {text:?}");
}

#[test]
fn one_after_the_other() {
    check("a b c", &[], Ok("a b c"));
    check("a b c", &[("c", "z"), ("a", "x")], Ok("x b z"));
    check("a b c", &[("a b", "a d b"), ("d b", "e")], Ok("a e c"));
    check("a b c", &[("a", "b b"), ("b b b", "y")], Ok("y c"));
    check("a\r\nb\r\n", &[("a\nb", "x\ny\nz"), ("y\n", "")], Ok("x\r\nz\r\n"));
}

#[test]
fn all_or_none() {
    check("a b", &[("a", "x"), ("b", "b")], Err((1, ReplaceError::Same)));
    check("a b", &[("", "x"), ("b", "b")], Err((0, ReplaceError::Empty)));
    let gone = replace("x b", "a", "y", false).unwrap_err();
    check("a b", &[("a", "x"), ("a", "y")], Err((1, gone)));
}

#[test]
fn counts_add_up() {
    let all = |old, new| Change { old, new, all: true };
    let found = replace_many("a b a", &[all("a", "c"), all("c b", "d")]).unwrap();
    assert_eq!((found.count, found.leniency), (3, None));
    assert_eq!(nasty::spliced("a b a", &found.edit), "d c");
}

proptest! {
    #[test]
    fn like_one_by_one(text in nasty::text(), changes in prop::collection::vec(("[ab ]|word", nasty::text()), 0..4)) {
        let changes: Vec<_> =
            changes.iter().map(|(old, new)| Change { old, new, all: true }).collect();
        let mut expect = Ok(text.clone());
        for (index, Change { old, new, all }) in changes.iter().enumerate() {
            expect = expect.and_then(|text| match replace(&text, old, new, *all) {
                Ok(found) => Ok(nasty::spliced(&text, &found.edit)),
                Err(error) => Err((index, error)),
            });
        }
        let found = replace_many(&text, &changes);
        prop_assert_eq!(found.map(|found| nasty::spliced(&text, &found.edit)), expect);
    }
}
