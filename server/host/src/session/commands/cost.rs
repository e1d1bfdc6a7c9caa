//! `/cost`: what the session has used.

use super::{Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run(session: &mut Session, _: &str) -> Outcome {
    let conversation = &session.conversation;
    let (usage, window) =
        (conversation.usage(), agent::models::limits(&session.config.model).window);
    Ok(Done::Said(rows([
        ("cost", format!("${:.4}", conversation.cost_usd())),
        ("written", format!("{} tokens", usage.output_tokens)),
        ("read", format!("{} tokens", usage.input_tokens)),
        ("cache", {
            let (read, write) = (usage.cache_read_input_tokens, usage.cache_creation_input_tokens);
            format!("{read} tokens read, {write} written")
        }),
        ("window", format!("{} of {window} tokens in use", session.used())),
    ])))
}
