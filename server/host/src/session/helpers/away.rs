//! What happened while nobody listened, for the client that is back.

use agent::helpers::away;
use protocol::event::AwaySummarized;

use super::Helper;
use crate::session::Session;

const SAID: usize = 12_000;

impl Session {
    /// Somebody joined.
    pub(in crate::session) fn tell_what_was_missed(&mut self) {
        if self.helpers.missed == 0 || !self.is_listened_to() {
            return;
        }
        self.helpers.missed = 0;
        let wanted = self.helpers.wants.away_summary.unwrap_or(true);
        if !wanted || self.helpers.is_running(Helper::AwaySummary) {
            return;
        }
        let Some(quick) = self.helper(Helper::AwaySummary) else { return };
        let question = away::question(&self.last_said(SAID));
        self.start_helper(Helper::AwaySummary, quick, question);
    }

    pub(super) fn on_away_summary(&mut self, answer: &str) {
        if let Some(text) = away::read(answer) {
            self.emit(AwaySummarized { text });
        }
    }
}
