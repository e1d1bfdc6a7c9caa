//! `/model`: picks the model of the session, and how hard it works.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    app.offer_models();
}
