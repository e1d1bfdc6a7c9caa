//! Bringing a ledger to a text that nobody followed: which hunks it does not have any more, and
//! which it has again.

use text::{Bias, Edit, HunkNo, HunkState, Ledger, Step, Text};

/// More hunks than this, or a larger text, are not worth the comparison.
const COMPARED: usize = 500;
const LARGEST: usize = 8 * 1024 * 1024;

/// Takes the steps that lead a ledger to a text, and returns them.
pub(super) fn steps(ledger: &mut Ledger, now: &Text) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut take = |ledger: &mut Ledger, step: Step| {
        let fits = ledger.apply(&step).is_ok();
        if fits {
            steps.push(step);
        }
    };
    for (active, state) in [(true, HunkState::Pending), (false, HunkState::Rejected)] {
        let hunks = switched(ledger, now, active);
        if !hunks.is_empty() {
            take(ledger, Step::Switch { hunks: hunks.clone(), active });
            take(ledger, Step::Mark { hunks, state });
        }
    }
    let edit = change(ledger, now);
    if !edit.is_empty() {
        take(ledger, Step::Foreign { edit });
    }
    steps
}

fn change(ledger: &Ledger, now: &Text) -> Edit {
    text::diff(&ledger.text().to_string(), &now.to_string())
}

/// The hunks whose place in `now` reads as if they were switched the other way. Taken out: somebody
/// threw them away, for example by closing a document without saving it. Put back: the text was out
/// of sight, for example while the editor that has it unsaved started this server anew.
fn switched(ledger: &Ledger, now: &Text, active: bool) -> Vec<HunkNo> {
    let fits = |hunk: &&text::Hunk| {
        hunk.active != active && (!active || hunk.state == HunkState::Rejected)
    };
    let hunks: Vec<_> = ledger.hunks().filter(fits).map(|hunk| hunk.no).collect();
    let too_much = hunks.len() > COMPARED || now.len_bytes() > LARGEST;
    if hunks.is_empty() || too_much || ledger.text() == now {
        return Vec::new();
    }
    let change = change(ledger, now);
    let is_switched = |no: &HunkNo| {
        let Some(view) = ledger.view(*no) else { return false };
        let start = change.map_offset(view.range.start, Bias::Before);
        let end = change.map_offset(view.range.end, Bias::After);
        let there = now.slice(start..end.max(start));
        let wanted = if active { &view.new_text } else { &view.old_text };
        view.old_text != view.new_text && there.is_some_and(|there| there == **wanted)
    };
    hunks.into_iter().filter(is_switched).collect()
}
