//! Running a command.

use std::path::Path;

use super::{Context, Decision, because};
use crate::rules::Behavior;

pub(super) fn run(tool: &str, _command: &str, _cwd: &Path, context: &Context<'_>) -> Decision {
    let strict = context.rules.with(Behavior::Deny).find(|entry| entry.rule.names(tool));
    match strict {
        Some(entry) => Decision::deny(because(entry)),
        None => Decision::always_ask("It runs a command."),
    }
}
