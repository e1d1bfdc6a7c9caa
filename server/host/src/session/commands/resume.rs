//! `/resume [words]`: older sessions of this folder. A client with a screen opens the one that is
//! picked.

use futures::FutureExt as _;
use protocol::session::{SessionInfo, SessionList, SessionListParams};

use super::asks::{Asker, Asking};
use crate::session::Session;

/// The latest will do.
const SHOWN: usize = 20;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let asker = Asker::of(session)?;
    let query = Some(argument.to_owned()).filter(|words| !words.is_empty());
    Ok(async move {
        let cwd = Some(asker.cwd.clone());
        let params = SessionListParams { cwd, query, ..SessionListParams::default() };
        let sessions = asker.ask::<SessionList>(&params).await?.sessions;
        let others: Vec<&SessionInfo> =
            sessions.iter().filter(|it| it.session_id != asker.session).take(SHOWN).collect();
        if others.is_empty() {
            return Ok("There are no other sessions of this folder.".to_owned());
        }
        let line =
            |it: &&SessionInfo| format!("{}  {:>4}  {}", it.session_id, it.messages, it.title);
        let lines = others.iter().map(line).collect::<Vec<_>>().join("\n");
        Ok(format!("{lines}\nThis client shows one session; `bowline --resume ID` opens another."))
    }
    .boxed())
}
