//! A text that nobody followed: what a document says that was closed without saving, or a file
//! that was written while nobody looked.

use text::{Bias, HunkNo, HunkState, Ledger, Step, Text};
use workspace::DocumentUri;

use super::{Ledgers, News};

/// More hunks than this, or a larger text, are not worth the comparison.
const COMPARED: usize = 500;
const LARGEST: usize = 8 * 1024 * 1024;

impl Ledgers {
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
        let undone = undone(&entry.ledger, now);
        if !undone.is_empty() {
            self.step(key, Step::Switch { hunks: undone.clone(), active: false });
            self.step(key, Step::Mark { hunks: undone, state: HunkState::Rejected });
        }
        let Some(entry) = self.files.get(key) else { return };
        let edit = text::diff(&entry.ledger.text().to_string(), &now.to_string());
        if !edit.is_empty() {
            let edit = edit.refine(entry.ledger.text());
            self.step(key, Step::Foreign { edit });
        }
    }
}

/// The active hunks whose place in `now` reads as it did before them: somebody threw them away,
/// for example by closing a document without saving it.
fn undone(ledger: &Ledger, now: &Text) -> Vec<HunkNo> {
    let hunks: Vec<_> = ledger.hunks().filter(|hunk| hunk.active).map(|hunk| hunk.no).collect();
    if hunks.is_empty() || hunks.len() > COMPARED || now.len_bytes() > LARGEST {
        return Vec::new();
    }
    let change = text::diff(&ledger.text().to_string(), &now.to_string());
    let is_undone = |no: &HunkNo| {
        let Some(view) = ledger.view(*no) else { return false };
        let start = change.map_offset(view.range.start, Bias::Before);
        let end = change.map_offset(view.range.end, Bias::After);
        let there = now.slice(start..end.max(start));
        view.old_text != view.new_text && there.is_some_and(|there| there == view.old_text)
    };
    hunks.into_iter().filter(is_undone).collect()
}
