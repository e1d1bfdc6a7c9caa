//! `/hooks`: the hooks there are by event, where they are from, and their last runs.

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, _: &str) -> Outcome {
    Ok(Done::Said(session.hooks.listing()))
}
