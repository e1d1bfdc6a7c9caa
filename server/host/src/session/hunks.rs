//! The session's own changes, as the ledger tells of them.

use super::Session;
use super::events::Emission;
use crate::core::{HunkNews, Receiver};

impl Session {
    pub(super) fn on_hunks(&mut self, news: Vec<HunkNews>) {
        if let Some(newest) = news.iter().rfind(|news| news.event.is_added()) {
            for door in &self.doors {
                if let Some(hunk) = newest.event.hunk(Receiver::from(&**door)) {
                    door.reveal_change(&hunk);
                }
            }
        }
        for HunkNews { event, .. } in news {
            self.send(Emission::Hunks(event));
        }
    }
}
