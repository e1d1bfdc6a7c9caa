//! `/thinking [on|off|tokens]`: whether the model thinks before it answers. Without a word it is
//! switched over.

use agent::{Thinking, models};
use protocol::session::{ConfigChange, Thinking as Wire};

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    let is_off = session.wire_config().thinking == Some(Wire::Disabled);
    let mut change = ConfigChange::default();
    match argument {
        "" if is_off => change.thinking = Some(Wire::Adaptive),
        "" => change.thinking = Some(Wire::Disabled),
        "on" | "adaptive" => change.thinking = Some(Wire::Adaptive),
        "off" | "disabled" => change.thinking = Some(Wire::Disabled),
        tokens => {
            let tokens = tokens.parse().map_err(|_| {
                format!("Thinking is on, off or a number of tokens; `{argument}` is none of them.")
            })?;
            change.max_thinking_tokens = Some(tokens);
        }
    }
    session.configure(change)?;
    let model = &session.config.model;
    let text = match session.config.options.thinking(models::limits(model)) {
        Thinking::Adaptive => format!("{model} thinks when it finds it useful."),
        Thinking::Disabled => format!("{model} answers without thinking."),
        Thinking::Budget(tokens) => format!("{model} may think for {tokens} tokens."),
        Thinking::Default => format!("{model} has no such setting; it does as it does."),
    };
    Ok(Done::Said(text))
}
