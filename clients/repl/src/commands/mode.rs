//! `/mode`: picks what the agent may do without asking.

use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;
use crate::state::session::MODES;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    let current = app.session.as_ref().map(|session| &session.config.mode);
    let marked = MODES.iter().position(|(mode, _)| Some(mode) == current);
    let entries = MODES.iter().map(|(mode, what)| Entry {
        label: mode.to_string(),
        detail: (*what).to_owned(),
        value: Pick::Mode(mode.clone()),
    });
    app.offer("What may be done without asking", entries.collect(), marked.unwrap_or(0));
}
