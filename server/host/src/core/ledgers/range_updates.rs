//! Hunks that only moved. Clients move what they show themselves as the text changes; once it rests
//! they are sent the ranges that differ from the ones they were sent last.

use std::collections::{BTreeSet, HashMap};

use text::HunkNo;
use workspace::DocumentUri;

use super::client_ranges::ClientRanges;

#[derive(Default)]
pub(super) struct RangeUpdates {
    /// Files whose hunks may have moved since anybody was told.
    changed: BTreeSet<String>,
    /// Those of them that are told about now.
    due: BTreeSet<String>,
    /// Where each hunk was when clients were last told.
    sent: HashMap<DocumentUri, HashMap<HunkNo, ClientRanges>>,
}

impl RangeUpdates {
    pub(super) fn note(&mut self, key: &DocumentUri) {
        self.changed.insert(key.as_str().to_owned());
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.changed.is_empty()
    }

    /// The text rests.
    pub(super) fn settle(&mut self) {
        self.due.append(&mut self.changed);
    }

    /// Clients are told everything about this file once more.
    pub(super) fn resend(&mut self, key: &DocumentUri) {
        self.sent.remove(key);
        self.due.insert(key.as_str().to_owned());
    }

    pub(super) fn forget(&mut self, key: &DocumentUri) {
        self.sent.remove(key);
    }

    pub(super) fn take_due(&mut self) -> Vec<DocumentUri> {
        let due = std::mem::take(&mut self.due).into_iter();
        due.map(|key| DocumentUri::new(&key)).collect()
    }

    pub(super) fn record(&mut self, key: &DocumentUri, no: HunkNo, ranges: ClientRanges) {
        self.sent.entry(key.clone()).or_default().insert(no, ranges);
    }

    /// Remembers where a file's hunks are now, and says which of them clients have elsewhere.
    pub(super) fn replace(
        &mut self,
        key: &DocumentUri,
        now: impl IntoIterator<Item = (HunkNo, ClientRanges)>,
    ) -> Vec<(HunkNo, ClientRanges)> {
        let mut earlier = self.sent.remove(key).unwrap_or_default();
        let mut moved = Vec::new();
        let mut sent = HashMap::new();
        for (no, ranges) in now {
            if earlier.remove(&no).is_none_or(|earlier| ranges.moved_since(&earlier)) {
                moved.push((no, ranges.clone()));
            }
            sent.insert(no, ranges);
        }
        if !sent.is_empty() {
            self.sent.insert(key.clone(), sent);
        }
        moved
    }
}
