//! `/help`: the commands.

use super::{ALL, Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run(_: &mut Session, _: &str) -> Outcome {
    let names: Vec<String> =
        ALL.iter().map(|command| format!("/{} {}", command.name, command.argument)).collect();
    let what = ALL.iter().map(|command| command.what.to_owned());
    Ok(Done::Said(rows(names.iter().map(|name| name.trim_end()).zip(what))))
}
