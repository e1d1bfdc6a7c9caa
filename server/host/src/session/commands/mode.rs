//! `/mode [mode]`: what may be done without asking.

use protocol::session::ConfigChange;

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    if !argument.is_empty() {
        let mode = Some(argument.into());
        session.configure(ConfigChange { mode, ..ConfigChange::default() })?;
    }
    let mode = session.state.permissions().mode;
    let modes = policy::Mode::ALL.iter().map(|mode| mode.name()).collect::<Vec<_>>();
    Ok(Done::Said(format!("The mode is {mode}. There are: {}.", modes.join(", "))))
}
