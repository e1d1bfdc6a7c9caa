//! Which hunks a text that nobody followed does not have any more.

use text::{Bias, HunkNo, Ledger, Text};

/// More hunks than this, or a larger text, are not worth the comparison.
const COMPARED: usize = 500;
const LARGEST: usize = 8 * 1024 * 1024;

/// The active hunks whose place in `now` reads as it did before them: somebody threw them away,
/// for example by closing a document without saving it.
pub(super) fn undone(ledger: &Ledger, now: &Text) -> Vec<HunkNo> {
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
