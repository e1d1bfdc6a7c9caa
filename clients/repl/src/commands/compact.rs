//! `/compact [what to keep]`: the conversation is replaced by a summary.

use protocol::event::Severity;
use protocol::session::{SessionCompact, SessionCompactParams};
use tokio::time::Instant;

use crate::app::{App, Waiting};

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    let Some(session) = &app.session else {
        return app.notice(Severity::Warning, "There is no session yet.");
    };
    let instructions = (!argument.is_empty()).then(|| argument.to_owned());
    let params = SessionCompactParams { session_id: session.id.clone(), instructions };
    app.outbox.request::<SessionCompact>(&params, Waiting::Decision);
}
