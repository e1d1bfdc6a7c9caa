//! Does what the host wants, one thing after the other. The first thing opens the session.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::reader::Work;
use super::shared::{Mark, Shared};
use super::{Job, control, hooks, initialize, opening, prompt};

pub(super) async fn run(mut job: Job, shared: Arc<Shared>, mut todo: mpsc::Receiver<Work>) {
    let first = job.prompt.take();
    let mut worker = Worker { job: Some(job), held: Vec::new(), prompted: false, shared };
    if let Some(text) = first {
        worker.user(json!({ "message": { "role": "user", "content": text } })).await;
    }
    while let Some(work) = todo.recv().await {
        match work {
            Work::User(message) => worker.user(message).await,
            Work::Request { id, subtype, request } => {
                let answer = worker.request(&subtype, request).await;
                worker.shared.reply(&id, answer);
            }
        }
    }
    worker.shared.mark(Mark::Done);
}

struct Worker {
    /// Until the session is open.
    job: Option<Job>,
    shared: Arc<Shared>,
    /// What was said without wanting an answer: it goes along with the next prompt.
    held: Vec<protocol::prompt::Block>,
    /// The host has said something already.
    prompted: bool,
}

impl Worker {
    async fn request(&mut self, subtype: &str, request: Value) -> Result<Value, String> {
        match (subtype, self.job.take()) {
            ("initialize", Some(mut job)) => {
                let announced = initialize::read(request)?;
                initialize::apply(&announced, &mut job)?;
                self.shared.servers.set(announced.servers.iter().cloned());
                if !announced.hooks.is_empty() {
                    let matchers = announced.hooks.clone();
                    job.limits.hooks = Some(hooks::hosted(&self.shared.door, matchers));
                }
                self.shared.mark(Mark::Announced(Box::new(announced)));
                opening::open(&self.shared, job).await.inspect_err(|problem| {
                    self.shared.mark(Mark::Failed(problem.clone()));
                })?;
                Ok(initialize::answer(&self.shared.host))
            }
            // Whoever says it again has other hooks; the rest holds since the session began.
            ("initialize", None) => {
                let announced = initialize::read(request)?;
                self.shared.use_hooks(announced.hooks.clone()).await;
                self.shared.mark(Mark::Announced(Box::new(announced)));
                Ok(initialize::answer(&self.shared.host))
            }
            (_, job) => {
                self.job = job;
                self.open().await?;
                control::handle(&self.shared, subtype, &request).await
            }
        }
    }

    /// Where the host did without `initialize`.
    async fn open(&mut self) -> Result<(), String> {
        let Some(job) = self.job.take() else { return Ok(()) };
        opening::open(&self.shared, job).await.inspect_err(|problem| {
            self.shared.mark(Mark::Failed(problem.clone()));
        })
    }

    async fn user(&mut self, message: Value) {
        if self.open().await.is_err() {
            return;
        }
        let first = !std::mem::replace(&mut self.prompted, true);
        prompt::send(&self.shared, message, first, &mut self.held).await;
    }
}
