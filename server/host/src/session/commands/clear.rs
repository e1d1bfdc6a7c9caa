//! `/clear`: the conversation begins anew. The journal keeps what was said; files stay as they are.

use agent::Record;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::event::{SessionRewound, TodosUpdated};
use protocol::session::RewindWhat;

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run<'a>(session: &'a mut Session, _: &'a str) -> BoxFuture<'a, Outcome> {
    clear(session).boxed()
}

async fn clear(session: &mut Session) -> Outcome {
    if session.running.is_some() || session.compacting.is_some() {
        return Err("The session is busy. Stop it first, then clear it.".to_owned());
    }
    let first = session.conversation.entries().iter().find_map(|entry| entry.id.clone());
    let Some(first) = first else {
        return Ok(Done::Said("There is nothing to forget yet.".to_owned()));
    };
    let token = session.next_id("clear");
    let record = Record::Rewound { to: first.clone(), token };
    session.journal_durably(&record).await.map_err(|error| error.to_string())?;
    session.attachments.forget();
    let what = RewindWhat::Conversation;
    session.emit(SessionRewound { to_message: first, what, undo_token: None });
    if !session.state.todos().is_empty() {
        session.state.forget_steps();
        session.keep_board(&session.state.board());
        session.emit(TodosUpdated { items: Vec::new() });
    }
    Ok(Done::Said("The conversation begins anew.".to_owned()))
}
