//! `/bug [what went wrong]`: what somebody who is to mend it needs to know. Nothing is sent anywhere.

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    let said = match argument {
        "" => "(Say here what you did, what happened, and what should have happened.)",
        words => words,
    };
    let journal = session.journal.path().map(|path| path.display().to_string());
    let facts = [
        ("bowline", session.host.version.to_owned()),
        ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("model", format!("{} ({})", session.config.model, session.config.provider.name())),
        ("mode", session.state.permissions().mode.to_string()),
        ("sandbox", super::doctor::sandbox(session)),
        ("session", session.id.clone()),
        ("journal", journal.unwrap_or_else(|| "not kept".to_owned())),
    ];
    let facts = super::rows(facts.iter().map(|(name, value)| (*name, value.clone())));
    let denials = session.denials.iter().rev().take(3);
    let refused: Vec<String> =
        denials.map(|denial| format!("refused: {}: {}", denial.title, denial.reason)).collect();
    let parts = [said.to_owned(), facts, refused.join("\n")];
    let parts = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    Ok(Done::Said(format!(
        "Nothing was sent. Put this into your report, and look it through first; /export writes the \
         whole conversation to a file, and --debug a log of the next run.\n\n{}",
        parts.join("\n\n")
    )))
}
