//! The client at the other end: what it can do, which sessions it has, and what it waits for.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use protocol::Request;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::prompts::Prompts;
use super::schema::{ClientCapabilities, SessionNotification, SessionUpdate, TerminalId};
use super::texts::Texts;
use crate::context::HostContext;
use crate::core::{CoreHandle, Door, Event, Outgoing, Reply, RpcError};

pub(super) const SESSION_UPDATE: &str = "session/update";

pub(super) struct Peer {
    pub(super) door: Arc<Door>,
    pub(super) core: CoreHandle,
    pub(super) host: Arc<HostContext>,
    capabilities: OnceLock<ClientCapabilities>,
    /// Its sessions and their folders.
    sessions: Mutex<BTreeMap<String, PathBuf>>,
    pub(super) prompts: Prompts,
    pub(super) texts: Texts,
    /// Terminals that calls are shown in, by the calls.
    terminals: Mutex<HashMap<String, TerminalId>>,
}

impl Peer {
    pub(super) fn new(door: Arc<Door>, core: CoreHandle, host: Arc<HostContext>) -> Self {
        Self {
            door,
            core,
            host,
            capabilities: OnceLock::new(),
            sessions: Mutex::default(),
            prompts: Prompts::default(),
            texts: Texts::default(),
            terminals: Mutex::default(),
        }
    }

    /// `false` when it said so before.
    pub(super) fn introduce(&self, capabilities: ClientCapabilities) -> bool {
        self.capabilities.set(capabilities).is_ok()
    }

    pub(super) fn is_known(&self) -> bool {
        self.capabilities.get().is_some()
    }

    pub(super) fn capabilities(&self) -> ClientCapabilities {
        self.capabilities.get().cloned().unwrap_or_default()
    }

    /// Sends one of our own requests. The answer is dealt with where it arises, before whatever the
    /// session says next.
    pub(super) async fn ask<R: Request>(
        &self,
        params: &R::Params,
        then: impl FnOnce(Result<R::Result, RpcError>) + Send + 'static,
    ) {
        let reply =
            Reply::new(move |result| {
                then(result.and_then(|raw| {
                    serde_json::from_str(raw.get()).map_err(|error| internal(&error))
                }));
            });
        match to_raw_value(params) {
            Ok(params) => self.pass_on(R::METHOD, Some(params), reply).await,
            Err(error) => reply.err(internal(&error)),
        }
    }

    /// Hands a request to the core as it is.
    pub(super) async fn pass_on(&self, method: &str, params: Option<Box<RawValue>>, reply: Reply) {
        let (door, method) = (self.door.clone(), method.to_owned());
        self.core.send(Event::Request { door, method, params, reply }).await;
    }

    pub(super) fn remember(&self, session: &str, folder: PathBuf) {
        self.sessions().insert(session.to_owned(), folder);
    }

    pub(super) fn forget(&self, session: &str) {
        self.sessions().remove(session);
    }

    /// Where a session works.
    pub(super) fn folder(&self, session: &str) -> Option<PathBuf> {
        self.sessions().get(session).cloned()
    }

    /// The session whose folder is nearest around a file, else the newest: the client's files are
    /// asked for in the name of one.
    pub(super) fn session_around(&self, path: &Path) -> Option<String> {
        let sessions = self.sessions();
        let near = |folder: &Path| match path.starts_with(folder) {
            true => folder.components().count(),
            false => 0,
        };
        let nearest = sessions.iter().max_by_key(|(id, folder)| (near(folder), (*id).clone()));
        nearest.map(|(id, _)| id.clone())
    }

    pub(super) fn terminals(&self) -> MutexGuard<'_, HashMap<String, TerminalId>> {
        self.terminals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, PathBuf>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the client of something, behind all it was told before.
    pub(super) fn update(&self, session: &str, update: SessionUpdate) {
        self.door.notify(SESSION_UPDATE, &notification(session, update));
    }
}

pub(super) fn notification(session: &str, update: SessionUpdate) -> SessionNotification {
    SessionNotification::new(session.to_owned(), update)
}

/// The same as a message of its own.
pub(super) fn told(session: &str, update: SessionUpdate) -> Option<Outgoing> {
    let params = to_raw_value(&notification(session, update));
    let params = params.inspect_err(|error| tracing::error!(%error, "an update cannot be written"));
    Some(Outgoing::Notification { method: SESSION_UPDATE, params: params.ok()? })
}

pub(super) fn response(id: Box<RawValue>, result: Result<&impl Serialize, RpcError>) -> Outgoing {
    let result = result.and_then(|result| to_raw_value(result).map_err(|error| internal(&error)));
    Outgoing::Response { id, result }
}

fn internal(error: &serde_json::Error) -> RpcError {
    RpcError::new(RpcError::INTERNAL, error.to_string())
}
