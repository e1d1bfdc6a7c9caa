//! How the model works: how hard, whether it thinks, and how long the provider remembers what it
//! was sent.

use agent::{CacheTtl, Effort};

use super::parse::Parsed;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelOptions {
    pub effort: Option<Effort>,
    /// The lowest of all files: none may be overruled by a stronger one.
    pub max_effort: Option<Effort>,
    /// `false`: the model answers at once, where it can.
    pub thinking: Option<bool>,
    pub cache_ttl: Option<CacheTtl>,
}

impl ModelOptions {
    /// Adds a weaker file to the stronger ones.
    pub(super) fn merge(&mut self, parsed: &Parsed) {
        let word = |key: &str| parsed.texts.get(key).map(|found| found.value.as_str());
        let effort = |key: &str| word(key).and_then(Effort::parse);
        self.effort = self.effort.or_else(|| effort("effortLevel"));
        let most = [self.max_effort, effort("maxEffortLevel")];
        self.max_effort = most.into_iter().flatten().min();
        let thinking = parsed.bools.get("alwaysThinkingEnabled").map(|found| found.value);
        self.thinking = self.thinking.or(thinking);
        let ttl = word("promptCacheTtl").map(|ttl| match ttl {
            "1h" => CacheTtl::Hour,
            _ => CacheTtl::FiveMinutes,
        });
        self.cache_ttl = self.cache_ttl.or(ttl);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::parse::parse;

    #[test]
    fn the_strongest_file_counts_and_of_limits_the_lowest() {
        let strong =
            r#"{"effortLevel": "high", "maxEffortLevel": "xhigh", "promptCacheTtl": "1h"}"#;
        let weak = r#"{"effortLevel": "low", "maxEffortLevel": "medium", "promptCacheTtl": "5m",
            "alwaysThinkingEnabled": false}"#;
        let mut options = ModelOptions::default();
        options.merge(&parse(strong));
        options.merge(&parse(weak));
        let expect = ModelOptions {
            effort: Some(Effort::High),
            max_effort: Some(Effort::Medium),
            thinking: Some(false),
            cache_ttl: Some(CacheTtl::Hour),
        };
        assert_eq!(options, expect);
    }

    #[test]
    fn a_word_that_means_nothing_is_a_problem_and_not_used() {
        let parsed = parse(r#"{"effortLevel": "hgih"}"#);
        assert_eq!(parsed.problems.len(), 1, "{:?}", parsed.problems);
        let mut options = ModelOptions::default();
        options.merge(&parsed);
        assert_eq!(options, ModelOptions::default());
    }
}
