//! What can be said to a session.

use std::path::PathBuf;
use std::sync::Arc;

use protocol::permission::{
    PermissionAnswer, PermissionRequestParams, PermissionRespondParams, PermissionRulesParams,
};
use protocol::session::{
    ConfigChange, SessionCancelParams, SessionPromptParams, SessionQueueParams,
    SessionRewindParams, SessionStatus,
};
use tokio::sync::{mpsc, oneshot, watch};
use tools::Answer;

use crate::core::{Door, DoorId, HunkNews, Reply, RpcError};

pub const INBOX: usize = 512;

/// What the registry keeps of a session.
pub struct SessionHandle {
    pub inbox: mpsc::Sender<Msg>,
    facts: watch::Receiver<Facts>,
}

/// What others may know without asking: written by the session, read by the loop.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Empty until the session has read its journal.
    pub cwd: PathBuf,
    pub status: SessionStatus,
}

impl SessionHandle {
    pub fn new(inbox: mpsc::Sender<Msg>, facts: watch::Receiver<Facts>) -> Self {
        Self { inbox, facts }
    }

    pub fn cwd(&self) -> PathBuf {
        self.facts.borrow().cwd.clone()
    }

    pub fn status(&self) -> SessionStatus {
        self.facts.borrow().status.clone()
    }
}

pub enum Msg {
    Attach(Attach),
    Detach {
        door: DoorId,
        reply: Option<Reply>,
    },
    Prompt {
        params: SessionPromptParams,
        reply: Reply,
    },
    Cancel {
        params: SessionCancelParams,
        reply: Reply,
    },
    Queue {
        params: SessionQueueParams,
        reply: Reply,
    },
    Config {
        set: Option<ConfigChange>,
        reply: Reply,
    },
    Rename {
        title: String,
        reply: Reply,
    },
    Context {
        reply: Reply,
    },
    /// A permission answered through a door that was not asked.
    Respond {
        params: PermissionRespondParams,
        reply: Reply,
    },
    Rules {
        params: PermissionRulesParams,
        reply: Reply,
    },
    /// A door answered what it was asked; `None` is a null answer.
    Asked {
        request_id: String,
        door: DoorId,
        answer: Result<Option<PermissionAnswer>, RpcError>,
    },
    /// One of the session's own calls has something to say.
    Call {
        id: String,
        news: CallNews,
    },
    /// Changes of the session that clients should know of.
    Hunks(Vec<HunkNews>),
    /// Something to tell the model with the next message.
    Note(String),
    Rewind {
        params: SessionRewindParams,
        reply: Reply,
    },
    Rewound(Box<super::Rewound>),
    /// The files of a rewind are back; the conversation follows.
    Unrewind {
        token: String,
        /// Why some files are not back.
        reason: Option<String>,
        reply: Reply,
    },
    Close {
        reply: Option<Reply>,
    },
}

/// A client joins. The answer goes out before the first event, because both go through its outbox.
pub struct Attach {
    pub door: Arc<Door>,
    pub since: Option<u64>,
    /// The session was made for this client: answer as `session/new`.
    pub created: bool,
    pub reply: Reply,
}

/// What a call reports on its way through the pipeline.
pub enum CallNews {
    Planned {
        title: String,
        locations: Vec<PathBuf>,
    },
    Ask {
        params: Box<PermissionRequestParams>,
        answer: oneshot::Sender<Answer>,
    },
    /// The question is of no use any more: the turn was cancelled.
    Withdraw {
        request_id: String,
    },
    Record {
        record: agent::Record,
        done: oneshot::Sender<Result<(), String>>,
    },
    Running,
    /// Something waits in the call's output slot.
    Output,
}
