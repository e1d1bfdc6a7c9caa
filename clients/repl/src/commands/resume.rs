//! `/resume [id|text]`: a numbered list of older sessions, or one by its id or its words.

use tokio::time::Instant;

use crate::app::{App, Waiting};

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    let query = Some(argument).filter(|text| !text.is_empty());
    app.list_sessions(query, Waiting::Pick(query.map(str::to_owned)));
}
