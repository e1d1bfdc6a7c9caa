//! What was read and written, in tokens, and what that costs.

use serde::{Deserialize, Serialize};

use crate::models::Model;

/// Token counts of one answer, or the sum over many. Fields as the Messages API names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
    /// How many of `cache_creation_input_tokens` are kept for an hour.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_creation_1h_tokens: u64,
    /// Searches that the provider ran for us.
    #[serde(skip_serializing_if = "is_zero")]
    pub web_search_requests: u64,
}

/// Older journals do not have the field, and most answers have nothing to say in it.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// In US dollars; a thousand cost ten.
const WEB_SEARCH_PRICE: f64 = 0.01;

impl Usage {
    /// Everything that was in the window when the answer ended.
    pub fn context(&self) -> u64 {
        self.prompt().saturating_add(self.output_tokens)
    }

    /// Everything that was read, from the cache or not.
    pub fn prompt(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_input_tokens)
            .saturating_add(self.cache_read_input_tokens)
    }

    /// A later report about the same answer. Counts are cumulative, and a provider may leave out
    /// what did not change, so the larger one is the true one.
    pub fn update(&mut self, later: Usage) {
        self.each(later, u64::max);
    }

    /// What a provider reports is not ours to trust with an overflow.
    pub fn add(&mut self, other: Usage) {
        self.each(other, u64::saturating_add);
    }

    fn each(&mut self, other: Usage, combine: fn(u64, u64) -> u64) {
        for (mine, theirs) in [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens),
            (&mut self.cache_read_input_tokens, other.cache_read_input_tokens),
            (&mut self.cache_creation_1h_tokens, other.cache_creation_1h_tokens),
            (&mut self.web_search_requests, other.web_search_requests),
        ] {
            *mine = combine(*mine, theirs);
        }
    }

    /// In US dollars. A write to the cache costs 1.25 × the input price for five minutes and
    /// 2 × for an hour.
    pub fn cost(&self, model: &Model) -> f64 {
        let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let long = self.cache_creation_1h_tokens.min(self.cache_creation_input_tokens);
        let short = self.cache_creation_input_tokens - long;
        million(self.input_tokens, model.input_price)
            + million(short, model.input_price * 1.25)
            + million(long, model.input_price * 2.0)
            + million(self.cache_read_input_tokens, model.cache_read_price)
            + million(self.output_tokens, model.output_price)
            + self.web_search_requests as f64 * WEB_SEARCH_PRICE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    #[test]
    fn cost_follows_the_table() {
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 100_000,
            cache_creation_input_tokens: 1_000_000,
            cache_read_input_tokens: 1_000_000,
            ..Usage::default()
        };
        let opus = models::find("claude-opus-5-5").unwrap();
        assert!((usage.cost(opus) - (4.0 + 5.0 + 0.2 + 2.0)).abs() < 1e-9);
        let hour = Usage { cache_creation_1h_tokens: 400_000, web_search_requests: 100, ..usage };
        assert!((hour.cost(opus) - (4.0 + 3.0 + 3.2 + 0.2 + 2.0 + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn a_mad_report_is_no_panic() {
        let mad = Usage {
            input_tokens: u64::MAX,
            cache_creation_1h_tokens: u64::MAX,
            output_tokens: 1,
            ..Usage::default()
        };
        let mut sum = mad;
        sum.add(mad);
        assert_eq!((sum.input_tokens, sum.context()), (u64::MAX, u64::MAX));
        assert!(sum.cost(&models::MODELS[0]).is_finite());
    }

    #[test]
    fn later_reports_never_take_back() {
        let mut usage = Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() };
        usage.update(Usage { output_tokens: 25, ..Usage::default() });
        assert_eq!(usage, Usage { input_tokens: 10, output_tokens: 25, ..Usage::default() });
    }
}
