//! Bringing a ledger to a text that nobody followed: what a document says that was closed without
//! saving, or a file that was written while nobody looked.

use text::{Bias, Edit, HunkNo, HunkState, Ledger, Step, Text};
use workspace::DocumentUri;

use super::{Ledgers, News};

/// More hunks than this, or a larger text, are not worth the comparison.
const COMPARED: usize = 500;
const LARGEST: usize = 8 * 1024 * 1024;

impl Ledgers {
    /// Brings the ledger of a file that is not open to what the disk says.
    pub fn align_with_disk(&mut self, key: &DocumentUri, disk: &Text) {
        if let Some(entry) = self.files.get_mut(key).filter(|entry| entry.ledger.text() != disk) {
            entry.follow_disk();
            self.align(key, disk);
        }
        if let Some(entry) = self.files.get_mut(key) {
            entry.caught_up();
        }
    }

    /// Brings a ledger to a text it did not follow.
    pub fn align(&mut self, key: &DocumentUri, now: &Text) {
        let Some(entry) = self.files.get_mut(key) else { return };
        if entry.ledger.text() == now {
            return;
        }
        if let Some(changed) = entry.restore_saved(&self.store, key, now) {
            let news = changed.into_iter().map(|no| (key.clone(), no, News::Resolved));
            return self.news.extend(news);
        }
        for step in steps(&mut entry.ledger.clone(), now) {
            self.step(key, step);
        }
    }
}

/// Takes the steps that lead a ledger to a text, and returns them.
pub(super) fn steps(ledger: &mut Ledger, now: &Text) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut take = |ledger: &mut Ledger, step: Step| {
        let fits = ledger.apply(&step).is_ok();
        if fits {
            steps.push(step);
        }
    };
    let hunks = undone(ledger, now);
    if !hunks.is_empty() {
        take(ledger, Step::Switch { hunks: hunks.clone(), active: false });
        take(ledger, Step::Mark { hunks, state: HunkState::Rejected });
    }
    let edit = change(ledger, now);
    if !edit.is_empty() {
        take(ledger, Step::Foreign { edit });
    }
    steps
}

fn change(ledger: &Ledger, now: &Text) -> Edit {
    text::diff(&ledger.text().to_string(), &now.to_string()).refine(ledger.text())
}

/// How far a text is from what a ledger knows, in bytes.
pub(super) fn distance(ledger: &Ledger, now: &Text) -> usize {
    if ledger.text() == now {
        return 0;
    }
    let change = change(ledger, now);
    change.splices().iter().map(|splice| splice.range.len() + splice.text.len()).sum()
}

/// The active hunks whose place in `now` reads as it did before them: somebody threw them away,
/// for example by closing a document without saving it.
fn undone(ledger: &Ledger, now: &Text) -> Vec<HunkNo> {
    let hunks: Vec<_> = ledger.hunks().filter(|hunk| hunk.active).map(|hunk| hunk.no).collect();
    let too_much = hunks.len() > COMPARED || now.len_bytes() > LARGEST;
    if hunks.is_empty() || too_much || ledger.text() == now {
        return Vec::new();
    }
    let change = change(ledger, now);
    let is_undone = |no: &HunkNo| {
        let Some(view) = ledger.view(*no) else { return false };
        let start = change.map_offset(view.range.start, Bias::Before);
        let end = change.map_offset(view.range.end, Bias::After);
        let there = now.slice(start..end.max(start));
        view.old_text != view.new_text && there.is_some_and(|there| there == view.old_text)
    };
    hunks.into_iter().filter(is_undone).collect()
}
