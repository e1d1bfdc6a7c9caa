//! `/review [accept|reject|undo]`: what the agent has changed, change by change or all at once.

use protocol::edit::ReviewAction;
use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::{App, Listing};

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match argument {
        "" => app.list_changes(Listing::Review),
        "accept" => app.list_changes(Listing::All(ReviewAction::Accept)),
        "reject" => app.list_changes(Listing::All(ReviewAction::Reject)),
        "undo" => app.undo_decision(),
        other => {
            let text = format!("`/review {other}` is unknown; say accept, reject or undo.");
            app.notice(Severity::Warning, &text);
        }
    }
}
