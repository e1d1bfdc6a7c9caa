//! `/effort`: picks how hard the model works.

use protocol::session::Effort;
use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;

const LEVELS: [(Effort, &str); 5] = [
    (Effort::Low, "quick and cheap"),
    (Effort::Medium, "for everyday work"),
    (Effort::High, "thorough"),
    (Effort::XHigh, "for hard problems; slower"),
    (Effort::Max, "as much as it can; slow and dear"),
];

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    let current = app.session.as_ref().and_then(|session| session.config.effort.as_ref());
    let marked = LEVELS.iter().position(|(effort, _)| Some(effort) == current);
    let entries = LEVELS.iter().map(|(effort, what)| Entry {
        label: effort.to_string(),
        detail: (*what).to_owned(),
        value: Pick::Effort(effort.clone()),
    });
    app.offer("How hard the model works", entries.collect(), marked.unwrap_or(1));
}
