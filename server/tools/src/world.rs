//! The world as a tool sees it: open buffers over disk, one way to change a file, and what others
//! know about the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::BoxFuture;
use language::{Answer, Finding, Query};
use text::Text;
use workspace::{FileText, Snapshot};

use crate::agents::Agents;
use crate::asked::{UserAnswer, UserQuestion};
use crate::tasks::Tasks;

/// Implemented by the host, which owns the buffers and talks to the editor.
pub trait World: Send + Sync {
    /// The open buffers at this moment, with every change the editor has sent so far.
    fn snapshot(&self) -> BoxFuture<'_, Snapshot>;

    /// The same, where somebody is about to look at this file: a client that has its text, but tells
    /// of no changes, is asked for it.
    fn snapshot_for<'a>(&'a self, _path: &'a Path) -> BoxFuture<'a, Snapshot> {
        self.snapshot()
    }

    /// The same for everything below a folder that such a client was asked for before.
    fn snapshot_below<'a>(&'a self, _folder: &'a Path) -> BoxFuture<'a, Snapshot> {
        self.snapshot()
    }

    /// Changes or creates a file: through the editor when it is open there, on disk otherwise.
    fn edit(&self, request: EditRequest) -> BoxFuture<'_, Result<Edited, EditError>>;

    /// A command is about to run, and sees the disk only: saves what the agent changed in the
    /// editor, as the settings say, and tells what the command will not see.
    fn before_command(&self) -> BoxFuture<'_, Unsaved>;

    /// A command of this call is over. Files whose text was known and that it changed are changes
    /// of the agent.
    fn after_command(&self, rewritten: Vec<Rewritten>) -> BoxFuture<'_, ()>;

    /// What is newly wrong in a file since it was edited. Waits a little for those who look at the
    /// text as it is now.
    fn findings(&self, edited: EditedFile) -> BoxFuture<'_, Findings>;

    /// Asks a language server. The error is a sentence for the model.
    fn ask_language_server(&self, query: Query) -> BoxFuture<'_, Result<Answer, String>>;

    /// What keeps commands in; `None` when no sandbox is on. The error is a sentence for the model:
    /// no command may run.
    fn shelter(&self) -> Result<Option<Shelter>, String>;

    /// The walls for one command of this call. The error is a sentence for the model: a command
    /// that cannot be kept in does not run.
    /// `looks`: it is proven to change nothing.
    fn walls(&self, looks: bool) -> BoxFuture<'_, Result<exec::Walls, String>>;

    /// The terminal of the user's where commands are to run, if they want that. What runs there is
    /// outside of every wall.
    fn terminal(&self) -> Option<Arc<dyn Terminal>> {
        None
    }

    /// A command is about to throw work of these repositories away: keeps it so that it can be got
    /// back. Says where, or why not, in sentences for the model.
    fn keep_work(&self, folders: Vec<PathBuf>) -> BoxFuture<'_, Vec<String>>;

    /// What the sandbox kept a command from doing, for the user's list.
    fn refused(&self, denials: &[exec::Denial]) -> BoxFuture<'_, ()>;

    /// Shows the user a sentence about this call.
    fn notify_user(&self, text: String) -> BoxFuture<'_, ()>;

    /// Asks the quick model something beside the conversation. The error says why there is no
    /// answer, as the rest of a sentence.
    fn ask_quick_model(&self, question: Quick) -> BoxFuture<'_, Result<String, String>>;

    /// Searches the web. The error says why there is no answer, as the rest of a sentence.
    fn search_web(&self, search: Search) -> BoxFuture<'_, Result<Found, String>>;

    /// Puts questions to the user. The error is a sentence for the model.
    fn ask_user(&self, questions: Vec<UserQuestion>) -> BoxFuture<'_, Result<UserAnswer, String>>;

    /// From here on nothing may be changed until a plan was approved, but the plan's own file, which
    /// is given.
    fn enter_plan_mode(&self) -> BoxFuture<'_, Result<PathBuf, String>>;

    /// The user approved this plan.
    fn leave_plan_mode(&self, plan: String) -> BoxFuture<'_, Result<LeftPlan, String>>;

    /// Calls up a skill by its name, with what it is to work on. What it says reaches the model by
    /// itself or in the answer, which is a sentence for it; so is the error.
    fn use_skill(&self, name: String, args: String) -> BoxFuture<'_, Result<String, String>>;

    /// Whether the model that gets the results takes a PDF as it is.
    fn takes_documents(&self) -> bool;

    /// Whether the result of an earlier call still stands, whole, in the conversation that this
    /// call belongs to.
    fn result_stands(&self, call: &str) -> BoxFuture<'_, bool>;

    /// Waits for MCP servers that are still on their way, and until their tools are known. False when
    /// there was nothing to wait for.
    fn await_servers(&self) -> BoxFuture<'_, bool>;

    /// Work that outlives its call.
    fn tasks(&self) -> &dyn Tasks;

    /// Other agents that work for this one.
    fn agents(&self) -> &dyn Agents;
}

/// What the sandbox refused, for people and the model: `write /etc/hosts`.
pub fn refusal(denial: &exec::Denial) -> String {
    match denial {
        exec::Denial::Write(path) => format!("write {}", path.display()),
        exec::Denial::Read(path) => format!("read {}", path.display()),
        exec::Denial::Host { host, port } => format!("connect to {host}:{port}"),
        exec::Denial::UnixSocket => {
            "use a Unix socket, by which services such as docker or ssh-agent are asked".to_owned()
        }
        exec::Denial::Obeyed { path, why, aside } => {
            let mut text = format!("make {}, which other programs obey", path.display());
            if !why.is_empty() {
                text.push_str(&format!(" ({why})"));
            }
            if let Some(aside) = aside {
                text.push_str(&format!("; it was moved to {}", aside.display()));
            }
            text
        }
    }
}

/// A question to the quick model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quick {
    pub system: String,
    pub prompt: String,
    pub max_tokens: u32,
}

/// What is looked for in the web, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    pub query: String,
    /// Only there, if not empty.
    pub allowed_domains: Vec<String>,
    pub blocked_domains: Vec<String>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// What the one who searched says about it.
    pub summary: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    pub title: String,
    pub url: String,
    /// A few words of the page.
    pub excerpt: String,
}

/// Plan mode is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftPlan {
    /// Where the plan is kept.
    pub file: PathBuf,
    pub mode: policy::Mode,
}

/// What keeps commands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelter {
    /// For people: `bubblewrap, network by permission`.
    pub description: String,
    /// What it keeps in needs no question.
    pub quiet: bool,
    /// Commands that run outside of it, as Bash rules write them.
    pub excluded: Vec<String>,
    /// Whether the model may ask for a command to run outside.
    pub may_be_left: bool,
    /// Refusals that are not told: patterns of commands, as Bash rules write them or `*`, and parts of
    /// what was refused.
    pub untold: Vec<(String, Vec<String>)>,
}

/// A change of one file, computed on a text that was read before.
#[derive(Clone, Debug)]
pub struct EditRequest {
    pub path: PathBuf,
    /// The file as it was when the change was computed; `None` creates it.
    pub base: Option<FileText>,
    /// From the base's text (or from nothing) to the new one.
    pub edit: text::Edit,
    /// What the editor's undo list calls it.
    pub label: String,
    pub call_id: String,
}

/// The change is in: this is what the file says now.
#[derive(Clone, Debug)]
pub struct Edited {
    pub text: Text,
    /// The buffer's version afterwards; `None` when it went to disk.
    pub version: Option<i32>,
    /// When the editor did something else than it was asked to: what, as a sentence for the model.
    pub deviation: Option<String>,
    /// The change itself, without what others wrote meanwhile; nothing when the text was not changed.
    pub own: Option<OwnChange>,
}

/// A change on the very text it was made to.
#[derive(Clone, Debug)]
pub struct OwnChange {
    pub before: Text,
    pub after: Text,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error(
        "{path} changed at the same place while the edit was on its way. Nothing was changed. \
         Redo the edit on the text that is there now{}",
        excerpt.as_ref().map_or_else(|| "; read it again.".to_owned(), |text| format!(":\n{text}"))
    )]
    Conflict {
        path: String,
        /// The place as it is now, with line numbers.
        excerpt: Option<String>,
    },
    #[error("the editor did not apply the change to {path}: {reason}. Nothing was changed.")]
    Refused { path: String, reason: String },
    #[error(
        "the editor's text of {path} is not what the edit should have left. Read it again before \
         you go on."
    )]
    Unexpected { path: String },
    #[error("{0}")]
    Disk(String),
    #[error("the editor closed the connection")]
    Gone,
}

/// What a command that runs now does and does not see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsaved {
    /// Saved for it just now.
    pub saved: Vec<PathBuf>,
    /// Changed in the editor and not on the disk.
    pub unseen: Vec<PathBuf>,
}

/// A file that a command changed on the disk.
#[derive(Clone, Debug)]
pub struct Rewritten {
    pub path: PathBuf,
    pub before: Text,
    /// `None`: it is gone.
    pub after: Option<Text>,
}

/// A file right after an edit.
#[derive(Clone, Debug)]
pub struct EditedFile {
    pub path: PathBuf,
    pub before: Text,
    pub after: Text,
    /// The buffer's version afterwards; `None` when it is not open.
    pub version: Option<i32>,
}

/// What is known to be wrong in a file, compared with before an edit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    pub state: Verified,
    /// Those that were not there before the edit, worst first.
    pub new: Vec<Finding>,
    /// How many of the old ones are gone.
    pub gone: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verified {
    /// Somebody looked at the text as it is now, or at a newer one.
    Yes,
    /// Nobody answered in time; what they say later comes with a later result.
    Unverified,
    /// Nobody looks at such files.
    #[default]
    NoSource,
}

/// Where a user sees a command run.
pub trait Terminal: Send + Sync {
    /// Runs a command to its end; dropping this ends it. The error is a sentence for the model.
    fn run(&self, command: String, cwd: PathBuf)
    -> BoxFuture<'static, Result<TerminalEnd, String>>;
}

/// How a command ended there.
#[derive(Clone, Debug)]
pub struct TerminalEnd {
    /// Nothing when it was killed.
    pub exit_code: Option<i32>,
    pub output: String,
}
