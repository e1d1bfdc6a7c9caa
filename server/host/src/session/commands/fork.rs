//! `/fork [message]`: a copy of this session, which ends with that message. A client with a screen
//! goes on in it at once.

use futures::FutureExt as _;
use protocol::session::{SessionFork, SessionForkParams};

use super::asks::{Asker, Asking};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let asker = Asker::of(session)?;
    let at_message = Some(argument.to_owned()).filter(|message| !message.is_empty());
    Ok(async move {
        let params = SessionForkParams { session_id: asker.session.clone(), at_message };
        let id = asker.ask::<SessionFork>(&params).await?.session_id;
        Ok(format!("The copy is session {id}; `bowline --resume {id}` goes on in it."))
    }
    .boxed())
}
