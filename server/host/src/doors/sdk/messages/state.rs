//! `system/session_state_changed`: whether the session works, waits for the host, or owes it nothing.

use protocol::session::{SessionConfig, SessionConfigParams, SessionStatus};
use serde_json::json;

use super::super::States;
use super::super::shared::Mark;
use super::Teller;

const RUNNING: &str = "running";
const REQUIRES_ACTION: &str = "requires_action";
const IDLE: &str = "idle";

impl Teller {
    pub(super) fn on_status(&mut self, status: Option<&SessionStatus>) {
        match status {
            Some(SessionStatus::Running) => self.say_state(RUNNING),
            Some(SessionStatus::Waiting) => self.say_state(REQUIRES_ACTION),
            // What is idle for the session may still owe the host a turn: see `settle`.
            _ => {}
        }
    }

    pub(super) fn work_begins(&mut self) {
        self.say_state(RUNNING);
    }

    fn say_state(&mut self, state: &'static str) {
        if self.told.replace(state) == Some(state) {
            return;
        }
        let mut fields = json!({ "state": state });
        match self.wishes.states {
            States::Unsaid => return,
            States::ForTheSdk => fields["sdk_host_only"] = true.into(),
            States::Said => {}
        }
        self.system("session_state_changed", fields);
    }

    pub(super) fn is_settled(&self) -> bool {
        matches!(self.told, None | Some(IDLE)) && self.seems_idle()
    }

    fn seems_idle(&self) -> bool {
        self.owed.is_nothing() && self.tasks.agents() == 0
    }

    /// When nothing seems to go on, asks the session: once it answers, whatever was about to begin has
    /// begun, and we know of it. Nobody waits for the answer.
    pub(in crate::doors::sdk) fn settle(&mut self) {
        let at = self.moves();
        if !self.seems_idle() || self.is_settled() || self.asked_at.replace(at) == Some(at) {
            return;
        }
        let shared = self.shared.clone();
        tokio::spawn(async move {
            let params = SessionConfigParams { session_id: shared.session().to_owned(), set: None };
            // An error means that there is no session any more, which is as idle as can be.
            let _ = shared.ask::<SessionConfig>(&params).await;
            shared.mark(Mark::Settled(at));
        });
    }

    pub(super) fn settled(&mut self, at: u64) {
        // What it said meanwhile comes first.
        if self.shared.door.outbox.waiting() > 0 {
            self.asked_at = None;
        } else if at == self.moves() && self.seems_idle() {
            self.say_state(IDLE);
        }
    }

    fn moves(&self) -> u64 {
        self.owed.moves() + self.tasks.moves()
    }
}
