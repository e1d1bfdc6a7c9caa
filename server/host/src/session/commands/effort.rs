//! `/effort [level]`: how hard the model works.

use agent::Effort;
use protocol::session::ConfigChange;

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    if !argument.is_empty() {
        let effort = Some(argument.to_lowercase().as_str().into());
        session.configure(ConfigChange { effort, ..ConfigChange::default() })?;
    }
    let effort = session.config.options.effort().map_or("the model's own", Effort::name);
    let levels = Effort::ALL.map(Effort::name).join(", ");
    Ok(Done::Said(format!("The effort is {effort}. There are {levels}.")))
}
