//! `/model [id]`: which model answers.

use protocol::session::ConfigChange;

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    if argument.is_empty() {
        let known = session.config.provider.models();
        let known = known.iter().map(|model| model.id.as_str()).collect::<Vec<_>>();
        let text = format!("{} answers. Known: {}.", session.config.model, known.join(", "));
        return Ok(Done::Said(text));
    }
    let model = Some(argument.to_owned());
    session.configure(ConfigChange { model, ..ConfigChange::default() })?;
    Ok(Done::Said(format!("{} answers from now on.", session.config.model)))
}
