//! One connected client, whichever door it came through: where to send, what it can do, and the
//! requests it has not answered yet.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use protocol::negotiation::ClientCapabilities;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use text::PositionEncoding;
use tokio::sync::oneshot;

use super::chat::Chats;
use super::client_servers::ClientServers;
use super::follow::Follower;
use super::outbox::{Outbox, Outgoing};
use super::pages::Pages;
use super::rpc::{Reply, RpcError, RpcResult};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DoorId(u64);

/// Shared by everybody who has something to say to this client.
pub struct Door {
    pub id: DoorId,
    pub outbox: Outbox,
    profile: OnceLock<Profile>,
    pending: Mutex<HashMap<String, oneshot::Sender<RpcResult>>>,
    next_request: AtomicU64,
    /// Methods it announced and then did not know.
    unknown: Mutex<BTreeSet<&'static str>>,
    /// Where the answers to prompts of its chat documents go.
    chats: Mutex<Chats>,
    /// Virtual documents it may ask for, and whether it does.
    pages: Mutex<Pages>,
    virtual_documents: AtomicBool,
    /// MCP servers that live in the client.
    servers: Mutex<Option<Arc<dyn ClientServers>>>,
    /// There while its user follows the agent.
    follower: Mutex<Option<Follower>>,
}

/// What the client said about itself in `initialize`.
#[derive(Clone, Debug)]
pub struct Profile {
    pub agent: ClientCapabilities,
    pub encoding: PositionEncoding,
    /// Takes `documentChanges` in a workspace edit, and with them a version to check.
    pub versioned_edits: bool,
    /// Takes version 0 for none, and would apply such an edit to whatever the text is by then.
    pub zero_is_unchecked: bool,
    pub apply_edit: bool,
    /// Takes an edit only right after a code action, so that is how one is allowed.
    pub edits_after_actions: bool,
    /// Tells of a save before it tells what was typed, and so sends the text along.
    pub saves_first: bool,
    pub work_done_progress: bool,
    /// Answers `window/showMessageRequest`. A program that is nobody's screen does not.
    pub message_request: bool,
    /// So many lines of a question are in sight there; nothing where all are.
    pub message_lines: Option<usize>,
    /// Is a person's editor, so a question can be put into a text where there is no box for it.
    pub cards: bool,
    /// Opens a document when it is asked to.
    pub show_document: bool,
    /// Takes code actions as such, and not only as commands.
    pub action_literals: bool,
    /// Asks for code lenses again when it is told to.
    pub lens_refresh: bool,
    /// Has texts of files, but does not say of which: it is asked when one is looked at.
    pub texts_on_demand: bool,
    /// What the editor has open.
    pub folders: Arc<[PathBuf]>,
    /// A door inside the process that speaks the provider's own language, and so needs every word as
    /// it came.
    pub verbatim: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            agent: ClientCapabilities::default(),
            encoding: PositionEncoding::Utf16,
            versioned_edits: false,
            zero_is_unchecked: false,
            apply_edit: false,
            edits_after_actions: false,
            saves_first: false,
            work_done_progress: false,
            message_request: false,
            message_lines: None,
            cards: false,
            show_document: false,
            action_literals: false,
            lens_refresh: false,
            texts_on_demand: false,
            folders: Arc::default(),
            verbatim: false,
        }
    }
}

impl Door {
    pub fn new() -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Arc::new(Self {
            id: DoorId(NEXT.fetch_add(1, Ordering::Relaxed)),
            outbox: Outbox::default(),
            profile: OnceLock::new(),
            pending: Mutex::default(),
            next_request: AtomicU64::new(1),
            unknown: Mutex::default(),
            chats: Mutex::default(),
            pages: Mutex::default(),
            virtual_documents: AtomicBool::new(false),
            servers: Mutex::default(),
            follower: Mutex::default(),
        })
    }

    pub fn chats(&self) -> MutexGuard<'_, Chats> {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It announced what our version of the standard's types does not know yet.
    pub fn announce_virtual_documents(&self) {
        self.virtual_documents.store(true, Ordering::Relaxed);
    }

    pub fn takes_virtual_documents(&self) -> bool {
        self.virtual_documents.load(Ordering::Relaxed)
    }

    pub fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For work whose request was answered already: what goes wrong is shown.
    pub fn problems_shown(self: Arc<Self>) -> Reply {
        Reply::new(move |result| {
            if let Err(error) = result {
                self.show_message(&error.message);
            }
        })
    }

    /// Set once, by `initialize`.
    pub fn set_profile(&self, profile: Profile) {
        // A second `initialize` is refused before it comes here; the first one counts.
        let _ = self.profile.set(profile);
    }

    pub fn profile(&self) -> Profile {
        self.profile.get().cloned().unwrap_or_default()
    }

    /// Whether it wants every word; see [`Profile::verbatim`].
    pub fn is_verbatim(&self) -> bool {
        self.profile.get().is_some_and(|profile| profile.verbatim)
    }

    pub fn encoding(&self) -> PositionEncoding {
        self.profile.get().map_or(PositionEncoding::Utf16, |profile| profile.encoding)
    }

    /// From now on these are the MCP servers that live in the client; see [`ClientServers`].
    pub fn offer_servers(&self, servers: Arc<dyn ClientServers>) {
        *self.servers.lock().unwrap_or_else(PoisonError::into_inner) = Some(servers);
    }

    pub fn servers(&self) -> Option<Arc<dyn ClientServers>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn notify(&self, method: &'static str, params: &impl Serialize) {
        match to_raw_value(params) {
            Ok(params) => self.outbox.push(Outgoing::Notification { method, params }),
            Err(error) => tracing::error!(%error, method, "a notification cannot be written"),
        }
    }

    /// A message for the user, by the standard's own means.
    pub fn show_message(&self, message: &str) {
        const WARNING: u8 = 2;
        self.notify("window/showMessage", &ShowMessage { r#type: WARNING, message });
    }

    /// Sends a request; the answer comes through the guard's [`Asked::answer`].
    pub fn ask(self: &Arc<Self>, method: &'static str, params: &impl Serialize) -> Asked {
        let (sender, receiver) = oneshot::channel();
        // A string with our name in it cannot be mistaken for the numbers of another layer.
        let id = format!("bowline:{}", self.next_request.fetch_add(1, Ordering::Relaxed));
        match to_raw_value(params) {
            Ok(params) => {
                self.pending().insert(id.clone(), sender);
                self.outbox.push(Outgoing::Request { id: id.clone(), method, params });
                if self.outbox.is_closed() {
                    self.pending().clear();
                }
            }
            Err(error) => tracing::error!(%error, method, "a request cannot be written"),
        }
        Asked { door: self.clone(), id, method, receiver, answered: false }
    }

    /// Whether the client once said that it does not know this method: it is not asked again.
    pub fn is_unknown(&self, method: &str) -> bool {
        self.unknown().contains(method)
    }

    /// An answer came in. One that nobody waits for any more is ignored.
    pub fn answered(&self, id: &str, result: RpcResult) {
        if let Some(waiting) = self.pending().remove(id) {
            let _ = waiting.send(result);
        }
    }

    /// The client is gone: what it was asked will never be answered.
    pub fn close(&self) {
        self.outbox.close();
        self.pending().clear();
        *self.follower() = None;
    }

    pub(super) fn follower(&self) -> MutexGuard<'_, Option<Follower>> {
        self.follower.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unknown(&self) -> MutexGuard<'_, BTreeSet<&'static str>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<RpcResult>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Door({})", self.id.0)
    }
}

/// A request under way. Dropping it before its answer withdraws it on the wire.
pub struct Asked {
    door: Arc<Door>,
    id: String,
    method: &'static str,
    receiver: oneshot::Receiver<RpcResult>,
    answered: bool,
}

#[derive(Serialize)]
struct ShowMessage<'a> {
    r#type: u8,
    message: &'a str,
}

#[derive(Serialize)]
struct CancelParams<'a> {
    id: &'a str,
}

impl Asked {
    pub async fn answer<R: DeserializeOwned>(mut self, deadline: Duration) -> Result<R, RpcError> {
        let received = tokio::time::timeout(deadline, &mut self.receiver).await;
        let Ok(received) = received else {
            return Err(RpcError::new(RpcError::CANCELLED, "The client did not answer in time."));
        };
        self.answered = true;
        let gone = || RpcError::new(RpcError::INTERNAL, "The client is gone.");
        let answer = received.map_err(|_| gone())?;
        if answer.as_ref().is_err_and(|error| error.code == RpcError::METHOD_NOT_FOUND) {
            self.door.unknown().insert(self.method);
        }
        let raw: Box<RawValue> = answer?;
        serde_json::from_str(raw.get()).map_err(|error| {
            RpcError::new(
                RpcError::INVALID_PARAMS,
                format!("The client's answer is wrong: {error}"),
            )
        })
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !self.answered {
            self.door.pending().remove(&self.id);
            self.door.notify("$/cancelRequest", &CancelParams { id: &self.id });
        }
    }
}
