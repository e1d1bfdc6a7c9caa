//! `/transcript`: the whole conversation, with everything in it.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    app.open_transcript();
}
