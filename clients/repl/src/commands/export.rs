//! `/export [file]`: the session as Markdown, or as its records when the file is a `.jsonl`.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    app.export(Some(argument).filter(|file| !file.is_empty()));
}
