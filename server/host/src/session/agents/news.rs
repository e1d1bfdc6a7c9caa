//! What the root hears of its agents: shown to the user, paid for, told to the model.

use std::sync::Arc;

use agent::Record;
use protocol::EventBody;

use crate::session::{Session, Verbatim};

/// What an agent has to say to the root.
pub enum AgentNews {
    /// For everybody who looks on.
    Event(Box<EventBody>),
    /// For those who want every word.
    Verbatim(Arc<Verbatim>),
    /// Questions wait.
    Bubbled,
    /// Something was spent for this call.
    Spent { call: String },
    /// A message for the agent that leads.
    Mail(String),
}

impl Session {
    pub(in crate::session) async fn on_agent(&mut self, news: AgentNews) {
        match news {
            AgentNews::Event(body) => self.emit(*body),
            AgentNews::Verbatim(words) => self.tell_verbatim(words),
            AgentNews::Bubbled => self.take_bubbles(),
            AgentNews::Spent { call } => self.pay(&call),
            AgentNews::Mail(words) => self.wake(words).await,
        }
    }

    /// What the agents cost is part of what the session costs.
    fn pay(&mut self, call: &str) {
        for (model, used) in self.agents.family.take_unpaid().models() {
            let (usage, cost_usd) = (used.usage, used.cost_usd);
            let (call, what, model) = (call.to_owned(), "agent".to_owned(), model.to_owned());
            let record = Record::Helped { call, what, model, usage, cost_usd };
            if let Err(error) = self.journal(&record) {
                tracing::error!(%error, "the cost of an agent could not be journalled");
            }
        }
    }

    /// Keeps count for the root of what this agent spends. What a turn took in all is said by its
    /// parts already.
    pub(in crate::session) fn note_spent(&self, record: &Record) {
        if self.agents.member.is_none() {
            return;
        }
        let (model, usage) = match record {
            Record::Assistant { model, asked, usage, .. } => {
                (asked.as_ref().unwrap_or(model), usage)
            }
            Record::Helped { model, usage, .. }
            | Record::Judged { model, usage, .. }
            | Record::Compacted { model, usage, .. } => (model, usage),
            _ => return,
        };
        self.agents.family.spent(model, *usage);
    }
}
