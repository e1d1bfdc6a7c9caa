//! Who wrote what, told as short stories.

mod model;
mod random;

use super::*;
use crate::edit::Splice;
use HunkState::{Accepted, Pending, Rejected, Superseded};

/// A ledger and what happens to it. Edits name the text they replace, which is there only once.
struct Story {
    ledger: Ledger,
    last: Option<Applied>,
}

fn story(text: &str) -> Story {
    Story { ledger: Ledger::new(Text::from(text)), last: None }
}

fn author() -> Author {
    Author { session: "s".into(), turn: "t".into(), call: "c".into() }
}

impl Story {
    fn step(mut self, step: &Step) -> Story {
        let before = self.ledger.text().clone();
        let applied = self.ledger.apply(step).unwrap();
        assert_eq!(applied.edit.apply(&before).unwrap(), *self.ledger.text(), "{step:?}");
        self.last = Some(applied);
        self
    }

    fn edit(&self, changes: &[(&str, &str)]) -> Edit {
        let text = self.ledger.text().to_string();
        let splices = changes.iter().map(|(old, new)| {
            assert_eq!(text.matches(old).count(), 1, "{old:?} in {text:?}");
            let start = text.find(old).unwrap();
            Splice::new(start..start + old.len(), *new)
        });
        Edit::new(text.len(), splices.collect()).unwrap()
    }

    fn agent(self, changes: &[(&str, &str)]) -> Story {
        let edit = self.edit(changes);
        self.step(&Step::Agent { edit, author: author(), creates: false })
    }

    fn user(self, old: &str, new: &str) -> Story {
        let edit = self.edit(&[(old, new)]);
        self.step(&Step::Foreign { edit })
    }

    /// The user writes at the end of the only `after`, touching nothing.
    fn types(self, after: &str, new: &str) -> Story {
        let edit = self.edit(&[(after, "")]);
        let at = edit.splices()[0].range.end;
        let edit = Edit::new(edit.len_before(), vec![Splice::new(at..at, new)]).unwrap();
        self.step(&Step::Foreign { edit })
    }

    fn off(self, hunks: &[HunkNo]) -> Story {
        self.step(&Step::Switch { hunks: hunks.to_vec(), active: false })
    }

    fn on(self, hunks: &[HunkNo]) -> Story {
        self.step(&Step::Switch { hunks: hunks.to_vec(), active: true })
    }

    fn fold(self, hunks: &[HunkNo]) -> Story {
        self.step(&Step::Fold { hunks: hunks.to_vec() })
    }

    fn mark(self, no: HunkNo, state: HunkState) -> Story {
        self.step(&Step::Mark { hunks: vec![no], state })
    }

    /// Each of the lines is given from and to.
    fn split(self, hunk: HunkNo, lines: &[(usize, usize)]) -> Story {
        let lines = lines.iter().map(|(from, to)| *from..*to).collect();
        self.step(&Step::Split { hunk, lines })
    }

    #[track_caller]
    fn is(self, text: &str) -> Story {
        assert_eq!(self.ledger.text().to_string(), text);
        self
    }

    #[track_caller]
    fn states(self, states: &[(HunkNo, HunkState)]) -> Story {
        let found: Vec<_> = self.ledger.hunks().map(|hunk| (hunk.no, hunk.state)).collect();
        assert_eq!(found, states);
        self
    }

    /// Whether the last step made and touched these hunks.
    #[track_caller]
    fn told(self, made: &[HunkNo], touched: &[HunkNo]) -> Story {
        let last = self.last.as_ref().unwrap();
        assert_eq!((&last.made[..], &last.touched[..]), (made, touched));
        self
    }

    #[track_caller]
    fn sees(self, no: HunkNo, range: Range<usize>, old: &str, new: &str) -> Story {
        let view = self.ledger.view(no).unwrap();
        assert_eq!((view.range, &*view.old_text, &*view.new_text), (range, old, new));
        self
    }
}

#[test]
fn a_hunk_goes_and_comes_back() {
    story("one\ntwo\nthree\n")
        .agent(&[("two", "2")])
        .told(&[1], &[])
        .is("one\n2\nthree\n")
        .off(&[1])
        .told(&[], &[1])
        .is("one\ntwo\nthree\n")
        .on(&[1])
        .is("one\n2\nthree\n");
}

#[test]
fn hunks_are_split_at_unchanged_lines() {
    let text = "one\ntwo\nthree\nfour\nfive\n";
    story(text).agent(&[("one", "1"), ("two", "2")]).told(&[1], &[]);
    story(text).agent(&[("one", "1"), ("three", "3")]).told(&[1, 2], &[]);
    story(text).agent(&[("one\n", ""), ("two\n", "")]).told(&[1], &[]);
    story(text).agent(&[("one\n", ""), ("three", "3")]).told(&[1, 2], &[]);
    story(text).agent(&[("on", "On"), ("wo\nth", "x")]).told(&[1], &[]);
    story(text).agent(&[("two", "two")]).told(&[], &[]);
}

#[test]
fn what_the_user_wrote_stays() {
    let new = story("one\ntwo\nthree\n").agent(&[("two\n", "2a\n2b\n")]);
    new.types("2a\n", "mine\n")
        .is("one\n2a\nmine\n2b\nthree\n")
        .off(&[1])
        .is("one\nmine\ntwo\nthree\n");
    let new = story("one\ntwo\nthree\n").agent(&[("one\ntwo\n", "1\n2\n")]);
    let new = new.types("1\n", "mine\n").off(&[1]).is("one\nmine\ntwo\nthree\n");
    new.on(&[1]).is("1\nmine\n2\nthree\n");
    let new = story("a b c").agent(&[("b", "bee")]).types("be", "!").is("a be!e c");
    new.off(&[1]).is("a !b c").on(&[1]).is("a be!e c");
}

#[test]
fn what_the_user_deleted_stays_deleted() {
    let new = story("a b c").agent(&[("b", "bee")]).user("ee", "").is("a b c");
    new.off(&[1]).is("a b c").on(&[1]).is("a b c").states(&[(1, Pending)]);
    let new = story("a b c").agent(&[("b", "bee")]).user(" bee ", "-").is("a-c");
    new.off(&[1]).is("a-bc").on(&[1]).is("a-c");
    let new = story("a b c").agent(&[("b", "b!")]).off(&[1]).user("b", "").is("a  c");
    new.on(&[1]).is("a b! c");
}

#[test]
fn hunks_on_top_of_hunks() {
    let new = || story("a b c").agent(&[("b", "bee")]).agent(&[("ee", "oo")]).is("a boo c");
    new().off(&[2]).is("a bee c").off(&[1]).is("a b c");
    new().off(&[1]).is("a oob c").off(&[2]).is("a b c").on(&[1]).is("a bee c");
    new().off(&[1, 2]).is("a b c").on(&[2]).is("a oob c").on(&[1]).is("a boo c");
}

#[test]
fn a_hunk_of_which_nothing_is_left_is_superseded() {
    let new = || story("x\n").agent(&[("x\n", "x\nnew\n")]).is("x\nnew\n");
    new().user("new\n", "").told(&[], &[1]).states(&[(1, Superseded)]);
    let gone = new().agent(&[("new\n", "")]).told(&[2], &[1]);
    let gone = gone.states(&[(1, Superseded), (2, Pending)]);
    let back = gone.off(&[2]).told(&[], &[1, 2]).states(&[(1, Pending), (2, Pending)]);
    back.mark(1, Accepted).on(&[2]).states(&[(1, Accepted), (2, Pending)]);
    let marked = new().user("new\n", "").mark(1, Rejected).states(&[(1, Rejected)]);
    marked.mark(1, Pending).states(&[(1, Superseded)]);
}

#[test]
fn how_hunks_look() {
    story("one\ntwo\nthree\n").agent(&[("two", "2")]).sees(1, 4..6, "two\n", "2\n").off(&[1]).sees(
        1,
        4..8,
        "two\n",
        "2\n",
    );
    story("one\ntwo\nthree").agent(&[("two\n", "")]).sees(1, 4..4, "two\n", "");
    story("one\ntwo").agent(&[("\ntwo", "")]).sees(1, 0..3, "one\ntwo", "one");
    story("one\ntwo\n").agent(&[("one\n", "1")]).sees(1, 0..5, "one\ntwo\n", "1two\n");
    story("a\r\nb\r\n").agent(&[("b\r\n", "b\r\nc\r\n")]).sees(1, 6..9, "", "c\r\n");
    let mixed = |story: Story| story.ledger.view(1).unwrap().mixed;
    let new = || story("a b c").agent(&[("b", "bee")]);
    assert!(!mixed(new().types("bee", "!")));
    assert!(!mixed(new().types("a ", "!")));
    assert!(mixed(new().types("be", "!")));
    assert!(mixed(new().user("ee", "")));
    assert!(!mixed(story("a b c d e").agent(&[("a", "A"), ("c", "C"), ("e", "E")])));
}

#[test]
fn lines_of_a_hunk_alone() {
    let new = || story("a\nb\nc\n").agent(&[("a\nb\nc\n", "1\n2\n3\n4\n")]);
    let middle = new().split(1, &[(1, 2)]).told(&[2], &[1]).is("1\n2\n3\n4\n");
    middle.off(&[2]).is("1\nb\n3\n4\n").off(&[1]).is("a\nb\nc\n").on(&[2]).is("a\n2\nc\n");
    new().split(1, &[(0, 1), (3, 4)]).off(&[1]).is("1\nb\n4\n");
    new().split(1, &[(2, 4)]).off(&[2]).is("1\n2\nc\n");
    let without = new().off(&[1]).split(1, &[(2, 4)]).is("a\nb\nc\n");
    without.on(&[2]).is("a\nb\n3\n4\n").on(&[1]).is("1\n2\n3\n4\n");
    new().split(1, &[(0, 4)]).states(&[(1, Superseded), (2, Pending)]);
    let one = story("a x b y\n").agent(&[("x", ""), ("y", "Y")]).split(1, &[(0, 1)]);
    one.off(&[2]).is("a x b y\n");
}

#[test]
fn forgotten_hunks() {
    let new = || story("a b c").agent(&[("b", "bee")]).agent(&[("ee", "oo")]).is("a boo c");
    let top = new().fold(&[2]).told(&[], &[1]).is("a boo c").states(&[(1, Pending)]);
    top.off(&[1]).is("a oob c").on(&[1]).is("a boo c");
    let under = new().fold(&[1]).is("a boo c").states(&[(2, Pending)]);
    under.off(&[2]).is("a bee c");
    let under_off = new().off(&[1]).is("a oob c").fold(&[1]).is("a oob c");
    under_off.off(&[2]).is("a b c").on(&[2]).is("a oob c");
    let top_off = new().off(&[2]).fold(&[2]).is("a bee c").off(&[1]).is("a b c");
    top_off.fold(&[1]).is("a b c").states(&[]);
    assert_eq!(new().fold(&[1, 2]).ledger.segments.len(), 1);
}

#[test]
fn who_is_told_of_what() {
    let text = "one\ntwo\nthree\nfour\nfive\n";
    let new = || story(text).agent(&[("two", "2"), ("four", "4")]).told(&[1, 2], &[]);
    new().types("one", "!").told(&[], &[]);
    new().types("thr", "!").told(&[], &[]);
    new().types("2", "!").told(&[], &[1]);
    new().user("2\nth", "").told(&[], &[1]);
    new().user("e\n2", "").told(&[], &[1]);
    new().user("one\n2\nthree\n4\n", "").told(&[], &[1, 2]).is("five\n");
    new().agent(&[("three", "3"), ("five", "5")]).told(&[3, 4], &[]);
    new().agent(&[("2\nthree\n4", "3")]).told(&[3], &[1, 2]).off(&[3]).told(&[], &[1, 2, 3]);
    new().off(&[1]).told(&[], &[1]).off(&[1]).told(&[], &[]).mark(1, Rejected).told(&[], &[1]);
}

#[test]
fn an_undo_in_the_editor_is_no_typing() {
    let new = || story("one\ntwo\nthree\n").agent(&[("two", "2")]).types("three", "!");
    let check = |story: Story, changes: &[(&str, &str)], expect: Option<(&[HunkNo], bool)>| {
        let expect = expect.map(|(hunks, active)| Step::Switch { hunks: hunks.to_vec(), active });
        assert_eq!(story.ledger.recognise(&story.edit(changes)), expect);
    };
    check(new(), &[("2", "two")], Some((&[1], false)));
    check(new(), &[("e\n2\nthr", "e\ntwo\nthr")], Some((&[1], false)));
    check(new(), &[("2", "tow")], None);
    check(new(), &[("2", "")], None);
    check(new(), &[("one", "two")], None);
    check(new(), &[("2", "two"), ("!", "")], None);
    check(new(), &[], None);
    check(new().off(&[1]), &[("two", "2")], Some((&[1], true)));
    let twice = story("a\nb\n").agent(&[("b\n", "a\nb\n")]);
    check(twice, &[("a\na\n", "a\n")], Some((&[1], false)));
    let both = || new().agent(&[("one", "1")]);
    check(both(), &[("1\n2", "one\ntwo")], Some((&[1, 2], false)));
    check(both(), &[("1\n2", "1\ntwo")], Some((&[1], false)));
    check(both(), &[("1", "one")], Some((&[2], false)));
    check(both().off(&[1]), &[("1", "one")], Some((&[2], false)));
}

#[test]
fn a_very_long_line_is_shown_in_part() {
    let long = "é".repeat(1_000_000);
    let new = story(&format!("{long}x{long}")).agent(&[("x", "y")]);
    let view = new.ledger.view(1).unwrap();
    assert!(view.range.len() < 40_000 && view.old_text.len() < 40_000);
    assert_eq!(new.ledger.text().slice(view.range).unwrap(), view.new_text);
    let far = Edit::new(4_000_001, vec![Splice::new(0..0, "!")]).unwrap();
    new.step(&Step::Foreign { edit: far }).told(&[], &[]);
}

#[test]
fn a_file_written_anew_is_not_all_pairs() {
    let lines = |word: &str| -> String { (0..5000).map(|at| format!("{word} {at}\n")).collect() };
    let (old, new) = (lines("old"), lines("new"));
    let story = story(&old).agent(&[(&old, &new)]).told(&[1], &[]).is(&new);
    assert_eq!(story.ledger.segments.len(), 2000);
    story.types("new 10\n", "mine\n").off(&[1]).user("old 10\nmine\nold 11\n", "").on(&[1]);
}

#[test]
fn no_line_end_is_torn() {
    let new = story("a\r\nb").agent(&[("a\r", "a\rx\r")]).is("a\rx\r\nb").off(&[1]).is("a\r\nb");
    let put_back = new.ledger.preview(&[1], true);
    let expect = Edit::new(4, vec![Splice::new(1..3, "\rx\r\n")]).unwrap();
    assert_eq!(put_back, expect);
}

#[test]
fn damaged_ledgers_are_refused() {
    let stored = serde_json::to_string(
        &story("é\nb\n").agent(&[("b", "B")]).agent(&[("é", "e")]).ledger.save(),
    );
    let stored = stored.unwrap();
    let check = |old: &str, new: &str, damaged: bool| {
        assert_eq!(stored.matches(old).count(), 1, "{old} in {stored}");
        let saved: Saved = serde_json::from_str(&stored.replace(old, new)).unwrap();
        assert_eq!(Ledger::load(saved).is_err(), damaged, "{new}");
    };
    check(r#""given":2"#, r#""given":3"#, false);
    check(r#""given":2"#, r#""given":1"#, true);
    check(r#""given":2"#, r#""given":18446744073709551615"#, true);
    check(r#""no":1"#, r#""no":3"#, true);
    check(r#""text":"e\nB\n""#, r#""text":"e\nBB\n""#, true);
    check(r#""text":"e\nB\n""#, r#""text":"e\né""#, true);
    check(r#""by":2"#, r#""by":3"#, true);
    check(r#""gone":[1],"#, "", true);
    check(r#""gone":[1]"#, r#""gone":[1,1]"#, true);
    check(r#""hidden":"b""#, r#""hidden":"""#, true);
}

#[test]
fn a_replaced_hunk_is_uncovered_by_all_that_lies_on_it() {
    let stacked = story("one\n")
        .agent(&[("one\n", "one\nA\n")])
        .agent(&[("A\n", "B\n")])
        .agent(&[("B\n", "C\n")])
        .states(&[(1, Superseded), (2, Pending), (3, Pending)]);
    assert!(stacked.ledger.uncovered_by(&[3], |_| true).is_empty());
    assert_eq!(stacked.ledger.uncovered_by(&[2, 3], |_| true), [1]);
    assert!(stacked.ledger.uncovered_by(&[2, 3], |hunk| hunk.no != 1).is_empty());
    stacked.off(&[1, 2, 3]).is("one\n");
    let accepted = story("one\n")
        .agent(&[("one\n", "one\nA\n")])
        .mark(1, Accepted)
        .agent(&[("A\n", "B\n")])
        .states(&[(1, Accepted), (2, Pending)]);
    assert!(accepted.ledger.uncovered_by(&[2], |_| true).is_empty());
}

#[test]
fn a_file_the_agent_made() {
    let create = |text: &str| {
        let edit = Edit::new(0, vec![Splice::new(0..0, text)]).unwrap();
        story("").step(&Step::Agent { edit, author: author(), creates: true }).told(&[1], &[])
    };
    let empty = create("").sees(1, 0..0, "", "").states(&[(1, Pending)]);
    assert!(!empty.ledger.is_effective(1));
    let typed = Edit::new(0, vec![Splice::new(0..0, "mine")]).unwrap();
    empty.step(&Step::Foreign { edit: typed }).told(&[], &[1]).states(&[(1, Superseded)]);
    let full = create("one\n").sees(1, 0..4, "", "one\n").off(&[1]).is("");
    full.states(&[(1, Pending)]).on(&[1]).user("one\n", "").states(&[(1, Pending)]);
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let check = |step: Step, expect: LedgerError| {
        let mut ledger = story("é\nb\n").agent(&[("b", "B")]).ledger;
        let before = ledger.save();
        assert_eq!(ledger.apply(&step).unwrap_err(), expect, "{step:?}");
        assert_eq!(ledger.save(), before, "{step:?}");
    };
    let unknown = LedgerError::UnknownHunk(7);
    check(Step::Switch { hunks: vec![1, 7], active: false }, unknown.clone());
    check(Step::Mark { hunks: vec![1, 7], state: Accepted }, unknown.clone());
    check(Step::Fold { hunks: vec![1, 7] }, unknown.clone());
    check(Step::Split { hunk: 7, lines: vec![] }, unknown);
    let outside = |lines: Range<usize>| LedgerError::LinesOutside { hunk: 1, lines, count: 1 };
    check(Step::Split { hunk: 1, lines: vec![0..1, 1..2] }, outside(1..2));
    #[expect(clippy::reversed_empty_ranges, reason = "that is the fault")]
    check(Step::Split { hunk: 1, lines: vec![0..1, 1..0] }, outside(1..0));
    check(Step::Split { hunk: 1, lines: vec![] }, LedgerError::NothingThere(1));
    let too_long = Edit::identity(6);
    let mismatch = CannotApply::LengthMismatch { expected: 6, found: 5 };
    check(Step::Foreign { edit: too_long }, mismatch.into());
    let cut = Edit::new(5, vec![Splice::new(1..2, "")]).unwrap();
    let inside = LedgerError::DoesNotFit(CannotApply::InsideCharacter { offset: 1 });
    check(Step::Foreign { edit: cut.clone() }, inside.clone());
    check(Step::Agent { edit: cut, author: author(), creates: true }, inside);
}

#[test]
fn an_undo_of_rejecting_all_but_one_is_recognised() {
    let mut ledger = Ledger::new(Text::from("one\n\ntwo\n\nthree\n\n"));
    let mut made = Vec::new();
    for (number, word) in ["one", "two", "three"].into_iter().enumerate() {
        let text = ledger.text().to_string();
        let at = text.find(word).unwrap();
        let edit = Edit::new(text.len(), vec![Splice::new(at..at + word.len(), "NEW")]).unwrap();
        let [session, turn, call] = ["s", "t", &format!("c{number}")].map(str::to_owned);
        let author = Author { session, turn, call };
        made.extend(ledger.apply(&Step::Agent { edit, author, creates: false }).unwrap().made);
    }
    ledger.apply(&Step::Switch { hunks: vec![made[1]], active: false }).unwrap();
    let before = ledger.text().to_string();
    let rest = vec![made[0], made[2]];
    ledger.apply(&Step::Switch { hunks: rest.clone(), active: false }).unwrap();
    let undo = crate::diff(&ledger.text().to_string(), &before);
    assert_eq!(ledger.recognise(&undo), Some(Step::Switch { hunks: rest, active: true }));
}

#[test]
fn an_undo_told_together_with_typing_at_its_place_is_recognised() {
    let text = "before\none two three\nafter\n";
    let mut ledger = Ledger::new(Text::from(text));
    let edit = Edit::new(text.len(), vec![Splice::new(7..20, "SOMETHING NEW")]).unwrap();
    let [session, turn, call] = ["s", "t", "c"].map(str::to_owned);
    let author = Author { session, turn, call };
    ledger.apply(&Step::Agent { edit, author, creates: false }).unwrap();
    let undone = "before\none two typed three\nafter\n";
    let (step, rest) =
        ledger.recognise_part(&crate::diff(&ledger.text().to_string(), undone)).unwrap();
    assert_eq!(step, Step::Switch { hunks: vec![1], active: false });
    ledger.apply(&step).unwrap();
    ledger.apply(&Step::Foreign { edit: rest }).unwrap();
    assert_eq!(ledger.text(), &Text::from(undone));

    // The redo, of which the user has deleted some by then.
    let redone = "before\nSOMETHING \nafter\n";
    let change = crate::diff(undone, redone);
    let (step, _) = ledger.recognise_part(&change).unwrap();
    assert_eq!(step, Step::Switch { hunks: vec![1], active: true });

    // Deleting most of the new text by hand is none.
    let mut by_hand = Ledger::new(Text::from(text));
    let edit = Edit::new(text.len(), vec![Splice::new(7..20, "SOMETHING NEW")]).unwrap();
    let [session, turn, call] = ["s", "t", "c"].map(str::to_owned);
    let author = Author { session, turn, call };
    by_hand.apply(&Step::Agent { edit, author, creates: false }).unwrap();
    let change = crate::diff(&by_hand.text().to_string(), "before\nW\nafter\n");
    assert!(by_hand.recognise_part(&change).is_none());
}
