//! Bash.

use super::{ALL_LEVELS, Rule, Rules};

pub(super) const RULES: Rules = Rules {
    items: &[("function_definition", Rule::Named("function", "name"))],
    leads: &["comment"],
    wrappers: &[],
    levels: ALL_LEVELS,
};
