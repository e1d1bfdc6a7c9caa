//! The tasks of a session: started, listed, stopped, and remembered for a while.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::tasks::{Task, TaskKind as WireKind, TaskStatus};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tools::{
    NewTask, Reserved, Scheduled, SessionState, TaskEnd, TaskKind, TaskState, TaskView, Tasks,
};

use super::{Folder, TaskNews, planned};
use crate::context::Clock;
use crate::session::Msg;

/// More at once is a mistake.
const MOST_RUNNING: usize = 32;
/// So many that have ended are remembered.
const REMEMBERED: usize = 50;
/// A command is asked first and ended then; both fit in here.
const STOPPED_WITHIN: Duration = Duration::from_secs(5);
/// The most of a monitor's words that wait to be told.
const SAID: usize = 8 * 1024;

/// Shared by the session and its calls.
#[derive(Clone)]
pub(in crate::session) struct SessionTasks(Arc<Inner>);

struct Inner {
    session: String,
    own: mpsc::Sender<Msg>,
    clock: Clock,
    folder: Folder,
    state: Arc<SessionState>,
    /// The oldest first.
    list: Mutex<Vec<Entry>>,
}

struct Entry {
    id: String,
    kind: TaskKind,
    title: String,
    call_id: String,
    state: TaskState,
    started_at: u64,
    ended_at: Option<u64>,
    output: Option<PathBuf>,
    end: Option<TaskEnd>,
    cancel: CancellationToken,
    /// Cancelled when the task has ended.
    over: CancellationToken,
    runner: Option<AbortHandle>,
    /// Whoever stopped it knows, so nobody has to be told.
    quiet: bool,
    said: String,
    wakes: u32,
    prompt: Option<String>,
}

/// Ends what is left when the session goes, however it goes.
pub(in crate::session) struct TasksOwner(SessionTasks);

impl std::ops::Deref for TasksOwner {
    type Target = SessionTasks;

    fn deref(&self) -> &SessionTasks {
        &self.0
    }
}

impl Drop for TasksOwner {
    fn drop(&mut self) {
        self.0.lock().iter_mut().filter_map(|entry| entry.runner.take()).for_each(|runner| {
            runner.abort();
        });
    }
}

impl SessionTasks {
    pub(in crate::session) fn new(
        session: &str,
        own: mpsc::Sender<Msg>,
        clock: Clock,
        folder: Folder,
        state: Arc<SessionState>,
    ) -> SessionTasks {
        let (session, list) = (session.to_owned(), Mutex::default());
        SessionTasks(Arc::new(Inner { session, own, clock, folder, state, list }))
    }

    /// Where output is kept; the model may read what is there.
    pub(in crate::session) fn output_folder(&self) -> Result<PathBuf, String> {
        let folder = self.0.folder.path()?;
        self.0.state.set_outputs(folder.clone());
        Ok(folder)
    }

    pub(in crate::session) fn owner(&self) -> TasksOwner {
        TasksOwner(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, id: &str, look: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        self.lock().iter_mut().find(|entry| entry.id == id).map(look)
    }

    pub(in crate::session) fn wire(&self, id: &str) -> Option<Task> {
        self.with(id, |entry| entry.wire(&self.0.session))
    }

    /// The newest first.
    pub(in crate::session) fn all(&self) -> Vec<Task> {
        self.lock().iter().rev().map(|entry| entry.wire(&self.0.session)).collect()
    }

    pub(super) fn output(&self, id: &str) -> Option<(Option<PathBuf>, TaskState)> {
        self.with(id, |entry| (entry.output.clone(), entry.state))
    }

    pub(super) fn prompt(&self, id: &str) -> Option<String> {
        self.with(id, |entry| entry.prompt.clone()).flatten()
    }

    /// The command that a call left running.
    pub(in crate::session) fn title_of_call(&self, call: &str) -> Option<String> {
        self.lock().iter().find(|entry| entry.call_id == call).map(|entry| entry.title.clone())
    }

    /// What the model is told about the end of a task, unless it knows.
    pub(super) fn last_words(&self, id: &str) -> Option<(TaskKind, String)> {
        self.with(id, |entry| {
            let end = entry.end.as_ref().filter(|_| !entry.quiet)?;
            let what = match entry.kind {
                TaskKind::Monitor => "The monitor",
                TaskKind::Agent => "The agent",
                TaskKind::Mcp => "The call in the background",
                _ => "The background command",
            };
            let mut text = format!("{what} {id} ({}) {}.", entry.title, end.how);
            if let (Some(output), TaskKind::Shell) = (&entry.output, entry.kind) {
                text.push_str(&format!(" Its output is in {}.", output.display()));
            }
            for note in &end.notes {
                text.push(' ');
                text.push_str(note);
            }
            Some((entry.kind, text))
        })
        .flatten()
    }

    /// What a monitor said since it was last asked, and how often it was asked.
    pub(super) fn take_said(&self, id: &str) -> Option<(String, String, u32)> {
        self.with(id, |entry| {
            if entry.said.is_empty() {
                return None;
            }
            entry.wakes += 1;
            Some((entry.title.clone(), std::mem::take(&mut entry.said), entry.wakes))
        })
        .flatten()
    }

    pub(in crate::session) fn ask_to_stop(&self, id: &str) {
        self.with(id, |entry| entry.cancel.cancel());
    }

    /// Stops everything, and waits for it.
    pub(in crate::session) async fn close(&self) {
        let running: Vec<CancellationToken> = {
            let list = self.lock();
            let running = list.iter().filter(|entry| entry.state == TaskState::Running);
            running.inspect(|entry| entry.cancel.cancel()).map(|entry| entry.over.clone()).collect()
        };
        let all = futures::future::join_all(running.iter().map(CancellationToken::cancelled));
        if tokio::time::timeout(STOPPED_WITHIN, all).await.is_err() {
            tracing::warn!(session = self.0.session, "a task did not stop in time");
        }
    }

    /// Stops one and waits for it. `quiet`: whoever asked tells the model.
    pub(super) async fn end(&self, id: &str, quiet: bool) -> Result<TaskView, String> {
        let unknown = || format!("There is no task {id:?}.");
        let over = self.with(id, |entry| {
            entry.quiet |= quiet;
            entry.cancel.cancel();
            entry.over.clone()
        });
        let over = over.ok_or_else(unknown)?;
        if tokio::time::timeout(STOPPED_WITHIN, over.cancelled()).await.is_err() {
            let runner = self.with(id, |entry| entry.runner.take()).flatten();
            runner.inspect(AbortHandle::abort);
            self.finish(id, stopped());
            let _ = self.0.own.send(Msg::Task(TaskNews::Ended { id: id.to_owned() })).await;
        }
        self.with(id, |entry| entry.view()).ok_or_else(unknown)
    }

    fn finish(&self, id: &str, end: TaskEnd) {
        let now = self.0.clock.millis();
        self.with(id, |entry| {
            entry.state = end.state;
            entry.ended_at = Some(now);
            entry.end = Some(end);
            entry.over.cancel();
        });
        let mut list = self.lock();
        let ended = list.iter().filter(|entry| entry.state != TaskState::Running).count();
        if ended > REMEMBERED
            && let Some(oldest) = list.iter().position(|entry| entry.state != TaskState::Running)
        {
            list.remove(oldest);
        }
    }

    /// Remembers a task and runs its work.
    async fn begin(&self, entry: Entry, work: BoxFuture<'static, TaskEnd>) -> Result<(), String> {
        let id = entry.id.clone();
        {
            let mut list = self.lock();
            let running = list.iter().filter(|entry| entry.state == TaskState::Running).count();
            if running >= MOST_RUNNING {
                return Err(format!(
                    "{running} tasks run in the background already. Stop one with TaskStop first."
                ));
            }
            // An agent that goes on is the same task again.
            list.retain(|known| known.id != id || known.state == TaskState::Running);
            list.push(entry);
        }
        let gone = |_| "The session is over.".to_owned();
        self.0.own.send(Msg::Task(TaskNews::Started { id: id.clone() })).await.map_err(gone)?;
        let (tasks, name) = (self.clone(), id.clone());
        let runner = tokio::spawn(async move {
            let end = std::panic::AssertUnwindSafe(work).catch_unwind().await;
            tasks.finish(&name, end.unwrap_or_else(|_| broke_down()));
            let _ = tasks.0.own.send(Msg::Task(TaskNews::Ended { id: name })).await;
        });
        self.with(&id, |entry| entry.runner = Some(runner.abort_handle()));
        Ok(())
    }

    fn entry(&self, id: String, kind: TaskKind, title: String, call_id: String) -> Entry {
        Entry {
            id,
            kind,
            title,
            call_id,
            state: TaskState::Running,
            started_at: self.0.clock.millis(),
            ended_at: None,
            output: None,
            end: None,
            cancel: CancellationToken::new(),
            over: CancellationToken::new(),
            runner: None,
            quiet: false,
            said: String::new(),
            wakes: 0,
            prompt: None,
        }
    }
}

impl Tasks for SessionTasks {
    fn reserve(&self, kind: TaskKind) -> Result<Reserved, String> {
        let folder = self.output_folder()?;
        let id = new_id(kind);
        Ok(Reserved { output: folder.join(format!("{id}.output")), id })
    }

    fn keep(&self, task: NewTask) -> BoxFuture<'_, Result<(), String>> {
        let NewTask { id, kind, title, call_id, output, cancel, work } = task;
        let entry = self.entry(id, kind, title, call_id);
        self.begin(Entry { output: Some(output), cancel, ..entry }, work).boxed()
    }

    fn tell(&self, id: &str, text: &str) {
        let first = self.with(id, |entry| {
            let first = entry.said.is_empty();
            let room = SAID.saturating_sub(entry.said.len());
            let piece = &text[..text.floor_char_boundary(room)];
            if !piece.is_empty() {
                entry.said.push_str(piece);
                entry.said.push('\n');
            }
            first && !entry.said.is_empty()
        });
        // One message for all that waits; if there is no room for it, the next line tries again.
        if first == Some(true) {
            let _ = self.0.own.try_send(Msg::Task(TaskNews::Said { id: id.to_owned() }));
        }
    }

    fn schedule(&self, prompt: Scheduled) -> BoxFuture<'_, Result<String, String>> {
        async move {
            if !planned::comes(&prompt.cron, self.0.clock.now()) {
                let cron = &prompt.cron;
                return Err(format!(
                    "\"{cron}\" is not due within seven days, and planned prompts last no longer."
                ));
            }
            let id = new_id(TaskKind::Cron);
            let title = format!("{}  {}", prompt.cron, prompt.prompt);
            let entry = self.entry(id.clone(), TaskKind::Cron, title, prompt.call_id.clone());
            let entry = Entry { prompt: Some(prompt.prompt.clone()), ..entry };
            let (own, cancel, due) = (self.0.own.clone(), entry.cancel.clone(), id.clone());
            let work = planned::wait(prompt, self.0.clock, cancel, move || {
                let (own, id) = (own.clone(), due.clone());
                async move {
                    let _ = own.send(Msg::Task(TaskNews::Due { id })).await;
                }
            });
            self.begin(entry, work.boxed()).await.map(|()| id)
        }
        .boxed()
    }

    fn list(&self) -> Vec<TaskView> {
        self.lock().iter().rev().map(Entry::view).collect()
    }

    fn stop(&self, id: &str) -> BoxFuture<'_, Result<TaskView, String>> {
        let id = id.to_owned();
        async move { self.end(&id, true).await }.boxed()
    }
}

impl Entry {
    fn view(&self) -> TaskView {
        let Entry { id, kind, title, state, output, .. } = self;
        TaskView {
            id: id.clone(),
            kind: *kind,
            title: title.clone(),
            state: *state,
            output: output.clone(),
        }
    }

    fn wire(&self, session: &str) -> Task {
        Task {
            task_id: self.id.clone(),
            session_id: session.to_owned(),
            kind: match self.kind {
                TaskKind::Shell => WireKind::Shell,
                TaskKind::Monitor => WireKind::Monitor,
                TaskKind::Cron => WireKind::Cron,
                TaskKind::Agent => WireKind::Agent,
                TaskKind::Mcp => WireKind::Mcp,
            },
            title: self.title.clone(),
            status: status(self.state),
            started_at: self.started_at,
            ended_at: self.ended_at,
            exit_code: self.end.as_ref().and_then(|end| end.exit_code),
            tool_call_id: Some(self.call_id.clone()),
            output_file: self.output.as_ref().map(|path| path.display().to_string()),
        }
    }
}

pub(super) fn status(state: TaskState) -> TaskStatus {
    match state {
        TaskState::Running => TaskStatus::Running,
        TaskState::Completed => TaskStatus::Completed,
        TaskState::Failed => TaskStatus::Failed,
        TaskState::Stopped => TaskStatus::Stopped,
    }
}

/// Never used twice, also not by the next life of the session.
fn new_id(kind: TaskKind) -> String {
    let letter = match kind {
        TaskKind::Shell => 'b',
        TaskKind::Monitor => 'm',
        TaskKind::Cron => 'c',
        TaskKind::Agent => 'a',
        TaskKind::Mcp => 's',
    };
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("{letter}{}", &random[..8])
}

pub(super) fn stopped() -> TaskEnd {
    let how = "was stopped".to_owned();
    TaskEnd { state: TaskState::Stopped, exit_code: None, how, notes: Vec::new() }
}

fn broke_down() -> TaskEnd {
    let how = "broke down".to_owned();
    TaskEnd { state: TaskState::Failed, exit_code: None, how, notes: Vec::new() }
}
