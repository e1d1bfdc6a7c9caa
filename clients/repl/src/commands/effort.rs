//! `/effort [level]`: how hard the model works.

use protocol::event::Severity;
use protocol::session::{ConfigChange, Effort};
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

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    if !argument.is_empty() {
        return set(app, argument);
    }
    let current = app.session.as_ref().and_then(|session| session.config.effort.as_ref());
    let marked = LEVELS.iter().position(|(effort, _)| Some(effort) == current);
    let entries = LEVELS.iter().map(|(effort, what)| Entry {
        label: effort.to_string(),
        detail: (*what).to_owned(),
        value: Pick::Effort(effort.clone()),
    });
    app.offer("How hard the model works", entries.collect(), marked.unwrap_or(1));
}

fn set(app: &mut App, name: &str) {
    let known = LEVELS.iter().find(|(effort, _)| effort.as_str().eq_ignore_ascii_case(name));
    match known {
        Some((effort, _)) => {
            let effort = Some(effort.clone());
            app.configure(ConfigChange { effort, ..ConfigChange::default() }, "effort");
        }
        None => {
            let names = LEVELS.map(|(effort, _)| effort.to_string()).join(", ");
            let text = format!("There is no effort `{name}`; choose one of {names}.");
            app.notice(Severity::Warning, &text);
        }
    }
}
