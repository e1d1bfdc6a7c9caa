//! `/help`: the commands, the table's and those that users wrote.

use super::{Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run(session: &mut Session, _: &str) -> Outcome {
    let commands = session.commands();
    let name = |command: &protocol::session::Command| {
        let hint = command.argument_hint.as_deref().unwrap_or_default();
        format!("/{} {hint}", command.name).trim_end().to_owned()
    };
    let what = |command: &protocol::session::Command| match command.source.as_deref() {
        None | Some("built-in") => command.description.clone(),
        Some(source) => format!("{} ({source})", command.description),
    };
    let lines: Vec<_> = commands.iter().map(|command| (name(command), what(command))).collect();
    Ok(Done::Said(rows(lines.iter().map(|(name, what)| (name.as_str(), what.clone())))))
}
