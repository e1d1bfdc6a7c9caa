//! Any order of steps on nasty texts, against the model.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::author;
use super::model::Model;
use crate::edit::Splice;
use crate::ledger::pairs::groups;
use crate::ledger::*;
use crate::nasty::{self, Wish};

/// A step that waits for a ledger.
#[derive(Debug, Clone)]
enum Wanted {
    Foreign(Vec<Wish>),
    Agent(Vec<Wish>, bool),
    Switch(Vec<Index>, bool),
    Mark(Index, HunkState),
    Split(Index, Index, Index),
    Fold(Index),
    Reload,
}

fn wanted() -> impl Strategy<Value = Wanted> {
    use HunkState::{Accepted, Pending, Rejected, Superseded};
    let hunks = prop::collection::vec(any::<Index>(), 1..4);
    let states = select(&[Pending, Accepted, Rejected, Superseded][..]);
    prop_oneof![
        5 => nasty::wishes(4).prop_map(Wanted::Foreign),
        5 => (nasty::wishes(5), prop::bool::weighted(0.1)).prop_map(|(w, c)| Wanted::Agent(w, c)),
        4 => (hunks, any::<bool>()).prop_map(|(hunks, active)| Wanted::Switch(hunks, active)),
        1 => (any::<Index>(), states).prop_map(|(hunk, state)| Wanted::Mark(hunk, state)),
        2 => any::<[Index; 3]>().prop_map(|[hunk, from, to]| Wanted::Split(hunk, from, to)),
        1 => any::<Index>().prop_map(Wanted::Fold),
        1 => Just(Wanted::Reload),
    ]
}

/// The step for this ledger, if it can be taken.
fn step(ledger: &Ledger, wanted: &Wanted) -> Option<Step> {
    let numbers: Vec<HunkNo> = ledger.hunks().map(|hunk| hunk.no).collect();
    let pick = |index: &Index| (!numbers.is_empty()).then(|| *index.get(&numbers));
    let edit = |wishes: &[Wish]| {
        let text = ledger.text().to_string();
        Edit::new(text.len(), nasty::granted(&text, wishes)).unwrap()
    };
    Some(match wanted {
        Wanted::Foreign(wishes) => Step::Foreign { edit: edit(wishes) },
        Wanted::Agent(wishes, creates) => {
            Step::Agent { edit: edit(wishes), author: author(), creates: *creates }
        }
        Wanted::Switch(hunks, active) => {
            let hunks = hunks.iter().map(pick).collect::<Option<_>>()?;
            Step::Switch { hunks, active: *active }
        }
        Wanted::Mark(hunk, state) => Step::Mark { hunks: vec![pick(hunk)?], state: *state },
        Wanted::Split(hunk, from, to) => {
            let hunk = pick(hunk)?;
            let lines = Text::from(ledger.view(hunk)?.new_text).len_lines();
            let (from, to) = (from.index(lines), to.index(lines));
            Step::Split { hunk, lines: vec![from.min(to)..from.max(to) + 1; 1] }
        }
        Wanted::Fold(hunk) => Step::Fold { hunks: vec![pick(hunk)?] },
        Wanted::Reload => return None,
    })
}

fn reload(ledger: &Ledger) -> Ledger {
    let stored = serde_json::to_string(&ledger.save()).unwrap();
    Ledger::load(serde_json::from_str(&stored).unwrap()).unwrap()
}

/// What clients see of a hunk: its old and new text, if it has a place.
type Sight = (HunkNo, HunkState, Option<(String, String)>);

fn sights(ledger: &Ledger) -> Vec<Sight> {
    let sight = |hunk: &Hunk| {
        let view = ledger.view(hunk.no).map(|view| (view.old_text, view.new_text));
        (hunk.no, hunk.state, view)
    };
    ledger.hunks().map(sight).collect()
}

fn check_step(ledger: &mut Ledger, model: &mut Model, step: &Step) -> Result<(), TestCaseError> {
    let (before, seen) = (ledger.text().clone(), sights(ledger));
    let view = match step {
        Step::Split { hunk, .. } => ledger.view(*hunk),
        _ => None,
    };
    if let Step::Switch { hunks, active } = step {
        let preview = ledger.preview(hunks, *active);
        let text = before.to_string();
        for splice in preview.splices() {
            prop_assert!(!crate::newline::tears_crlf(&text, splice.range.start));
            prop_assert!(!crate::newline::tears_crlf(&text, splice.range.end));
        }
        let alone = hunks.len() == 1 && !preview.is_empty();
        let few = ledger.hunks().count() <= 16;
        prop_assert!(ledger.recognise(&preview).is_some() || !(alone && few));
    }
    if let Step::Foreign { edit } = step
        && let Some(undo) = ledger.recognise(edit)
    {
        let mut other = ledger.clone();
        other.apply(&undo).unwrap();
        prop_assert_eq!(other.text(), &edit.apply(&before).unwrap());
    }
    let saved = ledger.save();
    let applied = match ledger.apply(step) {
        Ok(applied) => applied,
        Err(error) => {
            let lines =
                matches!(error, LedgerError::LinesOutside { .. } | LedgerError::NothingThere(_));
            prop_assert!(lines, "{}", error);
            prop_assert_eq!(ledger.save(), saved);
            return Ok(());
        }
    };
    model.apply(step, view);
    prop_assert_eq!(ledger.text().to_string(), model.text());
    prop_assert_eq!(&applied.edit.apply(&before).unwrap(), ledger.text());
    for (no, state, view) in sights(ledger) {
        let same = seen.contains(&(no, state, view));
        let old = seen.iter().any(|(seen, ..)| *seen == no);
        let told = applied.touched.contains(&no);
        prop_assert!(same || told == old, "{} of {:?} after {:?}", no, sights(ledger), seen);
        prop_assert_eq!(!old, applied.made.contains(&no));
    }
    let states: Vec<_> = ledger.hunks().map(|hunk| (hunk.no, hunk.state)).collect();
    prop_assert_eq!(states, model.states());
    Ok(())
}

/// The views, the list of segments and the stored form all fit the text.
fn check_rest(ledger: &Ledger, model: &Model) -> Result<(), TestCaseError> {
    let text = ledger.text().to_string();
    for hunk in ledger.hunks() {
        let no = hunk.no;
        prop_assert_eq!(ledger.is_effective(no), model.is_effective(no));
        let Some(view) = ledger.view(no) else {
            prop_assert!(!model.has_text_of(no) && !hunk.creates);
            continue;
        };
        let around =
            |middle: &str| [&text[..view.range.start], middle, &text[view.range.end..]].concat();
        prop_assert_eq!(around(&view.old_text), model.text_with(no, false));
        prop_assert_eq!(around(&view.new_text), model.text_with(no, true));
        let present = if hunk.active { &view.new_text } else { &view.old_text };
        prop_assert_eq!(&text[view.range.clone()], present);
        prop_assert!(nasty::line_starts(&text).contains(&view.range.start));
    }
    let pending = ledger.hunks().filter(|hunk| hunk.state == HunkState::Pending);
    let views = pending.filter_map(|hunk| Some((hunk.no, ledger.view(hunk.no)?.range)));
    prop_assert_eq!(ledger.pending_ranges(), views.collect::<Vec<_>>());
    for pair in ledger.segments.windows(2) {
        let mut joined = vec![pair[0].clone()];
        segment::push(&mut joined, pair[1].clone());
        prop_assert_eq!(joined.len(), 2);
    }
    prop_assert_eq!(reload(ledger).save(), ledger.save());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_model_agrees(
        text in nasty::text(),
        all in prop::collection::vec(wanted(), 1..16),
        last in prop::collection::vec(any::<Index>(), 1..4),
    ) {
        let mut ledger = Ledger::new(Text::from(text.as_str()));
        let mut model = Model::new(&text);
        let mut steps = Vec::new();
        for wanted in &all {
            match step(&ledger, wanted) {
                Some(step) => {
                    check_step(&mut ledger, &mut model, &step)?;
                    steps.push(step);
                }
                None => ledger = reload(&ledger),
            }
        }
        check_rest(&ledger, &model)?;

        let mut again = Ledger::new(Text::from(text.as_str()));
        for step in &steps {
            let stored = serde_json::to_string(step).unwrap();
            _ = again.apply(&serde_json::from_str(&stored).unwrap());
        }
        prop_assert_eq!(again.save(), ledger.save());

        let before = ledger.text().clone();
        let active: Vec<HunkNo> =
            ledger.hunks().filter(|hunk| hunk.active).map(|hunk| hunk.no).collect();
        if !active.is_empty() {
            let hunks: Vec<HunkNo> = last.iter().map(|index| *index.get(&active)).collect();
            ledger.apply(&Step::Switch { hunks: hunks.clone(), active: false }).unwrap();
            ledger.apply(&Step::Switch { hunks, active: true }).unwrap();
            prop_assert_eq!(ledger.text(), &before);
        }
    }
}

proptest! {
    /// What the user writes beside hunks has nothing to do with which of them stay.
    #[test]
    fn rejecting_some_leaves_the_others_and_the_users(
        (text, agent, user) in nasty::text_and_disjoint_edits(),
        choice in any::<u8>(),
    ) {
        let old = Text::from(text.as_str());
        let mut ledger = Ledger::new(old.clone());
        let step = Step::Agent { edit: agent.clone(), author: author(), creates: false };
        let made = ledger.apply(&step).unwrap().made;
        // Where text was only removed nobody can tell its two sides; what is typed there is behind.
        let groups = groups(&old, &agent);
        let unclear = |at: usize| {
            let mut pairs = groups.iter().flatten();
            pairs.any(|(range, text)| range.start == at && text.is_empty())
        };
        let user = user.splices().iter().filter(|splice| !unclear(splice.range.start)).cloned();
        let user = Edit::new(text.len(), user.collect()).unwrap();
        ledger.apply(&Step::Foreign { edit: user.rebase(&agent).unwrap() }).unwrap();
        let stays = |hunk: usize| choice & (1 << (hunk % 8)) != 0;
        let away = made.iter().enumerate().filter(|(at, _)| !stays(*at));
        let away: Vec<HunkNo> = away.map(|(_, no)| *no).collect();
        let mut ledger = reload(&ledger);
        ledger.apply(&Step::Switch { hunks: away, active: false }).unwrap();

        let kept = groups.iter().enumerate().filter(|(at, _)| stays(*at));
        let kept = kept.flat_map(|(_, pairs)| pairs);
        let mut splices: Vec<Splice> =
            kept.map(|(range, text)| Splice::new(range.clone(), *text)).collect();
        splices.extend_from_slice(user.splices());
        let expect = nasty::spliced(&text, &Edit::new(text.len(), splices).unwrap());
        prop_assert_eq!(ledger.text().to_string(), expect);
    }

    /// The hunks of an edit do together what it does, and an unchanged line lies between two.
    #[test]
    fn hunks_are_apart((text, edit) in nasty::text_and_edit()) {
        let old = Text::from(text.as_str());
        let groups = groups(&old, &edit);
        let splices = groups.iter().flatten();
        let splices = splices.map(|(range, text)| Splice::new(range.clone(), *text)).collect();
        let all = Edit::new(text.len(), splices).unwrap();
        prop_assert_eq!(nasty::spliced(&text, &all), nasty::spliced(&text, &edit));
        for pair in groups.windows(2) {
            let (last, next) = (&pair[0][pair[0].len() - 1], &pair[1][0]);
            let between = &text[last.0.end..next.0.start];
            prop_assert!(nasty::line_starts(between).len() > 1, "{:?}", between);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Five hunks, two hundred edits by the user all over them, a restart, two rejected.
    #[test]
    fn five_hunks_and_a_busy_user(
        wishes in prop::collection::vec(nasty::wishes(3), 200),
        rejected in prop::sample::subsequence(vec![1u64, 2, 3, 4, 5], 2),
    ) {
        let text: String = (0..40).map(|line| format!("line {line} é😀\r\n")).collect();
        let starts = nasty::line_starts(&text);
        let lines = "new\r\nlines\r\nthree\r\n";
        let hunk = |line: usize| Splice::new(starts[line]..starts[line + 2], lines);
        let edit = Edit::new(text.len(), (0..5).map(|at| hunk(at * 8)).collect()).unwrap();
        let (mut ledger, mut model) = (Ledger::new(Text::from(text.as_str())), Model::new(&text));
        let step = Step::Agent { edit, author: author(), creates: false };
        prop_assert_eq!(ledger.apply(&step).unwrap().made, [1, 2, 3, 4, 5]);
        model.apply(&step, None);
        for wishes in &wishes {
            let now = ledger.text().to_string();
            // Small deletions, or nothing would be left of the text.
            let small = nasty::granted(&now, wishes).into_iter().map(|splice| {
                let end = now.char_indices().map(|(at, _)| at).find(|at| *at > splice.range.start);
                let end = splice.range.end.min(end.unwrap_or(now.len()));
                Splice::new(splice.range.start..end, splice.text)
            });
            let edit = Edit::new(now.len(), small.collect()).unwrap();
            ledger.apply(&Step::Foreign { edit: edit.clone() }).unwrap();
            model.apply(&Step::Foreign { edit }, None);
        }
        let mut ledger = reload(&ledger);
        let step = Step::Switch { hunks: rejected, active: false };
        ledger.apply(&step).unwrap();
        model.apply(&step, None);
        prop_assert_eq!(ledger.text().to_string(), model.text());
    }
}
