//! `/config`: the settings of this session as they hold now.

use super::{Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    if !argument.is_empty() {
        let text = "Settings are changed with /model, /effort, /thinking, /mode and /output-style \
                    for this session, and with `bowline config set` in files.";
        return Err(text.to_owned());
    }
    let config = session.wire_config();
    let or_default = |value: Option<String>| value.unwrap_or_else(|| "default".to_owned());
    Ok(Done::Said(rows([
        ("model", config.model),
        ("mode", config.mode.to_string()),
        ("effort", or_default(config.effort.map(|effort| effort.to_string()))),
        ("thinking", or_default(config.thinking.map(|thinking| thinking.to_string()))),
        ("output style", or_default(config.output_style)),
        ("files", "`bowline config` shows each setting with its file and line".to_owned()),
    ])))
}
