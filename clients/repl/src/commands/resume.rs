//! `/resume [id|text]`: the page of older sessions, or one by its id or its words.

use tokio::time::Instant;

use crate::app::{App, Waiting};

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match argument {
        "" => app.open_sessions(None),
        words => app.list_sessions(Some(words), Waiting::Pick(Some(words.to_owned()))),
    }
}
