//! A guess at what the user will say next, for clients that offer it.

use agent::helpers::suggestion;
use protocol::event::Suggestion;

use super::Helper;
use crate::session::Session;

const SAID: usize = 6_000;

impl Session {
    pub(super) fn suggest(&mut self) {
        let wanted = self.helpers.wants.suggestion.unwrap_or(true);
        let offered = self.doors.iter().any(|door| door.profile().agent.suggestion == Some(true));
        if !wanted || !offered || self.helpers.is_running(Helper::Suggestion) {
            return;
        }
        let Some(quick) = self.helper(Helper::Suggestion) else { return };
        let question = suggestion::question(&self.last_said(SAID));
        self.start_helper(Helper::Suggestion, quick, question);
    }

    pub(super) fn on_suggestion(&mut self, answer: &str) {
        if let (Some(text), None) = (suggestion::read(answer), &self.running) {
            self.emit(Suggestion { text });
        }
    }
}
