//! `/permissions`: the rules by where they come from, and what was refused lately.

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::session::Session;

/// Older refusals are of no use here.
const DENIALS: usize = 10;

pub(super) fn run<'a>(session: &'a mut Session, _: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        session.look_at_settings().await;
        Ok(Done::Said(text(session)))
    }
    .boxed()
}

fn text(session: &Session) -> String {
    let permissions = session.state.permissions();
    let mut lines = vec![format!("The mode is {}.", permissions.mode)];
    let rules = permissions.rules.iter().map(|entry| session.wire_rule(entry));
    lines.extend(rules.map(|rule| {
        let from = rule.source.or(rule.set_by).unwrap_or_else(|| rule.scope.to_string());
        format!("{:<5}  {}  ({from})", rule.behavior.as_str(), rule.rule)
    }));
    if lines.len() == 1 {
        lines.push("There are no rules.".to_owned());
    }
    if !session.denials.is_empty() {
        lines.push("Refused lately:".to_owned());
        let latest = session.denials.iter().rev().take(DENIALS);
        lines.extend(latest.map(|denial| format!("  {}: {}", denial.title, denial.reason)));
    }
    lines.join("\n")
}
