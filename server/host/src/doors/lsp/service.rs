//! The wrapping service: everything whose order matters is passed on here, synchronously, in the
//! order of the wire.
//!
//! `poll_ready` takes a place in the loop's queue, `call` fills it: that is how a busy loop slows
//! the reader down, and why no message can overtake another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures::FutureExt as _;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use tokio_util::sync::PollSender;
use tower::Service;
use tower_lsp::LspService;
use tower_lsp::jsonrpc::{Id, Request, Response};

use super::language_server::Lsp;
use super::{plain, profile, sync};
use crate::core::{
    CoreHandle, Door, Event, LostMessage, Outgoing, Reply, RpcError, RpcResult, STANDARD,
};
use crate::doors::leave::CLOSE_WITHIN;
use crate::doors::message::Incoming;

pub(super) struct Front {
    door: Arc<Door>,
    core: CoreHandle,
    events: PollSender<Event>,
    standard: LspService<Lsp>,
    stage: Stage,
    open: Arc<OpenRequests>,
    /// Answers that tower-lsp takes its time for.
    later: JoinSet<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Before `initialize` nothing else is answered.
    New,
    Serving,
    /// After `shutdown` only `exit` counts.
    ShutDown,
    /// `exit` was said, after `shutdown` or without it; or the loop is gone.
    Exited {
        properly: bool,
    },
}

/// Requests of ours that are not answered yet; a cancel takes them out and answers in their place.
#[derive(Default)]
struct OpenRequests(Mutex<HashMap<String, Box<RawValue>>>);

impl OpenRequests {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Box<RawValue>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right to answer a request; whoever comes second gets nothing.
    fn take(&self, id: &str) -> Option<Box<RawValue>> {
        self.lock().remove(id)
    }
}

/// The client said `exit`, or the loop is gone.
#[derive(Debug)]
pub(super) struct Over;

#[derive(Deserialize)]
struct CancelParams {
    id: Box<RawValue>,
}

#[derive(Deserialize)]
struct ProgressCancelParams {
    token: Value,
}

impl Front {
    pub(super) fn new(door: Arc<Door>, core: CoreHandle, standard: LspService<Lsp>) -> Self {
        let events = PollSender::new(core.sender());
        let open = Arc::default();
        let later = JoinSet::new();
        Self { door, core, events, standard, stage: Stage::New, open, later }
    }

    pub(super) fn was_shut_down(&self) -> bool {
        self.stage == Stage::Exited { properly: true }
    }

    /// Waits for the answers that are still owed; a client may say `exit` without waiting for the
    /// one to `shutdown`.
    pub(super) async fn settle(&mut self) {
        let settled = async { while self.later.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(CLOSE_WITHIN, settled).await;
    }

    /// A message of the client could not be read.
    pub(super) fn report_lost(&mut self, lost: LostMessage) {
        if self.stage == Stage::Serving {
            self.send(Event::MessageLost { door: self.door.clone(), lost });
        }
    }

    fn send(&mut self, event: Event) {
        if self.events.send_item(event).is_err() {
            self.stage = Stage::Exited { properly: false };
        }
    }

    fn respond(&self, id: Box<RawValue>, result: RpcResult) {
        self.door.outbox.push(Outgoing::Response { id, result });
    }

    fn on_request(&mut self, id: Box<RawValue>, method: String, params: Option<Box<RawValue>>) {
        if method == "initialize" || method == "shutdown" {
            return self.on_lifecycle(id, method, params);
        }
        if let Err(error) = self.refusal() {
            return self.respond(id, Err(error));
        }
        if !method.starts_with("agent/") && !STANDARD.contains(&method.as_str()) {
            return self.standard(Some(id), method, params);
        }
        let key = id.get().to_owned();
        if self.open.lock().insert(key.clone(), id).is_some() {
            tracing::warn!(key, "the client used an id twice");
        }
        let (open, door) = (self.open.clone(), self.door.clone());
        let reply = Reply::new(move |result| {
            if let Some(id) = open.take(&key) {
                door.outbox.push(Outgoing::Response { id, result });
            }
        });
        self.send(Event::Request { door: self.door.clone(), method, params, reply });
    }

    fn on_lifecycle(&mut self, id: Box<RawValue>, method: String, params: Option<Box<RawValue>>) {
        let initialize = method == "initialize";
        let first = initialize && self.stage == Stage::New;
        if !initialize && self.stage == Stage::Serving {
            self.stage = Stage::ShutDown;
        }
        if first && profile::takes_virtual_documents(params.as_deref()) {
            self.door.announce_virtual_documents();
        }
        self.standard(Some(id), method, params);
        if first {
            self.stage = Stage::Serving;
            self.send(Event::DoorOpened(self.door.clone()));
        }
    }

    fn refusal(&self) -> Result<(), RpcError> {
        match self.stage {
            Stage::Serving => Ok(()),
            Stage::New => {
                let message = "Say `initialize` first.";
                Err(RpcError::new(RpcError::NOT_INITIALIZED, message))
            }
            Stage::ShutDown | Stage::Exited { .. } => {
                let message = "The server was shut down; only `exit` is left to say.";
                Err(RpcError::new(RpcError::INVALID_REQUEST, message))
            }
        }
    }

    fn on_notification(&mut self, method: String, params: Option<Box<RawValue>>) {
        if method == "exit" {
            self.stage = Stage::Exited { properly: self.stage == Stage::ShutDown };
            return;
        }
        if self.stage != Stage::Serving {
            return;
        }
        match sync::parse(&method, params.as_deref()) {
            Some(Ok(sync)) => {
                let door = self.door.clone();
                return self.send(Event::Sync { door, sync });
            }
            Some(Err(error)) => {
                return tracing::warn!(method, %error, "a text notification cannot be read");
            }
            None => {}
        }
        match method.as_str() {
            "$/cancelRequest" => self.on_cancel(params),
            "window/workDoneProgress/cancel" => self.on_progress_cancel(params.as_deref()),
            _ if method.starts_with("agent/") => {
                let door = self.door.clone();
                self.send(Event::Notification { door, method, params });
            }
            _ => self.standard(None, method, params),
        }
    }

    fn on_cancel(&mut self, params: Option<Box<RawValue>>) {
        let parsed =
            params.as_deref().map(|params| serde_json::from_str::<CancelParams>(params.get()));
        let Some(Ok(CancelParams { id })) = parsed else { return };
        match self.open.take(id.get()) {
            Some(id) => {
                let error = RpcError::new(RpcError::CANCELLED, "The client cancelled the request.");
                self.respond(id, Err(error));
            }
            None => self.standard(None, "$/cancelRequest".to_owned(), params),
        }
    }

    fn on_progress_cancel(&self, params: Option<&RawValue>) {
        let parsed =
            params.map(|params| serde_json::from_str::<ProgressCancelParams>(params.get()));
        let Some(Ok(ProgressCancelParams { token: Value::String(token) })) = parsed else { return };
        let (core, door) = (self.core.clone(), self.door.clone());
        tokio::spawn(async move {
            if let Err(error) = plain::cancel(&core, &door, &token).await {
                tracing::debug!(%error, "nothing to cancel");
            }
        });
    }

    /// Hands a message to tower-lsp. What it answers at once is answered in order; what takes time
    /// is awaited on the side.
    fn standard(
        &mut self,
        id: Option<Box<RawValue>>,
        method: String,
        params: Option<Box<RawValue>>,
    ) {
        let mut request = Request::build(method);
        if let Some(params) =
            params.and_then(|params| serde_json::from_str::<Value>(params.get()).ok())
        {
            request = request.params(params);
        }
        if let Some(id) = &id {
            match serde_json::from_str::<Id>(id.get()) {
                Ok(id) => request = request.id(id),
                Err(_) => {
                    let error =
                        RpcError::new(RpcError::INVALID_REQUEST, "An id is a number or a text.");
                    return self.respond(id.clone(), Err(error));
                }
            }
        }
        let mut answer = self.standard.call(request.finish());
        let door = self.door.clone();
        match (&mut answer).now_or_never() {
            Some(response) => push(&door, id, response.ok().flatten()),
            None => {
                while self.later.try_join_next().is_some() {}
                self.later.spawn(async move { push(&door, id, answer.await.ok().flatten()) });
            }
        }
    }
}

fn push(door: &Door, id: Option<Box<RawValue>>, response: Option<Response>) {
    let (Some(id), Some(response)) = (id, response) else { return };
    let (_, body) = response.into_parts();
    let result = match body {
        Ok(value) => serde_json::value::to_raw_value(&value)
            .map_err(|error| RpcError::new(RpcError::INTERNAL, error.to_string())),
        Err(error) => Err(RpcError::new(error.code.code(), error.message.into_owned())),
    };
    door.outbox.push(Outgoing::Response { id, result });
}

impl Service<Incoming> for Front {
    type Response = ();
    type Error = Over;
    type Future = std::future::Ready<Result<(), Over>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Over>> {
        self.events.poll_reserve(cx).map_err(|_| Over)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        match message {
            Incoming::Request { id, method, params } => self.on_request(id, method, params),
            Incoming::Notification { method, params } => self.on_notification(method, params),
            Incoming::Response { id, result } => {
                // Ours are texts; anything else answers a question that nobody asked.
                if let Ok(id) = serde_json::from_str::<String>(id.get()) {
                    self.door.answered(&id, result);
                }
            }
            Incoming::Invalid { id, error } => {
                if error.code == RpcError::PARSE {
                    self.report_lost(LostMessage::Unknown);
                }
                self.respond(id.unwrap_or_else(|| RawValue::NULL.to_owned()), Err(error));
            }
        }
        let over = matches!(self.stage, Stage::Exited { .. });
        std::future::ready(if over { Err(Over) } else { Ok(()) })
    }
}
