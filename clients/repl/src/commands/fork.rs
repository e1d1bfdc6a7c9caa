//! `/fork [message]`: go on in a copy of this session, which ends with that message.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    app.fork_here(Some(argument).filter(|message| !message.is_empty()));
}
