//! `/status`: the session and what it works with.

use super::{Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run(session: &mut Session, _: &str) -> Outcome {
    let permissions = session.state.permissions();
    let folders: Vec<String> =
        permissions.roots.iter().map(|root| root.display().to_string()).collect();
    let trusted = if session.trusted { "trusted" } else { "not trusted" };
    let kept = match session.journal.path() {
        Some(path) => path.display().to_string(),
        None => "nothing is kept".to_owned(),
    };
    Ok(Done::Said(rows([
        ("session", session.id.clone()),
        ("title", session.title.text().unwrap_or_default().to_owned()),
        ("model", format!("{} ({})", session.config.model, session.config.provider.name())),
        ("mode", permissions.mode.to_string()),
        ("folders", format!("{} ({trusted})", folders.join(", "))),
        ("journal", kept),
        ("sandbox", super::doctor::sandbox(session)),
        ("bowline", session.host.version.to_owned()),
    ])))
}
