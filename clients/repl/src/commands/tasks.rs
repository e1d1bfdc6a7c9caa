//! `/tasks`: what runs in the background, what it prints, and how to stop it.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    app.open_tasks();
}
