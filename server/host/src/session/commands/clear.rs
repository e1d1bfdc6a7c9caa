//! `/clear`: the conversation begins anew. A copy of the session keeps what was said, and `/resume` finds
//! it; files stay as they are.

use std::path::Path;

use agent::Record;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::event::{SessionRewound, TodosUpdated};
use protocol::session::RewindWhat;

use super::{Done, Outcome};
use crate::session::Session;
use crate::store;

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
    session.fire_end("clear");
    let kept = keep(session).await?;
    let token = session.next_id("clear");
    let record = Record::Rewound { to: first.clone(), token };
    session.journal_durably(&record).await.map_err(|error| error.to_string())?;
    session.attachments.forget();
    session.list_skills_anew();
    let what = RewindWhat::Conversation;
    session.emit(SessionRewound { to_message: first, what, undo_token: None });
    if !session.state.todos().is_empty() {
        session.state.forget_steps();
        session.keep_board(&session.state.board());
        session.emit(TodosUpdated { items: Vec::new() });
    }
    session.begin_hooks("clear");
    let kept = kept.map(|id| format!(" Session {id} keeps what was said.")).unwrap_or_default();
    Ok(Done::Said(format!("The conversation begins anew.{kept}")))
}

/// The session as it is, under another id; nothing of one that is not stored.
async fn keep(session: &mut Session) -> Result<Option<String>, String> {
    let Some(from) = session.journal.path().map(Path::to_owned) else { return Ok(None) };
    session.journal.sync().await.map_err(|error| error.to_string())?;
    let (sessions, now) = (session.host.sessions_dir(), session.host.clock.millis());
    let id = uuid::Uuid::now_v7().to_string();
    let copied = tokio::task::spawn_blocking(move || {
        let wish = store::Fork { from: &from, at: None, id: &id, now };
        store::fork(&sessions, &wish).map(|_| id)
    });
    copied.await.map_err(|error| error.to_string())?.map(Some)
}
