//! `agent/session/cost`: what the session has used so far, by model.

use agent::{Spending, Used, models};
use protocol::session::{ModelUsage, SessionCostResult};

use super::{Session, events};
use crate::core::Reply;

impl Session {
    pub(super) fn on_cost(&self, reply: Reply) {
        reply.ok(&self.cost());
    }

    pub(super) fn cost(&self) -> SessionCostResult {
        let spent = self.spent();
        SessionCostResult {
            cost_usd: spent.cost_usd(),
            usage: events::usage(spent.usage()),
            models: spent.models().map(|(model, used)| of_model(model, used)).collect(),
            cache_losses: self.prompt_cache.losses(),
        }
    }

    /// With what the running turn has taken.
    pub(super) fn spent(&self) -> Spending {
        let mut spent = self.conversation.spent().clone();
        if let Some(running) = &self.running {
            spent.merge(running.turn.spent());
        }
        spent
    }
}

fn of_model(model: &str, used: &Used) -> ModelUsage {
    let limits = models::limits(model);
    let searches = used.usage.web_search_requests;
    ModelUsage {
        model: model.to_owned(),
        usage: events::usage(used.usage),
        web_searches: (searches > 0).then_some(searches),
        cost_usd: used.cost_usd,
        window: limits.window,
        max_output: u64::from(limits.max_output),
    }
}
