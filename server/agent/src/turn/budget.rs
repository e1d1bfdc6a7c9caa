//! What a turn has used up, and whether that is enough.

use super::rules::Budget;
use crate::spending::Spending;

#[derive(Default)]
pub(super) struct Spent {
    /// By the answers of the turn.
    pub(super) answers: Spending,
    /// US dollars that others have cost meanwhile: a summary, a judgement, a page that was read.
    pub(super) beside_usd: f64,
}

impl Spent {
    pub(super) fn exceeds(&self, budget: &Budget) -> bool {
        let cost_usd = self.answers.cost_usd() + self.beside_usd;
        budget.tokens.is_some_and(|tokens| self.answers.usage().output_tokens >= tokens)
            || budget.cost_usd.is_some_and(|usd| cost_usd >= usd)
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
    use crate::usage::Usage;

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
    fn what_others_cost_is_paid_from_the_same_budget() {
        let mut spent = Spent::default();
        let usage = Usage { output_tokens: 1_000_000, ..Usage::default() };
        spent.answers.add("claude-opus-5-5", usage);
        spent.answers.add("claude-sonnet-5-5", usage);
        let within = |spent: &Spent, tokens, cost_usd| !spent.exceeds(&Budget { tokens, cost_usd });
        assert!(within(&spent, None, None) && within(&spent, Some(2_000_001), Some(30.1)));
        assert!(!within(&spent, Some(2_000_000), None) && !within(&spent, None, Some(30.0)));
        spent.beside_usd = 0.5;
        assert!(!within(&spent, None, Some(30.1)) && within(&spent, Some(2_000_001), None));
    }
}
