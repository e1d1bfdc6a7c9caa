//! `/todos [show|hide]`: the list of steps above the input. Without a word the server tells them.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn when(argument: &str) -> bool {
    matches!(argument, "show" | "hide")
}

pub(super) fn run(app: &mut App, argument: &str, now: Instant) {
    app.show_steps(argument == "show", now);
}
