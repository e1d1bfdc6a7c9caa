//! What a turn has used up, and whether that is enough.

use super::rules::Budget;
use crate::models;
use crate::usage::Usage;

#[derive(Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) usage: Usage,
    pub(super) cost_usd: f64,
}

impl Spent {
    /// Every model has its own price.
    pub(super) fn add(&mut self, usage: Usage, model: &str) {
        self.usage.add(usage);
        self.cost_usd += usage.cost(models::limits(model));
    }

    pub(super) fn exceeds(&self, budget: &Budget) -> bool {
        budget.tokens.is_some_and(|tokens| self.usage.output_tokens >= tokens)
            || budget.cost_usd.is_some_and(|usd| self.cost_usd >= usd)
    }
}

/// So many rounds are allowed before little progress counts as none.
const PATIENCE: u32 = 3;
/// Fewer new tokens than this are little progress.
const LITTLE: u64 = 500;

/// A budget in tokens is also a task: the model is asked to go on until most of it is used, or
/// until it has nothing more to add.
#[derive(Default)]
pub(super) struct Goal {
    rounds: u32,
    last_gain: u64,
    seen: u64,
}

impl Goal {
    pub(super) fn wants_more(&mut self, budget: &Budget, used: u64) -> bool {
        let Some(total) = budget.tokens.filter(|total| *total > 0) else { return false };
        let gain = used.saturating_sub(self.seen);
        let fades = self.rounds >= PATIENCE && gain < LITTLE && self.last_gain < LITTLE;
        if fades || used as f64 >= total as f64 * 0.9 {
            return false;
        }
        *self = Self { rounds: self.rounds + 1, last_gain: gain, seen: used };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rounds that a model gets which writes so many tokens each time.
    fn rounds(total: u64, each: u64) -> u32 {
        let budget = Budget { tokens: Some(total), cost_usd: None };
        let (mut goal, mut used) = (Goal::default(), each);
        while goal.wants_more(&budget, used) {
            used += each;
        }
        goal.rounds
    }

    #[test]
    fn on_until_most_is_used_or_nothing_comes() {
        assert_eq!(rounds(0, 1), 0);
        assert_eq!(rounds(10_000, 9_000), 0);
        assert_eq!(rounds(10_000, 1_000), 8);
        assert_eq!(rounds(1_000_000, 100), PATIENCE);
        assert_eq!(rounds(u64::MAX, 499), PATIENCE);
    }

    #[test]
    fn each_model_has_its_price() {
        let mut spent = Spent::default();
        let usage = Usage { output_tokens: 1_000_000, ..Usage::default() };
        spent.add(usage, "claude-opus-5-5");
        spent.add(usage, "claude-sonnet-5-5");
        spent.add(usage, "somebody-elses");
        assert!((spent.cost_usd - 30.0).abs() < 1e-9);
        let within = |tokens, cost_usd| !spent.exceeds(&Budget { tokens, cost_usd });
        assert!(within(None, None) && within(Some(3_000_001), Some(30.1)));
        assert!(!within(Some(3_000_000), None) && !within(None, Some(30.0)));
    }
}
