//! What can be said to a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::ask::AskRespondParams;
use protocol::mcp::McpParams;
use protocol::memory::{MemoryAddParams, MemoryListParams};
use protocol::permission::{
    PermissionAnswer, PermissionRequestParams, PermissionRespondParams, PermissionRulesParams,
};
use protocol::session::{
    AgentInfo, Command, ConfigChange, SessionCancelParams, SessionPromptParams, SessionQueueParams,
    SessionRewindParams, SessionStatus,
};
use protocol::tasks::{Task, TasksParams};
use tokio::sync::{mpsc, oneshot, watch};
use tools::Answer;

use super::inline::{InlineNews, InlineStart};
use crate::core::{Door, DoorId, HunkNews, Receiver, Reply, RpcError};

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
    /// The same as the client named it, which may be a link.
    pub folder: PathBuf,
    /// The other folders that the client named, or the user added.
    pub roots: Vec<PathBuf>,
    pub status: SessionStatus,
    /// How many inline edits are under way.
    pub inline_edits: usize,
    /// What goes on in the background, and what lately did.
    pub tasks: Vec<Task>,
    /// A command of the user's proposes files.
    pub suggests_files: bool,
    /// The clients that listen.
    pub doors: Vec<DoorId>,
    /// The `/commands` there are.
    pub commands: Vec<Command>,
    /// The agents that can be named.
    pub agents: Vec<AgentInfo>,
    /// What MCP servers have to read: `server:uri`, and its name.
    pub resources: Vec<(String, String)>,
}

impl SessionHandle {
    pub fn new(inbox: mpsc::Sender<Msg>, facts: watch::Receiver<Facts>) -> Self {
        Self { inbox, facts }
    }

    pub fn cwd(&self) -> PathBuf {
        self.facts.borrow().cwd.clone()
    }

    pub fn roots(&self) -> Vec<PathBuf> {
        self.facts.borrow().roots.clone()
    }

    pub fn status(&self) -> SessionStatus {
        self.facts.borrow().status.clone()
    }

    pub fn tasks(&self) -> Vec<Task> {
        self.facts.borrow().tasks.clone()
    }

    pub fn commands(&self) -> Vec<Command> {
        self.facts.borrow().commands.clone()
    }

    pub fn agents(&self) -> Vec<AgentInfo> {
        self.facts.borrow().agents.clone()
    }

    pub fn suggests_files(&self) -> bool {
        self.facts.borrow().suggests_files
    }

    pub fn resources(&self) -> Vec<(String, String)> {
        self.facts.borrow().resources.clone()
    }

    /// Whether the client listens to this session.
    pub fn serves(&self, door: DoorId) -> bool {
        self.facts.borrow().doors.contains(&door)
    }

    /// The session's folder, under the name by which the path is in it.
    pub fn folder_around(&self, path: &Path) -> Option<PathBuf> {
        let facts = self.facts.borrow();
        let around = |folder: &&PathBuf| !folder.as_os_str().is_empty() && path.starts_with(folder);
        [&facts.cwd, &facts.folder].into_iter().find(around).cloned()
    }

    /// A turn runs or waits, or an inline edit is under way.
    pub fn is_busy(&self) -> bool {
        let facts = self.facts.borrow();
        facts.inline_edits > 0
            || matches!(facts.status, SessionStatus::Running | SessionStatus::Waiting)
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
    /// A command of the user's own.
    Shell {
        command: String,
        reply: Reply,
    },
    /// Such a command has ended.
    ShellEnded {
        id: String,
        report: Box<tools::CallReport>,
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
    Cost {
        reply: Reply,
    },
    Compact {
        instructions: Option<String>,
        reply: Reply,
    },
    /// A summary is written, or could not be.
    Compacted {
        number: u64,
        outcome: Box<super::Compacted>,
    },
    /// A permission answered through a door that was not asked.
    Respond {
        params: PermissionRespondParams,
        reply: Reply,
    },
    /// A question answered through a door that was not asked.
    AskRespond {
        params: AskRespondParams,
        reply: Reply,
    },
    /// About a question, a form or a page for the user.
    Asking(super::AskNews),
    Rules {
        params: PermissionRulesParams,
        reply: Reply,
    },
    /// Something was written to a settings file, or not.
    Kept {
        written: Result<Option<extend::edit::Written>, String>,
    },
    /// The user trusts the folder; the decision is kept, or could not be.
    Trusted {
        problem: Option<String>,
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
    /// Something the user wants every later session to know.
    Remember {
        params: MemoryAddParams,
        reply: Reply,
    },
    MemoryList {
        params: MemoryListParams,
        reply: Reply,
    },
    Rewind {
        params: SessionRewindParams,
        receiver: Receiver,
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
    /// Something that goes on in the background has something to say.
    Task(super::TaskNews),
    /// One of the session's agents has something to say.
    Agent(Box<super::AgentNews>),
    /// What an agent is to do, or somebody writes to it.
    Told(Box<super::Told>),
    /// What the skills take that an agent is to know from the beginning.
    Preload {
        reply: oneshot::Sender<Vec<super::Expansion>>,
    },
    /// The session that this agent works for has another mode.
    ModeChanged,
    /// The user granted these rules to the session that this agent works for.
    Granted(Vec<policy::Entry>),
    /// The MCP servers have something to say.
    Server(super::ServerNews),
    /// A client wants to know of them, or to do something with one.
    Mcp {
        params: McpParams,
        reply: Reply,
    },
    Tasks {
        params: TasksParams,
        reply: Reply,
    },
    Inline(Box<InlineStart>),
    /// A client calls a tool itself.
    /// A program that drives the session wants something.
    Driven(Box<super::Driven>),
    Direct(Box<super::Direct>),
    /// Which tools could it call?
    DirectTools(oneshot::Sender<Vec<super::DirectTool>>),
    /// One of the session's inline edits has something to say.
    InlineNews {
        id: String,
        news: InlineNews,
    },
    /// A command that took its time is done.
    CommandDone {
        message_id: String,
        command: String,
        text: String,
    },
    /// The skill that a prompt calls is ready, or cannot be used.
    Expanded {
        ready: Result<Box<super::Ready>, String>,
        held: Box<super::Held>,
    },
    /// A helper has something to say.
    Helper(Box<super::HelperNews>),
    /// Hooks have something to say.
    Hook(Box<super::HookNews>),
    /// The status line, or files that are proposed.
    HelperCommand(super::HelperCommandNews),
    /// The host of an SDK says anew what its hooks want to hear of.
    HostedHooks(super::HostedHooks),
    Close {
        reply: Option<Reply>,
    },
}

impl Msg {
    /// For a session that could not start: whoever waits for an answer is told why.
    pub fn refuse(self, error: RpcError) {
        let reply = match self {
            Msg::Attach(attach) => Some(attach.reply),
            Msg::Detach { reply, .. } | Msg::Close { reply } => reply,
            Msg::Prompt { reply, .. }
            | Msg::Cancel { reply, .. }
            | Msg::Queue { reply, .. }
            | Msg::Config { reply, .. }
            | Msg::Rename { reply, .. }
            | Msg::Context { reply }
            | Msg::Cost { reply }
            | Msg::Compact { reply, .. }
            | Msg::Respond { reply, .. }
            | Msg::AskRespond { reply, .. }
            | Msg::Rules { reply, .. }
            | Msg::Mcp { reply, .. }
            | Msg::Remember { reply, .. }
            | Msg::MemoryList { reply, .. }
            | Msg::Tasks { reply, .. }
            | Msg::Rewind { reply, .. }
            | Msg::Unrewind { reply, .. } => Some(reply),
            Msg::Inline(start) => start.reply,
            _ => None,
        };
        if let Some(reply) = reply {
            reply.err(error);
        }
    }
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
    /// Its command wants to reach a host that nobody has spoken about.
    Host {
        host: policy::Host,
        port: u16,
        answer: oneshot::Sender<Result<(), String>>,
    },
    /// The sandbox kept its command from doing something.
    Refused {
        what: Vec<String>,
    },
    /// Auto mode's check wants to know what it is to judge by.
    Judge {
        reply: oneshot::Sender<Result<super::Court, String>>,
    },
    Judged(Box<super::Judged>),
    /// It has a question for the quick model.
    Quick {
        reply: oneshot::Sender<super::Quick>,
    },
    Spent(Box<super::Spent>),
    /// It wants to search the web: who does that?
    Search {
        reply: oneshot::Sender<Option<super::Quick>>,
    },
    /// It wants to know whether the result of an earlier call is still in the conversation.
    Stands {
        call: String,
        reply: oneshot::Sender<bool>,
    },
    /// It has questions for the user.
    Questions,
    /// The questions are answered, or not asked any more.
    Answered,
    /// It wants an agent, made ready to be run.
    Agent {
        request: Box<super::AgentRequest>,
        reply: oneshot::Sender<Result<Box<super::Launch>, String>>,
    },
    EnterPlan {
        done: oneshot::Sender<PathBuf>,
    },
    LeavePlan {
        plan: String,
        left: oneshot::Sender<tools::LeftPlan>,
    },
    /// The model calls a skill.
    Skill {
        name: String,
        args: String,
        reply: oneshot::Sender<Result<super::Expansion, String>>,
    },
    /// An agent is to carry it out: what it allows holds for the turn.
    SkillLent {
        terms: Box<super::Lent>,
        done: oneshot::Sender<()>,
    },
    /// It is ready to be read.
    SkillReady {
        ready: Box<super::Ready>,
        said: oneshot::Sender<String>,
    },
    /// A guard has something to say to the user.
    Notice(String),
    /// The question is of no use any more: the turn was cancelled.
    Withdraw {
        request_id: String,
    },
    Record {
        record: Box<agent::Record>,
        done: oneshot::Sender<Result<(), String>>,
    },
    Running,
    /// Something waits in the call's output slot.
    Output,
}
