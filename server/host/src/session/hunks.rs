//! The session's own changes, as the ledger tells of them.

use protocol::event::{HunkAdded, HunkResolved, HunkUpdated};

use super::Session;
use crate::core::{HunkNews, News};

impl Session {
    pub(super) fn on_hunks(&mut self, news: Vec<HunkNews>) {
        let newest = news.iter().rfind(|news| matches!(news.what, News::Added));
        if let Some(newest) = newest {
            self.doors.iter().for_each(|door| door.reveal_change(&newest.hunk));
        }
        for HunkNews { what, hunk, .. } in news {
            match what {
                News::Added => self.emit(HunkAdded { hunk }),
                News::Updated => self.emit(HunkUpdated { hunk }),
                News::Resolved => self.emit(HunkResolved { hunk }),
            }
        }
    }
}
