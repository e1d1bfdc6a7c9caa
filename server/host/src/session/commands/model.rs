//! `/model [id]`: which model answers.

use protocol::session::ConfigChange;

use super::{Done, Outcome};
use crate::core::Reply;
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    if argument.is_empty() {
        let known = session.config.provider.models();
        let known = known.iter().map(|model| model.id.as_str()).collect::<Vec<_>>();
        let text = format!("{} answers. Known: {}.", session.config.model, known.join(", "));
        return Ok(Done::Said(text));
    }
    let model = Some(argument.to_owned());
    let set = ConfigChange { model, ..ConfigChange::default() };
    // Whoever may say no to it is asked first, and what comes of it is told then.
    match session.ask_switch(set, Reply::new(|_| ())) {
        Ok(()) => Ok(Done::Said(format!("Hooks are asked about {argument}."))),
        Err(switch) => {
            session.configure(switch.set)?;
            Ok(Done::Said(format!("{} answers from now on.", session.config.model)))
        }
    }
}
