//! What a tool is: a name, an input, and a plan that says what it would do before it does it.

use std::future::Future;
use std::path::{Path, PathBuf};

use agent::ResultPart;
use futures::future::BoxFuture;
use policy::Subject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::board::Board;
use crate::context::{Context, Todo};

/// What a tool does, for people: an icon, a verb, a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    Edit,
    Execute,
    Search,
    /// Reads from the network.
    Fetch,
    Think,
}

/// One tool. The doc comment of `Input` is what the model reads about it, the doc comments of its
/// fields describe the arguments.
pub trait Tool: Send + Sync + 'static {
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    const NAME: &'static str;
    const KIND: Kind;

    /// One line for people, from the input alone: `Read src/main.rs`. Paths inside `cwd` are shown
    /// relative to it.
    fn title(input: &Self::Input, cwd: &Path) -> String;

    /// Fields that the model may use although the schema does not tell of them.
    const ALIASES: &'static [&'static str] = &[];

    /// Rarely needed: where tools are searched for, the model knows it by its name at first.
    const RARE: bool = false;

    /// Whether the call may run beside others: it changes nothing and asks nobody.
    fn parallel(_input: &Self::Input) -> bool {
        false
    }

    /// Checks the input against the world and says what would happen. Looks, but touches nothing.
    fn plan(input: Self::Input, cx: Context) -> impl Future<Output = Result<Plan, Problem>> + Send;
}

/// What a call would do. `run` holds what was looked at while planning, so that what the user
/// approves is what happens.
pub struct Plan {
    /// Everything the policy has to agree to.
    pub subjects: Vec<Subject>,
    pub preview: Preview,
    /// Files the call is about, for an editor that wants to follow along.
    pub locations: Vec<PathBuf>,
    /// What else a yes depends on, besides the subjects and the preview. When it changes before the
    /// call runs, the call is asked about again.
    pub identity: Vec<String>,
    pub run: Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<Outcome, Problem>> + Send + Sync>,
}

impl Plan {
    pub fn new<F, Running>(subjects: Vec<Subject>, run: F) -> Self
    where
        F: FnOnce(Context) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Outcome, Problem>> + Send + 'static,
    {
        Self {
            subjects,
            preview: Preview::None,
            locations: Vec::new(),
            identity: Vec::new(),
            run: Box::new(move |cx| Box::pin(run(cx))),
        }
    }

    #[must_use]
    pub fn preview(mut self, preview: Preview) -> Self {
        self.preview = preview;
        self
    }

    #[must_use]
    pub fn identity(mut self, identity: Vec<String>) -> Self {
        self.identity = identity;
        self
    }

    #[must_use]
    pub fn location(mut self, path: PathBuf) -> Self {
        self.locations.push(path);
        self
    }
}

/// What a permission prompt shows besides its title.
#[derive(Clone, Debug, PartialEq)]
pub enum Preview {
    None,
    Command {
        command: String,
        cwd: PathBuf,
        /// What keeps it in; `None` when nothing does.
        sandbox: Option<String>,
    },
    /// The file before and after; `old` is `None` for a new file, `version` for one not open.
    Edit {
        path: PathBuf,
        version: Option<i32>,
        old: Option<String>,
        new: String,
        /// Other files that change together with this one.
        others: Vec<FileChange>,
    },
    Read {
        path: PathBuf,
    },
    Fetch {
        url: String,
    },
    Plan {
        text: String,
    },
    /// Something of an MCP server, by the names that people gave it.
    Server {
        server: String,
        tool: String,
        input: serde_json::Value,
    },
}

impl From<FileChange> for Preview {
    fn from(FileChange { path, version, old, new }: FileChange) -> Preview {
        Preview::Edit { path, version, old, new, others: Vec::new() }
    }
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// For the model.
    pub content: Vec<ResultPart>,
    /// The work was done, but it failed in its own terms (a command's exit code).
    pub is_error: bool,
    /// The files it changed, before and after, for people.
    pub diffs: Vec<FileChange>,
    /// A command's exit code.
    pub exit_code: Option<i32>,
    /// The new list, when the call wrote it.
    pub todos: Option<Vec<Todo>>,
    /// The tasks behind that list, when it has any.
    pub board: Option<Board>,
    /// Deferred tools whose definitions the model has asked for.
    pub loaded: Vec<String>,
}

impl Outcome {
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ResultPart::Text { text: text.into() }], ..Self::default() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct FileChange {
    pub path: PathBuf,
    pub version: Option<i32>,
    pub old: Option<String>,
    pub new: String,
}

/// Why a call cannot be done, told to the model in a way that says how to succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Problem(pub String);

impl Problem {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
