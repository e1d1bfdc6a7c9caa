//! Work that outlives the call that started it: commands in the background, watchers, prompts for
//! later. A tool starts it, the session keeps it, and it ends with the session at the latest.

use std::path::PathBuf;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::cron::Cron;

/// The most that a task's output file may hold.
pub(crate) const OUTPUT_FILE_CAP: u64 = 64 * 1024 * 1024;

/// Implemented by the host, whose sessions keep the tasks.
pub trait Tasks: Send + Sync {
    /// A name for a task that may come to be, and the file its output would go to.
    fn reserve(&self, kind: TaskKind) -> Result<Reserved, String>;

    /// Takes over a task. The error is a sentence for the model, and nothing runs then.
    fn keep(&self, task: NewTask) -> BoxFuture<'_, Result<(), String>>;

    /// Something new from a task that the model should hear of soon. Never waits.
    fn tell(&self, id: &str, text: &str);

    /// Plans a prompt for later. Gives the id.
    fn schedule(&self, prompt: Scheduled) -> BoxFuture<'_, Result<String, String>>;

    /// Every task of the session, the newest first.
    fn list(&self) -> Vec<TaskView>;

    /// Stops a task and waits until it has stopped.
    fn stop(&self, id: &str) -> BoxFuture<'_, Result<TaskView, String>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// A command.
    Shell,
    /// A command whose output the model hears of.
    Monitor,
    /// A prompt for later.
    Cron,
    /// Another agent.
    Agent,
    /// A call of an MCP server that takes long.
    Mcp,
}

#[derive(Clone, Debug)]
pub struct Reserved {
    pub id: String,
    pub output: PathBuf,
}

/// A task that is to be kept.
pub struct NewTask {
    pub id: String,
    pub kind: TaskKind,
    /// One line for people.
    pub title: String,
    pub call_id: String,
    pub output: PathBuf,
    /// Asks the work to end.
    pub cancel: CancellationToken,
    /// The work. Dropping it ends whatever it started.
    pub work: BoxFuture<'static, TaskEnd>,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskEnd {
    pub state: TaskState,
    pub exit_code: Option<i32>,
    /// How it ended, as the rest of a sentence: `ended with exit code 0`.
    pub how: String,
    /// What the model has to know besides.
    pub notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    Running,
    Completed,
    Failed,
    Stopped,
}

impl TaskState {
    pub fn name(self) -> &'static str {
        match self {
            TaskState::Running => "running",
            TaskState::Completed => "completed",
            TaskState::Failed => "failed",
            TaskState::Stopped => "stopped",
        }
    }
}

/// A task as others see it.
#[derive(Clone, Debug)]
pub struct TaskView {
    pub id: String,
    pub kind: TaskKind,
    pub title: String,
    pub state: TaskState,
    pub output: Option<PathBuf>,
}

/// A prompt for later.
#[derive(Clone, Debug)]
pub struct Scheduled {
    pub cron: Cron,
    pub prompt: String,
    pub recurring: bool,
    pub call_id: String,
}
