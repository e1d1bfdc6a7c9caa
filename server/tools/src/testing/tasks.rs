//! Tasks as a session would keep them, for the tests of the tools.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::tasks::{NewTask, Reserved, Scheduled, TaskEnd, TaskKind, TaskState, TaskView, Tasks};

/// Everything that was left running.
#[derive(Default)]
pub(crate) struct Errands {
    pub(crate) folder: Mutex<PathBuf>,
    left: Mutex<Vec<Left>>,
    pub(crate) told: Mutex<Vec<String>>,
    pub(crate) planned: Mutex<Vec<Scheduled>>,
}

struct Left {
    view: TaskView,
    cancel: CancellationToken,
    work: Option<JoinHandle<TaskEnd>>,
}

impl Errands {
    /// Waits for the end of a task.
    pub(crate) async fn end_of(&self, id: &str) -> TaskEnd {
        let work = {
            let mut left = self.left.lock().unwrap();
            let task = left.iter_mut().find(|task| task.view.id == id).unwrap();
            task.view.state = TaskState::Stopped;
            task.work.take().unwrap()
        };
        work.await.unwrap()
    }
}

impl Tasks for Arc<Errands> {
    fn reserve(&self, _: TaskKind) -> Result<Reserved, String> {
        let number = self.left.lock().unwrap().len() + 1;
        let id = format!("t{number}");
        Ok(Reserved { output: self.folder.lock().unwrap().join(format!("{id}.output")), id })
    }

    fn keep(&self, task: NewTask) -> BoxFuture<'_, Result<(), String>> {
        let NewTask { id, kind, title, output, cancel, work, .. } = task;
        let view = TaskView { id, kind, title, state: TaskState::Running, output: Some(output) };
        let work = Some(tokio::spawn(work));
        self.left.lock().unwrap().push(Left { view, cancel, work });
        std::future::ready(Ok(())).boxed()
    }

    fn tell(&self, _: &str, text: &str) {
        self.told.lock().unwrap().push(text.to_owned());
    }

    fn schedule(&self, prompt: Scheduled) -> BoxFuture<'_, Result<String, String>> {
        let title = format!("{} {}", prompt.cron, prompt.prompt);
        self.planned.lock().unwrap().push(prompt);
        let (id, kind, state) = ("p1".to_owned(), TaskKind::Cron, TaskState::Running);
        let view = TaskView { id: id.clone(), kind, title, state, output: None };
        let (cancel, work) = (CancellationToken::new(), None);
        self.left.lock().unwrap().push(Left { view, cancel, work });
        std::future::ready(Ok(id)).boxed()
    }

    fn list(&self) -> Vec<TaskView> {
        self.left.lock().unwrap().iter().map(|left| left.view.clone()).collect()
    }

    fn stop(&self, id: &str) -> BoxFuture<'_, Result<TaskView, String>> {
        let view = {
            let mut left = self.left.lock().unwrap();
            let task = left.iter_mut().find(|task| task.view.id == id).unwrap();
            task.cancel.cancel();
            task.view.state = TaskState::Stopped;
            task.view.clone()
        };
        std::future::ready(Ok(view)).boxed()
    }
}
