//! What runs in the background: known from events, asked for when somebody looks.

use protocol::event::Severity;
use protocol::tasks::{Task, TaskOp, TaskStatus, Tasks as TasksRequest, TasksParams, TasksResult};
use tokio::time::{Duration, Instant};

use super::{App, View, Waiting};
use crate::state::transcript::Look;
use crate::views::tasks::{Asked, TasksView};

/// How often the output of a task that is looked at is asked for.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// The newest first.
    all: Vec<Task>,
    polled: Option<Instant>,
}

impl Tasks {
    pub fn all(&self) -> &[Task] {
        &self.all
    }

    pub fn running(&self) -> usize {
        self.all.iter().filter(|task| task.status == TaskStatus::Running).count()
    }
}

impl App {
    pub(super) fn task_changed(&mut self, task: Task) {
        match self.tasks.all.iter_mut().find(|known| known.task_id == task.task_id) {
            Some(known) => *known = task,
            None => self.tasks.all.insert(0, task),
        }
    }

    pub(super) fn forget_tasks(&mut self) {
        self.tasks = Tasks::default();
    }

    /// The page, and the newest state of what is on it.
    pub fn open_tasks(&mut self) {
        if !matches!(self.start.look, Look::Rich(_)) {
            return self.send_prompt("/tasks");
        }
        self.ask_tasks();
        self.view = Some(View::Tasks(TasksView::new()));
    }

    pub(super) fn ask_tasks(&mut self) {
        let Some(session) = &self.session else { return };
        let session_id = Some(session.id.clone());
        let params = TasksParams { session_id, op: TaskOp::List, task_id: None, offset: None };
        self.outbox.request::<TasksRequest>(&params, Waiting::Tasks(None));
    }

    pub(super) fn tasks_answered(&mut self, id: Option<&str>, result: TasksResult) {
        if let Some(tasks) = result.tasks {
            self.tasks.all = tasks;
        }
        if let (Some(id), Some(View::Tasks(view))) = (id, &mut self.view) {
            view.printed(id, result.output);
        }
    }

    pub(super) fn tasks_refused(&mut self, id: Option<&str>, message: &str) {
        match (id, &mut self.view) {
            (Some(id), Some(View::Tasks(view))) => {
                view.printed(id, None);
                view.told = Some(message.to_owned());
            }
            _ => self.notice(Severity::Error, message),
        }
    }

    pub(super) fn on_tasks_asked(&mut self, asked: Asked, now: Instant) {
        match asked {
            Asked::Nothing => {}
            Asked::Close => self.view = None,
            Asked::Stop(id) => {
                let Some(session) = &self.session else { return };
                let session_id = Some(session.id.clone());
                let params =
                    TasksParams { session_id, op: TaskOp::Stop, task_id: Some(id), offset: None };
                self.outbox.request::<TasksRequest>(&params, Waiting::Tasks(None));
            }
        }
        self.tasks.polled = None;
        self.poll_task(now);
    }

    /// Somebody looks at what a running task prints, or at how long it runs.
    pub(super) fn watches_task(&self) -> bool {
        matches!(self.view, Some(View::Tasks(_))) && self.tasks.running() > 0
    }

    pub(super) fn poll_task(&mut self, now: Instant) {
        let Some(View::Tasks(view)) = &mut self.view else { return };
        if self.tasks.polled.is_some_and(|last| now < last + PAUSE) {
            return;
        }
        let (Some((id, offset)), Some(session)) = (view.wanted(), &self.session) else { return };
        self.tasks.polled = Some(now);
        let params = TasksParams {
            session_id: Some(session.id.clone()),
            op: TaskOp::Output,
            task_id: Some(id.clone()),
            offset: Some(offset),
        };
        self.outbox.request::<TasksRequest>(&params, Waiting::Tasks(Some(id)));
    }
}
