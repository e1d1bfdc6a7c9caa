//! `/compact [what to keep]`: the conversation is replaced by a summary. Events tell how it goes.

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    session.compact_now(Some(argument.to_owned()).filter(|words| !words.is_empty()))?;
    Ok(Done::Said("The conversation is being summed up.".to_owned()))
}
