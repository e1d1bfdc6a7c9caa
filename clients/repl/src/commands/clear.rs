//! `/clear`: a new session with an empty conversation; the old one stays stored.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    // The new session goes on with the settings of the old one.
    if let Some(session) = &app.session {
        app.start.model = Some(session.config.model.clone());
        app.start.mode = Some(session.config.mode.to_string());
    }
    app.cancel();
    app.new_session();
}
