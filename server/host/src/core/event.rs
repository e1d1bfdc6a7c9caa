//! Every reason for the main loop to wake.

use std::path::PathBuf;
use std::sync::Arc;

use language::Finding;
use serde_json::value::RawValue;
use text::{Author, Edit, HunkNo, Text};
use tokio::sync::oneshot;
use tools::{EditError, Edited, Findings};
use workspace::{Base, Change, DocumentUri, FileText, Snapshot};

use super::commands::{AfterCommand, BeforeCommand};
use super::door::{Door, DoorId};
use super::focus::Focused;
use super::on_demand::Refresh;
use super::rewind::Rewind;
use super::rpc::{Reply, RpcError};
use super::state::State;
use crate::session::{Direct, DirectTool};
use crate::store::StoredLedger;

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
    /// A message of a client could not be read.
    MessageLost { door: Arc<Door>, lost: LostMessage },
    /// The editor sent the whole text of a document, as it was asked to.
    FullText { uri: DocumentUri, opened: u64, version: i32, text: String },
    /// A tool wants to see what is open.
    Snapshot(oneshot::Sender<Snapshot>),
    /// Somebody is about to look at files that only their client knows to be open.
    Refresh(Refresh),
    /// A session wants to know what its user looks at.
    Focus { doors: Vec<DoorId>, reply: oneshot::Sender<Option<Focused>> },
    /// Somebody wants to change an open document.
    Edit(Box<OpenEdit>),
    /// Somebody wants to change a file that is not open.
    Write(Box<ClosedEdit>),
    /// A file that is not open was written, or not.
    Written(Box<Written>),
    /// What the disk says about a document that was opened or saved.
    DiskSeen(Box<DiskSeen>),
    /// The editor answered an edit request of ours.
    EditAnswered { edit: u64, outcome: Result<EditAnswer, RpcError> },
    /// An edit has waited long enough for the editor.
    EditExpired { edit: u64 },
    /// The file of a document that was closed while an edit was on its way.
    ClosedFileRead { edit: u64, text: Option<Text> },
    /// A session's task is over; its handle is of no use any more.
    SessionEnded { id: String },
    /// The journal of a session that somebody wants to join was found.
    Stored(Box<StoredAttach>),
    /// A session goes back: its files do.
    Rewind(Box<Rewind>),
    /// A command is about to run, and sees the disk only.
    BeforeCommand(Box<BeforeCommand>),
    /// A command changed files that were known.
    AfterCommand(Box<AfterCommand>),
    /// Somebody wants to know what is newly wrong in an open document since it was edited.
    Findings { uri: DocumentUri, version: i32, session: String, reply: oneshot::Sender<Findings> },
    /// Somebody wants to know what is known about an open document, and whether that is about its
    /// present text; nothing when nobody looks at it.
    KnownFindings { uri: DocumentUri, reply: oneshot::Sender<Option<(Vec<Finding>, bool)>> },
    /// A question for findings has waited long enough.
    FindingsDue { question: u64 },
    /// Somebody wants to ask the editor that has a document open, or any that can answer.
    Owner { uri: Option<DocumentUri>, reply: oneshot::Sender<Option<Arc<Door>>> },
    /// A client calls a tool itself, in a session of its own.
    Direct { session: String, direct: Box<Direct> },
    /// Which tools could it call?
    DirectTools { session: String, reply: oneshot::Sender<Vec<DirectTool>> },
    /// Work that had to wait outside the loop goes on in it.
    GoOn(Box<dyn FnOnce(&mut State) + Send>),
    /// Who is here, and is there work under way?
    Company(oneshot::Sender<Company>),
    /// Close every session, then answer.
    Shutdown(oneshot::Sender<()>),
}

/// What keeps the server.
#[derive(Clone, Copy, Debug)]
pub struct Company {
    /// Clients that are connected.
    pub doors: usize,
    /// A turn runs or waits.
    pub busy: bool,
}

/// What is known of a message that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LostMessage {
    /// Nothing: it may have been a change of any document.
    Unknown,
    /// It opened a document whose text is too long.
    Open(DocumentUri),
    /// It changed a document.
    Change(DocumentUri),
}

/// Text synchronisation, free of any protocol's types.
pub enum Sync {
    Open { uri: DocumentUri, language: String, version: i32, text: String },
    Change { uri: DocumentUri, version: i32, changes: Vec<Change> },
    Save { uri: DocumentUri, text: Option<String> },
    Close { uri: DocumentUri },
}

impl Sync {
    pub fn uri(&self) -> &DocumentUri {
        match self {
            Sync::Open { uri, .. }
            | Sync::Change { uri, .. }
            | Sync::Save { uri, .. }
            | Sync::Close { uri } => uri,
        }
    }
}

/// A change of a document that the editor has open.
pub struct OpenEdit {
    pub uri: DocumentUri,
    /// Nothing for a switch of hunks: the ledger knows what that changes when its turn comes.
    pub computed: Option<Computed>,
    /// What the editor's undo list calls it, and what is undone together with it.
    pub label: String,
    pub undo_group: String,
    pub purpose: Purpose,
    pub reply: EditReply,
}

/// A change computed on a version the buffer had.
pub struct Computed {
    pub version: i32,
    pub base: Text,
    pub edit: Edit,
}

/// A change of a file that is not open.
pub struct ClosedEdit {
    /// Behind all links.
    pub path: PathBuf,
    /// The file as it was when the change was computed; `None` for one that is to be created.
    pub base: Option<FileText>,
    pub edit: Edit,
    /// The file goes, if it still says what the change was computed on.
    pub remove: bool,
    pub purpose: Purpose,
    pub reply: EditReply,
}

/// What a change is for, and with that how the ledger takes it.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// The agent's own.
    Agent(Author),
    /// Takes hunks out of the text, or puts them back.
    Switch { hunks: Vec<HunkNo>, active: bool },
    /// What somebody else did to the file on the disk, brought to the editor.
    Foreign,
}

/// `None`: the document was closed meanwhile, or opened.
pub type EditReply = oneshot::Sender<Option<Result<Edited, EditError>>>;

/// What was found when a document was opened or saved.
pub struct DiskSeen {
    pub uri: DocumentUri,
    pub opened: u64,
    pub base: Option<Base>,
    /// How the ledger knows the file.
    pub key: DocumentUri,
    pub ledger: Option<StoredLedger>,
}

/// How the writing of a file that is not open went.
pub struct Written {
    pub key: DocumentUri,
    pub purpose: Purpose,
    pub reply: EditReply,
    pub outcome: Result<Wrote, EditError>,
}

/// A file before and after, and the change in between.
pub struct Wrote {
    pub before: Option<Text>,
    pub edit: Edit,
    pub after: Text,
}

pub struct StoredAttach {
    pub path: PathBuf,
    /// Where the session goes on when its own folder is gone.
    pub instead: Option<PathBuf>,
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
