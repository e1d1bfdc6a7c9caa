//! What was used, model by model: each has its own price, and a person wants to know which one cost
//! what.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::models;
use crate::usage::Usage;

/// Tokens and money by model, under the names that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Spending(BTreeMap<String, Used>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Used {
    #[serde(flatten)]
    pub usage: Usage,
    pub cost_usd: f64,
}

impl Spending {
    /// At the price that the model has now. What took nothing is not listed.
    pub fn add(&mut self, model: &str, usage: Usage) {
        self.add_paid(model, usage, usage.cost(models::limits(model)));
    }

    /// The same for what was paid before.
    pub fn add_paid(&mut self, model: &str, usage: Usage, cost_usd: f64) {
        if usage == Usage::default() && cost_usd == 0.0 {
            return;
        }
        let used = self.0.entry(model.to_owned()).or_default();
        used.usage.add(usage);
        used.cost_usd += cost_usd;
    }

    pub fn merge(&mut self, other: &Spending) {
        for (model, used) in &other.0 {
            self.add_paid(model, used.usage, used.cost_usd);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn models(&self) -> impl Iterator<Item = (&str, &Used)> {
        self.0.iter().map(|(model, used)| (model.as_str(), used))
    }

    pub fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        self.0.values().for_each(|used| sum.add(used.usage));
        sum
    }

    /// In US dollars.
    pub fn cost_usd(&self) -> f64 {
        // A sum of nothing would be -0.
        self.0.values().fold(0.0, |sum, used| sum + used.cost_usd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_has_its_price_and_its_line() {
        let usage = Usage { output_tokens: 1_000_000, ..Usage::default() };
        let mut spending = Spending::default();
        assert!(spending.cost_usd().is_sign_positive());
        spending.add("claude-opus-5-5", usage);
        spending.add("claude-sonnet-5-5", usage);
        spending.add("claude-sonnet-5-5", usage);
        spending.add("somebody-elses", usage);
        spending.add("never-asked", Usage::default());
        let lines: Vec<_> = spending.models().map(|(model, used)| (model, used.cost_usd)).collect();
        let expect =
            [("claude-opus-5-5", 20.0), ("claude-sonnet-5-5", 20.0), ("somebody-elses", 0.0)];
        assert_eq!(lines, expect);
        assert_eq!(spending.usage().output_tokens, 4_000_000);
        let mut twice = spending.clone();
        twice.merge(&spending);
        assert!((twice.cost_usd() - 80.0).abs() < 1e-9);
        let json = serde_json::to_string(&spending).unwrap();
        assert_eq!(serde_json::from_str::<Spending>(&json).unwrap(), spending);
    }
}
