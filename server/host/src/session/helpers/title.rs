//! A title for a session that has none.

use agent::helpers::title;
use agent::{Record, TitleOrigin};
use protocol::event::SessionUpdated;

use super::Helper;
use crate::session::Session;

const SAID: usize = 6_000;

impl Session {
    pub(super) fn give_title(&mut self) {
        let wanted = self.helpers.wants.title.unwrap_or(true);
        if !wanted
            || self.title.origin() > Some(TitleOrigin::Prompt)
            || self.helpers.is_running(Helper::Title)
        {
            return;
        }
        let Some(quick) = self.helper(Helper::Title) else { return };
        let question = title::question(&self.last_said(SAID));
        self.start_helper(Helper::Title, quick, question);
    }

    pub(super) fn on_title(&mut self, answer: &str) {
        let title = title::read(answer);
        // What the user called it meanwhile stays.
        let Some(title) = title else { return };
        let origin = TitleOrigin::Generated;
        if !self.title.offer(title.as_str(), origin) {
            return;
        }
        if let Err(error) = self.journal(&Record::Title { title: title.clone(), origin }) {
            return tracing::error!(%error, "a title could not be journalled");
        }
        self.emit(SessionUpdated { title: Some(title), status: None });
    }
}
