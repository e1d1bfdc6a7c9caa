//! What the parties of the door have in common.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use protocol::Request;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::Asks;
use super::asks::Ask;
use super::hooks;
use super::initialize::Announced;
use super::servers::HostServers;
use crate::context::HostContext;
use crate::core::{CoreHandle, Door, Outgoing, RpcError, request};
use crate::session::{Driven, HostedMatcher, Msg};

pub(super) struct Shared {
    pub(super) host: Arc<HostContext>,
    pub(super) door: Arc<Door>,
    open: OnceLock<Open>,
    marks: mpsc::UnboundedSender<Mark>,
    began: Began,
    pub(super) servers: Arc<HostServers>,
    /// What the host was asked and has not answered.
    asks: Mutex<HashMap<String, Ask>>,
    /// Requests of the host that take time, by their ids.
    slow: Mutex<HashMap<String, AbortHandle>>,
    since: Instant,
    api: AtomicU64,
}

/// What the process was started with.
pub(super) struct Began {
    pub(super) cwd: PathBuf,
    pub(super) model: Option<String>,
    pub(super) asks: Asks,
}

/// The session, once there is one.
struct Open {
    core: CoreHandle,
    session: String,
}

/// What the teller has to know beside the words: made before what it is about can happen.
pub(super) enum Mark {
    /// What the host said in `initialize`.
    Announced(Box<Announced>),
    /// The session that everything is about.
    Opened(String),
    /// A prompt is on its way to the session.
    Sent { uuid: String, message: Value },
    /// It was not taken.
    Refused { uuid: String, problem: String },
    /// It became part of the turn that runs.
    Steered { uuid: String },
    /// It was taken back before its turn.
    Dropped { uuid: String },
    /// The session has dealt with everything that was said to it until then.
    Settled(u64),
    /// The host itself denied this call.
    Denied { call: String },
    /// The session could not begin.
    Failed(String),
    /// The host has said everything, and all of it was passed on.
    Done,
}

impl Shared {
    pub(super) fn new(
        host: Arc<HostContext>,
        door: Arc<Door>,
        marks: mpsc::UnboundedSender<Mark>,
        began: Began,
    ) -> Self {
        let (asks, slow) = Default::default();
        let servers = HostServers::new(door.clone());
        let (open, since, api) = (OnceLock::new(), Instant::now(), AtomicU64::default());
        Self { host, door, open, marks, began, servers, asks, slow, since, api }
    }

    /// The model that was named at the start.
    pub(super) fn model(&self) -> Option<&str> {
        self.began.model.as_deref()
    }

    /// The tool that is asked in the host's place.
    pub(super) fn permission_tool(&self) -> Option<&str> {
        match &self.began.asks {
            Asks::Tool(tool) => Some(tool),
            Asks::Nobody | Asks::Host => None,
        }
    }

    pub(super) fn cwd(&self) -> &Path {
        &self.began.cwd
    }

    pub(super) fn opened(&self, core: CoreHandle, session: String) {
        self.mark(Mark::Opened(session.clone()));
        let _ = self.open.set(Open { core, session });
    }

    pub(super) fn core(&self) -> Option<&CoreHandle> {
        self.open.get().map(|open| &open.core)
    }

    pub(super) fn session(&self) -> &str {
        self.open.get().map_or("", |open| open.session.as_str())
    }

    pub(super) fn mark(&self, mark: Mark) {
        // The teller ends last; without it there is nobody to tell.
        let _ = self.marks.send(mark);
    }

    /// One of our own requests to the core.
    pub(super) async fn ask<R: Request>(&self, params: &R::Params) -> Result<R::Result, RpcError> {
        match self.core() {
            Some(core) => request::<R>(core, &self.door, params).await,
            None => Err(RpcError::failed("There is no session yet; send a message first.")),
        }
    }

    /// Answers a request of the host, behind everything that was said before.
    pub(super) fn reply(&self, id: &Value, answer: Result<Value, String>) {
        let raw = |value: &Value| RawValue::from_string(value.to_string()).ok();
        let result = match answer {
            Ok(value) => match raw(&value) {
                Some(value) => Ok(value),
                None => Err(RpcError::failed("The answer cannot be written.")),
            },
            Err(problem) => Err(RpcError::failed(problem)),
        };
        if let Some(id) = raw(id) {
            self.door.outbox.push(Outgoing::Response { id, result });
        }
    }

    /// From now on the host hears of these events.
    pub(super) async fn use_hooks(&self, matchers: Vec<HostedMatcher>) {
        let Some(open) = self.open.get() else { return };
        let (hooks, session) = (hooks::hosted(&self.door, matchers), open.session.clone());
        open.core.go_on(move |state| state.tell(&session, Msg::HostedHooks(hooks))).await;
    }

    /// Something that the protocol of editors has no words for. The error is a sentence.
    pub(super) async fn want<T: Send + 'static>(
        &self,
        wish: impl FnOnce(oneshot::Sender<T>) -> Driven,
    ) -> Result<T, String> {
        let (reply, answer) = oneshot::channel();
        self.tell(wish(reply)).await;
        answer.await.map_err(|_| "The session is closed, or too busy; try again.".to_owned())
    }

    pub(super) async fn tell(&self, wish: Driven) {
        let Some(open) = self.open.get() else { return };
        let session = open.session.clone();
        open.core.go_on(move |state| state.tell(&session, Msg::Driven(Box::new(wish)))).await;
    }

    /// How long the door has been open.
    pub(super) fn lived(&self) -> Duration {
        self.since.elapsed()
    }

    /// Time that the provider took, in all.
    pub(super) fn api_millis(&self) -> u64 {
        self.api.load(Ordering::Relaxed)
    }

    pub(super) fn provider_took(&self, millis: u64) {
        self.api.fetch_add(millis, Ordering::Relaxed);
    }

    pub(super) fn asks(&self) -> MutexGuard<'_, HashMap<String, Ask>> {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn slow(&self) -> MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
