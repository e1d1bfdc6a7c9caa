//! Requests that a command makes in its user's name: the same that a client with a screen makes, so
//! that both come to the same.

use std::sync::Arc;

use futures::future::BoxFuture;
use protocol::Request;
use tokio::sync::oneshot;

use crate::core::{CoreHandle, Door, Event, Reply};
use crate::session::Session;

/// What a command says later; the error is a sentence for the user, too.
pub(super) type Asking = BoxFuture<'static, Result<String, String>>;

/// Who asks, and for which session.
pub(super) struct Asker {
    core: CoreHandle,
    door: Arc<Door>,
    pub(super) session: String,
    pub(super) cwd: String,
}

impl Asker {
    pub(super) fn of(session: &Session) -> Result<Asker, String> {
        let door = session.doors.first().cloned().ok_or("Nobody listens to this session.")?;
        let (core, cwd) = (session.core.clone(), session.state.cwd().display().to_string());
        Ok(Asker { core, door, session: session.id.clone(), cwd })
    }

    pub(super) async fn ask<R: Request>(&self, params: &R::Params) -> Result<R::Result, String> {
        let params = serde_json::value::to_raw_value(params).map_err(|error| error.to_string())?;
        let (answer, answered) = oneshot::channel();
        let reply = Reply::new(move |result| drop(answer.send(result)));
        let (door, method) = (self.door.clone(), R::METHOD.to_owned());
        self.core.send(Event::Request { door, method, params: Some(params), reply }).await;
        let result = answered.await.map_err(|_| "The server is going down.".to_owned())?;
        let result = result.map_err(|error| error.message)?;
        serde_json::from_str(result.get()).map_err(|error| error.to_string())
    }

    /// A file as people read its name.
    pub(super) fn file(&self, uri: &str) -> String {
        let path = workspace::DocumentUri::new(uri).to_path();
        let path = path.map_or_else(|| uri.to_owned(), |path| path.display().to_string());
        path.strip_prefix(&format!("{}/", self.cwd)).map(str::to_owned).unwrap_or(path)
    }
}
