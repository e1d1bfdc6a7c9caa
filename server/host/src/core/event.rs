//! Every reason for the main loop to wake.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::value::RawValue;
use text::{Edit, Text};
use tokio::sync::oneshot;
use tools::{EditError, Edited};
use workspace::{Change, DocumentUri, Snapshot};

use super::door::{Door, DoorId};
use super::rpc::{Reply, RpcError};

pub enum Event {
    /// A client said `initialize`.
    DoorOpened(Arc<Door>),
    /// A client is gone; its documents and subscriptions go with it.
    DoorClosed(DoorId),
    /// A request of the `agent/*` family, or a command.
    Request { door: Arc<Door>, method: String, params: Option<Box<RawValue>>, reply: Reply },
    /// A notification of the `agent/*` family.
    Notification { door: Arc<Door>, method: String, params: Option<Box<RawValue>> },
    /// The editor's text.
    Sync { door: Arc<Door>, sync: Sync },
    /// The editor sent the whole text of a document, as it was asked to.
    FullText { uri: DocumentUri, opened: u64, version: i32, text: String },
    /// A tool wants to see what is open.
    Snapshot(oneshot::Sender<Snapshot>),
    /// A tool wants to change an open document.
    Edit(Box<OpenEdit>),
    /// The editor answered an edit request of ours.
    EditAnswered { edit: u64, outcome: Result<EditAnswer, RpcError> },
    /// An edit has waited long enough for the editor.
    EditExpired { edit: u64 },
    /// A session's task is over; its handle is of no use any more.
    SessionEnded { id: String },
    /// The journal of a session that somebody wants to join was found.
    Stored(Box<StoredAttach>),
    /// Close every session, then answer.
    Shutdown(oneshot::Sender<()>),
}

/// Text synchronisation, free of any protocol's types.
pub enum Sync {
    Open { uri: DocumentUri, language: String, version: i32, text: String },
    Change { uri: DocumentUri, version: i32, changes: Vec<Change> },
    Save { uri: DocumentUri, text: Option<String> },
    Close { uri: DocumentUri },
}

/// A change of a document that the editor has open, computed on a version it had.
pub struct OpenEdit {
    pub uri: DocumentUri,
    pub base_version: i32,
    pub base: Text,
    pub edit: Edit,
    pub label: String,
    pub call_id: String,
    pub reply: EditReply,
}

/// `None`: the document was closed meanwhile.
pub type EditReply = oneshot::Sender<Option<Result<Edited, EditError>>>;

pub struct StoredAttach {
    pub path: PathBuf,
    pub door: Arc<Door>,
    pub since: Option<u64>,
    pub reply: Reply,
}

pub struct EditAnswer {
    pub applied: bool,
    pub reason: Option<String>,
}

/// How everybody reaches the loop. Bounded: who is faster than the loop waits.
#[derive(Clone)]
pub struct CoreHandle {
    pub(super) events: tokio::sync::mpsc::Sender<Event>,
}

pub const EVENT_QUEUE: usize = 1024;

impl CoreHandle {
    /// `false` when the loop has ended.
    pub async fn send(&self, event: Event) -> bool {
        self.events.send(event).await.is_ok()
    }

    pub fn sender(&self) -> tokio::sync::mpsc::Sender<Event> {
        self.events.clone()
    }
}
