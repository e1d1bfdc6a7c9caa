//! `/output-style [name]`: how answers are written.

use protocol::session::ConfigChange;

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    if !argument.is_empty() {
        let output_style = Some(argument.to_owned());
        session.configure(ConfigChange { output_style, ..ConfigChange::default() })?;
    }
    let style = session.briefing.style_name().unwrap_or("default");
    let names = session.briefing.style_names().join(", ");
    Ok(Done::Said(format!("Answers are written in the style {style}. There are: {names}.")))
}
