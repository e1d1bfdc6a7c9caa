//! Does what the host wants, one thing after the other. The first thing opens the session.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::reader::Work;
use super::shared::{Mark, Shared};
use super::{Job, control, hooks, initialize, opening, prompt};

pub(super) async fn run(mut job: Job, shared: Arc<Shared>, mut todo: mpsc::Receiver<Work>) {
    let first = job.prompt.take();
    let (held, prompted, failure) = (Vec::new(), false, None);
    let mut worker = Worker { job: Some(job), held, prompted, failure, shared };
    if let Some(text) = first {
        worker.user(json!({ "message": { "role": "user", "content": text } })).await;
        worker.tell_failure();
    }
    while let Some(work) = todo.recv().await {
        match work {
            Work::User(message) => worker.user(message).await,
            Work::Request { id, subtype, request } => {
                let answer = worker.request(&subtype, request).await;
                worker.shared.reply(&id, answer);
            }
        }
        worker.tell_failure();
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
    /// Why the session could not begin.
    failure: Option<String>,
}

impl Worker {
    /// After the answer to whoever wanted the session.
    fn tell_failure(&mut self) {
        if let Some(problem) = self.failure.take() {
            self.shared.mark(Mark::Failed(problem));
        }
    }

    async fn request(&mut self, subtype: &str, request: Value) -> Result<Value, String> {
        if subtype != "initialize" {
            self.open().await?;
            return control::handle(&self.shared, subtype, &request).await;
        }
        let announced = initialize::read(request)?;
        let matchers = announced.hooks.clone();
        match &mut self.job {
            Some(job) => {
                initialize::apply(&announced, job)?;
                if !matchers.is_empty() {
                    job.limits.hooks = Some(hooks::hosted(&self.shared.door, matchers));
                }
            }
            // Whoever says it again has other hooks; the rest holds since the session began.
            None => self.shared.use_hooks(matchers).await,
        }
        let first = self.job.is_some();
        let fates = match first {
            true => initialize::tell_servers(&announced, &self.shared.servers),
            false => None,
        };
        let answer = initialize::answer(&self.shared.host, self.shared.cwd(), &announced, fates);
        self.shared.mark(Mark::Announced(Box::new(announced)));
        self.open().await?;
        Ok(answer)
    }

    /// Where the host did without `initialize`.
    async fn open(&mut self) -> Result<(), String> {
        let Some(job) = self.job.take() else { return Ok(()) };
        let opened = opening::open(&self.shared, job).await;
        opened.inspect_err(|problem| self.failure = Some(problem.clone()))
    }

    async fn user(&mut self, message: Value) {
        if self.open().await.is_err() {
            return;
        }
        let first = !std::mem::replace(&mut self.prompted, true);
        prompt::send(&self.shared, message, first, &mut self.held).await;
    }
}
