//! Whose part is whose, for the ways a user types around an edit.

use crate::edit::{Edit, Splice};
use crate::text::Text;

use super::{Remainder, subtract};

const BEFORE: &str = "alpha\nbeta gamma delta\nepsilon\n";

/// `gamma` becomes `GAMMA GAMMA`.
fn expected() -> Edit {
    let at = BEFORE.find("gamma").unwrap();
    Edit::new(BEFORE.len(), vec![Splice::new(at..at + 5, "GAMMA GAMMA")]).unwrap()
}

fn remainder(now: &str) -> Remainder {
    let observed = crate::diff(BEFORE, now);
    let found = subtract(&Text::from(BEFORE), &expected(), &observed).unwrap();
    let after = expected().apply(&Text::from(BEFORE)).unwrap();
    assert_eq!(found.edit.apply(&after).unwrap(), Text::from(now), "the parts make the whole");
    found
}

fn inserted(edit: &Edit) -> String {
    edit.splices().iter().map(|splice| splice.text.as_str()).collect()
}

fn removed(edit: &Edit) -> usize {
    edit.splices().iter().map(|splice| splice.range.len()).sum()
}

#[test]
fn typing_beside_before_and_inside_the_new_text_is_the_remainder() {
    for (now, typed, touches) in [
        ("alpha\nbeta GAMMA GAMMAUSER1 delta\nepsilon\n", "USER1", true),
        ("alpha\nbeta USER1GAMMA GAMMA delta\nepsilon\n", "USER1", true),
        ("alpha\nbeta GAMMA 12GAM3MA delta\nepsilon\n", "123", true),
        ("alpha\nbeta GAMMA\n  GAMMA delta\nepsilon\n", "\n ", true),
        ("x alpha\nbeta GAMMA GAMMA delta\nepsilon y\n", "x  y", false),
        ("alpha\nbeta GAMMA GAMMA delta\nepsilon\nUSER1\n", "USER1\n", false),
    ] {
        let found = remainder(now);
        assert_eq!(inserted(&found.edit), typed, "{now:?}");
        assert_eq!(removed(&found.edit), 0, "{now:?}");
        assert_eq!(found.touches(), touches, "{now:?}");
        assert!(found.is_strong_evidence(), "{now:?}");
    }
}

#[test]
fn new_text_that_is_deleted_again_still_counts_as_written() {
    // Of `GAMMA GAMMA` only the last `A` is left, and `12` was typed.
    let found = remainder("alpha\nbeta 12A delta\nepsilon\n");
    assert_eq!(removed(&found.edit), 10);
    assert!(!found.is_strong_evidence());
    assert!(found.is_possible());
}

#[test]
fn typing_alone_is_no_evidence() {
    for now in [
        BEFORE,
        "alpha\nbeta gamma delta\nepsilon\nUSER1\n",
        "alpha\nbeta gamXma delta\nepsilon\n",
        "alpha\nbeta delta\nepsilon\n",
    ] {
        let found = remainder(now);
        assert!(!found.is_strong_evidence(), "{now:?}");
    }
    assert!(!remainder(BEFORE).is_possible());
    let typed_inside = remainder("alpha\nbeta gamXma delta\nepsilon\n");
    assert!(!typed_inside.is_possible());
}

#[test]
fn long_typing_with_the_same_letters_is_no_strong_evidence() {
    let text = Text::from("fn main() {\n}\n");
    let edit = Edit::new(14, vec![Splice::new(12..12, "    println!(\"done\");\n")]).unwrap();
    let pasted =
        "    let printed = points.iter().all(|line| neat(line)!);\n    (\"do not even;\")\n";
    let observed = Edit::new(14, vec![Splice::new(12..12, pasted)]).unwrap();
    let found = subtract(&text, &edit, &observed).unwrap();
    assert!(!found.is_strong_evidence(), "{found:?}");
}

#[test]
fn an_edit_that_changes_nothing_cannot_be_found() {
    let text = Text::from(BEFORE);
    assert!(subtract(&text, &Edit::identity(text.len_bytes()), &crate::diff(BEFORE, "")).is_none());
}

#[test]
fn a_line_end_of_two_bytes_is_never_torn() {
    let (before, now) = (Text::from("a\r\nb\r\n"), Text::from("a\r\nX\nb\r\nY\r\n"));
    let edit = Edit::new(6, vec![Splice::new(3..3, "X\r\n")]).unwrap();
    let observed = crate::diff(&before.to_string(), &now.to_string());
    let found = subtract(&before, &edit, &observed).unwrap();
    let after = edit.apply(&before).unwrap();
    for splice in found.edit.splices() {
        for at in [splice.range.start, splice.range.end] {
            let around = after.slice(at.saturating_sub(1)..(at + 1).min(after.len_bytes()));
            assert_ne!(around.as_deref(), Some("\r\n"));
        }
    }
}

/// A comparison by lines takes the split line for a new one, and the agent's text for the user's.
#[test]
fn text_that_stays_between_two_insertions_is_not_part_of_the_change() {
    let (before, now) = ("éΠ\nэΑΒф éΓΔ\n~\n", "éΠ\nэф éΑΒы\nэф éΓΔ\n~\n");
    let coarse =
        Edit::new(before.len(), vec![Splice::new(5..5, "эф éΑΒы\n"), Splice::new(7..11, "")]);
    let coarse = coarse.unwrap();
    assert_eq!(coarse.apply(&Text::from(before)).unwrap(), Text::from(now));
    let refined = coarse.refine(&Text::from(before));
    assert_eq!(refined.apply(&Text::from(before)).unwrap(), Text::from(now));
    assert_eq!(removed(&refined), 0, "{refined:?}");
}
