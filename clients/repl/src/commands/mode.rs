//! `/mode [mode]`: what the agent may do without asking.

use protocol::event::Severity;
use protocol::session::{ConfigChange, Mode};
use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;
use crate::state::session::MODES;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    if !argument.is_empty() {
        set(app, argument);
        return;
    }
    let current = app.session.as_ref().map(|session| &session.config.mode);
    let marked = MODES.iter().position(|(mode, _)| Some(mode) == current);
    let entries = MODES.iter().map(|(mode, what)| Entry {
        label: mode.to_string(),
        detail: (*what).to_owned(),
        value: Pick::Mode(mode.clone()),
    });
    app.offer("What may be done without asking", entries.collect(), marked.unwrap_or(0));
}

fn set(app: &mut App, name: &str) {
    let known = MODES.iter().find(|(mode, _)| mode.as_str().eq_ignore_ascii_case(name));
    match known {
        Some((mode, _)) => {
            let mode: Option<Mode> = Some(mode.clone());
            app.configure(ConfigChange { mode, ..ConfigChange::default() }, "mode");
        }
        None => {
            let names: Vec<&str> = MODES.iter().map(|(mode, _)| mode.as_str()).collect();
            let text = format!("There is no mode `{name}`; choose one of {}.", names.join(", "));
            app.notice(Severity::Warning, &text);
        }
    }
}
