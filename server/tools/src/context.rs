//! What a call is given: where it runs, what it may do, what the session remembers.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use policy::{RedactStream, Redactor, Secrets};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::board::Board;
use crate::reads::ReadLedger;
use crate::shelf::{Book, Loading, Shelf};
use crate::world::World;

/// Cheap to clone; every call has its own.
#[derive(Clone)]
pub struct Context {
    pub world: Arc<dyn World>,
    pub session: Arc<SessionState>,
    pub call_id: String,
    pub cancel: CancellationToken,
    pub progress: Progress,
    /// Rules that hold for this call alone, besides those of the session.
    pub also: Arc<[policy::Entry]>,
}

impl Context {
    /// What decides about this call.
    pub(crate) fn permissions(&self) -> Permissions {
        let mut permissions = self.session.permissions();
        permissions.rules.extend(self.also.iter().cloned());
        permissions
    }
}

/// Where a running call reports new output, and how far it has come. Never blocks; what nobody reads
/// is dropped.
#[derive(Clone)]
pub struct Progress {
    output: Arc<dyn Fn(&str) + Send + Sync>,
    step: Arc<dyn Fn(Step) + Send + Sync>,
}

/// How far a call has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    pub done: Option<u64>,
    pub total: Option<u64>,
    /// One line about what happens now.
    pub message: Option<String>,
}

impl Progress {
    pub fn new(report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { output: Arc::new(report), step: Arc::new(|_| ()) }
    }

    #[must_use]
    pub fn with_steps(self, report: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self { step: Arc::new(report), ..self }
    }

    pub fn output(&self, text: &str) {
        (self.output)(text);
    }

    pub fn step(&self, step: Step) {
        (self.step)(step);
    }

    /// The same, without secrets. Lines are reported when they are complete, the last one at the
    /// end.
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        let (steps, words) = (self.step.clone(), redactor.clone());
        let redacted = Redacted { stream: Mutex::new(redactor.stream()), to: self };
        let output = Self::new(move |text| redacted.report(|stream| stream.push(text)));
        output.with_steps(move |step| {
            let message = step.message.map(|message| words.redact(&message).into_owned());
            steps(Step { message, ..step });
        })
    }
}

struct Redacted {
    stream: Mutex<RedactStream>,
    to: Progress,
}

impl Redacted {
    fn report(&self, next: impl FnOnce(&mut RedactStream) -> String) {
        let text = next(&mut self.stream.lock().unwrap_or_else(PoisonError::into_inner));
        if !text.is_empty() {
            self.to.output(&text);
        }
    }
}

impl Drop for Redacted {
    fn drop(&mut self) {
        self.report(RedactStream::finish);
    }
}

/// Names and values of variables, shared.
pub type Environment = Arc<[(OsString, OsString)]>;

/// What the calls of one session share.
pub struct SessionState {
    /// Where the session was started: the root of relative paths.
    cwd: PathBuf,
    /// The environment of the user's shell, as the server got it.
    env: RwLock<Environment>,
    permissions: RwLock<Permissions>,
    /// What no result may show.
    secrets: Secrets,
    web: web::Web,
    /// The user's own search service.
    search_service: Option<web::SearchService>,
    memory: Mutex<Memory>,
    shelf: RwLock<Shelf>,
    /// How often commands were to be left to run, and whose was meant last; nobody's: all.
    leave: watch::Sender<(u64, Option<String>)>,
}

/// What policy decides with. Replaced as a whole by the session task, read by every call.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    pub mode: policy::Mode,
    pub rules: policy::Rules,
    /// The working directory first, then the added ones; all real paths.
    pub roots: Vec<PathBuf>,
    pub home: Option<PathBuf>,
}

struct Memory {
    reads: ReadLedger,
    shell_cwd: PathBuf,
    /// Where the output of commands is kept: the model may read it.
    outputs: Option<PathBuf>,
    /// Folders of skills that were called up: what lies there is theirs to be read.
    skills: Vec<PathBuf>,
    todos: Vec<Todo>,
    board: Board,
    searches: u32,
    /// What the user was notified of, so that nobody is told the same with each change.
    notified: HashSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Todo {
    /// What is to be done, as a command: "Run the tests".
    pub content: String,
    pub status: TodoStatus,
    /// The same while it is being done: "Running the tests".
    pub active_form: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
}

impl SessionState {
    pub fn new(
        cwd: PathBuf,
        env: Vec<(OsString, OsString)>,
        permissions: Permissions,
        todos: Vec<Todo>,
    ) -> Self {
        let memory = Memory {
            reads: ReadLedger::default(),
            shell_cwd: cwd.clone(),
            outputs: None,
            skills: Vec::new(),
            todos,
            board: Board::default(),
            searches: 0,
            notified: HashSet::new(),
        };
        let values = policy::secret_values(env.iter().map(|(name, value)| (&**name, &**value)));
        Self {
            cwd,
            env: RwLock::new(env.into()),
            permissions: RwLock::new(permissions),
            secrets: Secrets::new(values),
            web: web::Web::default(),
            search_service: None,
            memory: Mutex::new(memory),
            shelf: RwLock::default(),
            leave: watch::Sender::default(),
        }
    }

    /// What an earlier life of the session left: its tasks, and the tools it had asked for.
    #[must_use]
    pub fn with_past(self, board: Board, loaded: &[String]) -> Self {
        self.memory().board = board;
        self.load_tools(loaded);
        self
    }

    /// Shares what the process knows, and learns, of secrets; those of this session's own
    /// environment are added to it.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Secrets) -> Self {
        let env = self.env();
        let env = env.iter().map(|(name, value)| (&**name, &**value));
        policy::secret_values(env).iter().for_each(|value| secrets.learn(value));
        self.secrets = secrets;
        self
    }

    /// The web is searched by this service, in place of the provider.
    #[must_use]
    pub fn with_search_service(mut self, service: Option<web::SearchService>) -> Self {
        service.iter().flat_map(web::SearchService::secrets).for_each(|value| {
            self.secrets.learn(value);
        });
        self.search_service = service;
        self
    }

    pub(crate) fn search_service(&self) -> Option<&web::SearchService> {
        self.search_service.as_ref()
    }

    pub(crate) fn web(&self) -> &web::Web {
        &self.web
    }

    pub fn redactor(&self) -> Redactor {
        self.secrets.redactor()
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// What commands find in their environment.
    pub fn env(&self) -> Environment {
        self.env.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets variables for the commands to come.
    pub fn set_env(&self, variables: Vec<(OsString, OsString)>) {
        let mut env = self.env().to_vec();
        env.retain(|(name, _)| variables.iter().all(|(new, _)| new != name));
        env.extend(variables);
        *self.env.write().unwrap_or_else(PoisonError::into_inner) = env.into();
    }

    pub fn permissions(&self) -> Permissions {
        self.permissions.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn update_permissions(&self, update: impl FnOnce(&mut Permissions)) {
        update(&mut self.permissions.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// A panic in another call must not take this one down: its data stays usable.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn with_reads<T>(&self, look: impl FnOnce(&mut ReadLedger) -> T) -> T {
        look(&mut self.memory().reads)
    }

    /// Whether the user is to be notified of this for the first time.
    pub(crate) fn is_news(&self, text: &str) -> bool {
        self.memory().notified.insert(text.to_owned())
    }

    /// The user does not want to wait for commands any more, or for the one of this call: they go on
    /// in the background.
    pub fn leave_commands(&self, call: Option<String>) {
        self.leave.send_modify(|(count, meant)| {
            *count += 1;
            *meant = call;
        });
    }

    /// Returns when the command of this call is to be left to run.
    pub(crate) async fn told_to_leave(&self, call: &str) {
        let mut leave = self.leave.subscribe();
        loop {
            if leave.changed().await.is_err() {
                return std::future::pending().await;
            }
            let meant = leave.borrow_and_update().1.clone();
            if meant.is_none_or(|meant| meant == call) {
                return;
            }
        }
    }

    pub fn shell_cwd(&self) -> PathBuf {
        self.memory().shell_cwd.clone()
    }

    pub fn set_shell_cwd(&self, cwd: PathBuf) {
        self.memory().shell_cwd = cwd;
    }

    /// The folder that holds the output of this session's commands, once there is one.
    pub fn outputs(&self) -> Option<PathBuf> {
        self.memory().outputs.clone()
    }

    /// The files of a skill may be read, wherever it is kept.
    pub fn open_skill(&self, folder: PathBuf) {
        let mut memory = self.memory();
        if !memory.skills.contains(&folder) {
            memory.skills.push(folder);
        }
    }

    /// The folders of the skills that are in use.
    pub fn open_skills(&self) -> Vec<PathBuf> {
        self.memory().skills.clone()
    }

    /// What the session's own commands printed is the model's to read, wherever it is kept, and so
    /// are the files of skills in use. That counts for calls that do nothing but read there.
    pub(crate) fn with_own_readable(
        &self,
        mut permissions: Permissions,
        subjects: &[policy::Subject],
    ) -> Permissions {
        let own = {
            let memory = self.memory();
            memory.outputs.iter().chain(&memory.skills).cloned().collect::<Vec<_>>()
        };
        let reads_there = |subject: &policy::Subject| match subject {
            policy::Subject::Read { resolved, .. } => {
                own.iter().any(|folder| resolved.starts_with(folder))
            }
            _ => false,
        };
        if !subjects.is_empty() && subjects.iter().all(reads_there) {
            permissions.roots.extend(own);
        }
        permissions
    }

    pub fn set_outputs(&self, folder: PathBuf) {
        self.memory().outputs = Some(folder);
    }

    pub fn todos(&self) -> Vec<Todo> {
        self.memory().todos.clone()
    }

    pub fn set_todos(&self, todos: Vec<Todo>) -> Vec<Todo> {
        std::mem::replace(&mut self.memory().todos, todos)
    }

    pub fn board(&self) -> Board {
        self.memory().board.clone()
    }

    /// Changes the tasks, and gives back what they are then.
    pub(crate) fn with_board<T, E>(
        &self,
        change: impl FnOnce(&mut Board) -> Result<T, E>,
    ) -> Result<(T, Board), E> {
        let mut memory = self.memory();
        let made = change(&mut memory.board)?;
        Ok((made, memory.board.clone()))
    }

    /// The conversation begins anew: no steps are left of the old one.
    pub fn forget_steps(&self) {
        let mut memory = self.memory();
        memory.todos.clear();
        memory.board = Board::default();
    }

    pub fn shelf(&self) -> Shelf {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn restock(&self, books: Vec<Book>, loading: Loading) {
        self.shelf.write().unwrap_or_else(PoisonError::into_inner).restock(books, loading);
    }

    pub(crate) fn load_tools(&self, names: &[String]) {
        self.shelf.write().unwrap_or_else(PoisonError::into_inner).load(names);
    }

    pub(crate) fn is_loaded(&self, name: &str) -> bool {
        let shelf = self.shelf.read().unwrap_or_else(PoisonError::into_inner);
        shelf.loaded().iter().any(|loaded| loaded == name)
    }

    /// Counts a search of the web; how many there were before.
    pub(crate) fn count_search(&self) -> u32 {
        let mut memory = self.memory();
        memory.searches += 1;
        memory.searches - 1
    }
}
