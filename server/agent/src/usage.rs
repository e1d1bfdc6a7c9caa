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
}

impl Usage {
    /// Everything that was in the window when the answer ended.
    pub fn context(&self) -> u64 {
        self.input_tokens
            + self.cache_creation_input_tokens
            + self.cache_read_input_tokens
            + self.output_tokens
    }

    /// A later report about the same answer. Counts are cumulative, and a provider may leave out
    /// what did not change, so the larger one is the true one.
    pub fn update(&mut self, later: Usage) {
        self.input_tokens = self.input_tokens.max(later.input_tokens);
        self.output_tokens = self.output_tokens.max(later.output_tokens);
        self.cache_creation_input_tokens =
            self.cache_creation_input_tokens.max(later.cache_creation_input_tokens);
        self.cache_read_input_tokens =
            self.cache_read_input_tokens.max(later.cache_read_input_tokens);
    }

    pub fn add(&mut self, other: Usage) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_creation_input_tokens += other.cache_creation_input_tokens;
        self.cache_read_input_tokens += other.cache_read_input_tokens;
    }

    /// In US dollars. A write to the 5-minute cache costs 1.25 × the input price.
    pub fn cost(&self, model: &Model) -> f64 {
        let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        million(self.input_tokens, model.input_price)
            + million(self.cache_creation_input_tokens, model.input_price * 1.25)
            + million(self.cache_read_input_tokens, model.cache_read_price)
            + million(self.output_tokens, model.output_price)
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
        };
        let opus = models::find("claude-opus-5-5").unwrap();
        assert!((usage.cost(opus) - (4.0 + 5.0 + 0.2 + 2.0)).abs() < 1e-9);
    }

    #[test]
    fn later_reports_never_take_back() {
        let mut usage = Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() };
        usage.update(Usage { output_tokens: 25, ..Usage::default() });
        assert_eq!(usage, Usage { input_tokens: 10, output_tokens: 25, ..Usage::default() });
    }
}
