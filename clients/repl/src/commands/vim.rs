//! `/vim`: keys of vi, which this client does not have.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    let text =
        "This terminal client has the keys of readline and none of vi yet; /help lists them.";
    app.notice(Severity::Info, text);
}
