//! Writing a summary: asks the model, cuts what it cannot take, and puts back what the work needs.

use std::sync::Arc;
use std::time::Duration;

use agent::context::summary;
use agent::{
    Block, Conversation, Effort, ModelError, ModelErrorKind, ModelRequest, Piece, Role,
    StreamEvent, Thinking, Usage,
};
use futures::StreamExt as _;
use futures::future::BoxFuture;
use model::Provider;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tools::{Recalled, SessionState};

use super::restore::{self, KeptPlan};
use crate::session::Msg;
use crate::session::world::SessionWorld;
use crate::telemetry::spans;

/// How often the model is asked, at most.
const TRIES: u32 = 4;
/// What goes each time that the conversation does not fit, in percent.
const SHARE: u64 = 20;
/// Nobody waits longer for a summary.
const WITHIN: Duration = Duration::from_secs(5 * 60);
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// A longer answer is no summary.
const LONGEST: usize = 400_000;
/// Files that the model gets back, and how much of them; in a small window a quarter of it.
const FILES: usize = 5;
const FILE_BYTES: u64 = 100_000;

pub(super) struct Work {
    /// Notes on the session that stand in for a summary: then nobody is asked.
    pub(super) notes: Option<String>,
    pub(super) provider: Provider,
    pub(super) model: String,
    pub(super) world: Arc<SessionWorld>,
    pub(super) state: Arc<SessionState>,
    pub(super) plan: KeptPlan,
    /// What the conversation may fill, in tokens.
    pub(super) room: u64,
    pub(super) system: Arc<str>,
    pub(super) tools: Arc<str>,
    pub(super) conversation: Conversation,
    pub(super) request: String,
    pub(super) thinking: Thinking,
    pub(super) effort: Option<Effort>,
    pub(super) session: String,
    pub(super) transcript: Option<String>,
    /// The work goes on right after it.
    pub(super) goes_on: bool,
}

/// What takes the place of the conversation.
pub struct Summed {
    pub summary: String,
    pub content: Vec<Block>,
    /// The files in it.
    pub files: Vec<Recalled>,
}

/// How it went, and what it cost either way.
pub struct Outcome {
    pub summed: Result<Summed, ModelError>,
    pub model: String,
    pub usage: Usage,
}

impl Work {
    /// Ends with a message to the session, whatever happens.
    /// `first` is asked before anything else, and may say no.
    pub(super) fn spawn(
        self,
        own: mpsc::Sender<Msg>,
        number: u64,
        first: BoxFuture<'static, Result<(), String>>,
    ) -> AbortHandle {
        let task = tokio::spawn(async move {
            let late = || ModelError::new(ModelErrorKind::TimedOut, "The summary took too long.");
            // Who is not asked has written nothing.
            let model = if self.notes.is_some() { String::new() } else { self.model.clone() };
            let mut usage = Usage::default();
            let summed = match first.await {
                Ok(()) => {
                    let summed = tokio::time::timeout(WITHIN, self.run(&mut usage)).await;
                    summed.unwrap_or_else(|_| Err(late()))
                }
                Err(reason) => {
                    let message = format!("A hook did not let it be summed up: {reason}");
                    Err(ModelError::new(ModelErrorKind::InvalidRequest, message))
                }
            };
            let outcome = Box::new(Outcome { summed, model, usage });
            let _ = own.send(Msg::Compacted { number, outcome }).await;
        });
        task.abort_handle()
    }

    async fn run(mut self, usage: &mut Usage) -> Result<Summed, ModelError> {
        if let Some(notes) = self.notes.take() {
            let told = summary::told_notes(&notes, self.transcript.as_deref(), self.goes_on);
            return Ok(self.with_restored(notes, told).await);
        }
        let mut wait = FIRST_WAIT;
        let mut tries = 1;
        let answer = loop {
            let error = match self.ask(usage).await {
                Ok(answer) => break answer,
                Err(error) => error,
            };
            if tries == TRIES {
                return Err(error);
            }
            tries += 1;
            match error.kind {
                ModelErrorKind::PromptTooLong | ModelErrorKind::RequestTooLarge => {
                    let rest = self.conversation.without_oldest(SHARE);
                    self.conversation = rest.ok_or(error)?;
                }
                ModelErrorKind::RateLimited
                | ModelErrorKind::Overloaded
                | ModelErrorKind::Server
                | ModelErrorKind::Network
                | ModelErrorKind::BrokenStream
                | ModelErrorKind::TimedOut => {
                    let asked = error.retry_after_ms.map(Duration::from_millis);
                    tokio::time::sleep(asked.unwrap_or(wait).min(WITHIN)).await;
                    wait *= 2;
                }
                _ => return Err(error),
            }
        };
        let summary = summary::extract(&answer).ok_or_else(|| {
            let message = "The model gave no summary; try again, or start a new session.";
            ModelError::new(ModelErrorKind::BrokenStream, message)
        })?;
        let told = summary::told(summary, self.transcript.as_deref(), self.goes_on);
        Ok(self.with_restored(summary.to_owned(), told).await)
    }

    /// Puts what the work needs behind the words that take the conversation's place.
    async fn with_restored(self, summary: String, told: String) -> Summed {
        // A quarter of the room, at about four bytes a token.
        let cap = usize::try_from(FILE_BYTES.min(self.room)).unwrap_or_default();
        let files = tools::recall(&*self.world, self.state.clone(), FILES, cap).await;
        let mut content = vec![Block::text(told)];
        content.extend(files.iter().map(restore::file_block));
        content.extend(self.plan.block().await);
        Summed { summary, content, files }
    }

    async fn ask(&self, usage: &mut Usage) -> Result<String, ModelError> {
        let broken = |message: &str| ModelError::new(ModelErrorKind::BrokenStream, message);
        let mut messages = self.conversation.pieces(&self.model);
        let question = Piece::of(Role::User, &[Block::text(&*self.request)])
            .map_err(|error| broken(&error.to_string()))?;
        // The conversation may end with results: then the question belongs to the same message.
        let last = messages.last().is_some_and(|last| last.json().starts_with(r#"{"role":"user""#));
        match messages.pop_if(|_| last) {
            Some(results) => messages.extend(Piece::joined([&results, &question])),
            None => messages.push(question),
        }
        let request = ModelRequest {
            model: self.model.clone(),
            max_tokens: summary::MAX_TOKENS,
            system: self.system.clone(),
            tools: self.tools.clone(),
            messages,
            thinking: self.thinking,
            effort: self.effort,
            format: None,
            clear_above: None,
            session: self.session.clone(),
        };
        let work = spans::request(None, &self.session, "compaction", &self.model);
        let mut stream = self.provider.stream(request);
        let (mut text, mut spent) = (String::new(), Usage::default());
        let mut ended = Err(broken("The summary broke off."));
        while let Some(event) = stream.next().await {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            };
            match event {
                StreamEvent::Started { usage, .. } | StreamEvent::Usage(usage) => {
                    spent.update(usage);
                }
                StreamEvent::TextDelta { text: more, .. } => text.push_str(&more),
                StreamEvent::Stopped { .. } => {
                    ended = Ok(());
                    break;
                }
                _ => {}
            }
            if text.len() > LONGEST {
                break;
            }
        }
        usage.add(spent);
        work.end_with(if ended.is_ok() { "completed" } else { "failed" }, &self.model, spent);
        ended.map(|()| text)
    }
}
