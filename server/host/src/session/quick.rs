//! Questions to the quick model beside the conversation.

use std::sync::Arc;
use std::time::Duration;

use agent::models::{self, ThinkingSupport};
use agent::{Block, Effort, ModelRequest, Piece, Record, Role, StreamEvent, Thinking, Usage};
use futures::StreamExt as _;
use model::Provider;

use super::Session;
use crate::telemetry::spans;

/// Longer answers are of no use to anybody.
const ANSWER_CAP: usize = 64 * 1024;
const MOST_BLOCKS: usize = 64;
const WITHIN: Duration = Duration::from_secs(120);

/// A model that answers quickly, for one question.
pub struct Quick {
    pub(super) session: String,
    pub(super) provider: Provider,
    pub(super) model: String,
}

/// What it says.
#[derive(Default)]
pub(super) struct Said {
    pub(super) text: String,
    /// What the provider's own tools gave.
    pub(super) blocks: Vec<serde_json::Value>,
}

/// What a question beside the conversation cost.
pub struct Spent {
    pub(super) what: &'static str,
    pub(super) model: String,
    pub(super) usage: Usage,
}

impl Quick {
    /// The whole answer. `usage` counts also when there is none.
    pub(super) async fn ask(
        &self,
        system: Arc<str>,
        question: &str,
        max_tokens: u32,
        usage: &mut Usage,
    ) -> Result<String, String> {
        let request = self.request(system, question, max_tokens, "[]".into())?;
        self.ask_within(request, usage).await.map(|said| said.text)
    }

    /// One question; `tools` are the provider's own.
    pub(super) fn request(
        &self,
        system: Arc<str>,
        question: &str,
        max_tokens: u32,
        tools: Arc<str>,
    ) -> Result<ModelRequest, String> {
        let limits = models::limits(&self.model);
        let message = Piece::of(Role::User, &[Block::text(question)]);
        Ok(ModelRequest {
            model: self.model.clone(),
            max_tokens: max_tokens.min(limits.max_output),
            system,
            tools,
            messages: vec![message.map_err(|error| error.to_string())?],
            thinking: match limits.thinking {
                ThinkingSupport::Adaptive => Thinking::Disabled,
                _ => Thinking::Default,
            },
            effort: Some(Effort::Low).filter(|_| limits.effort),
            format: None,
            clear_above: None,
            session: self.session.clone(),
        })
    }

    pub(super) async fn ask_within(
        &self,
        request: ModelRequest,
        usage: &mut Usage,
    ) -> Result<Said, String> {
        let work = spans::request(None, &self.session, "quick", &self.model);
        let answer = tokio::time::timeout(WITHIN, self.read(request, usage)).await;
        let answer = answer.unwrap_or_else(|_| Err("there was no answer in time".to_owned()));
        work.end_with(if answer.is_ok() { "completed" } else { "failed" }, &self.model, *usage);
        answer
    }

    async fn read(&self, request: ModelRequest, usage: &mut Usage) -> Result<Said, String> {
        let mut stream = self.provider.stream(request);
        let mut said = Said::default();
        while let Some(event) = stream.next().await {
            match event.map_err(|error| error.message)? {
                StreamEvent::Started { usage: read, .. } => usage.update(read),
                StreamEvent::Usage(now) => usage.update(now),
                StreamEvent::TextDelta { text, .. } => {
                    said.text.push_str(&text);
                    if said.text.len() > ANSWER_CAP {
                        return Err("the answer was far too long".to_owned());
                    }
                }
                StreamEvent::Opaque { block, .. } if said.blocks.len() < MOST_BLOCKS => {
                    said.blocks.push(block);
                }
                StreamEvent::Stopped { .. } => return Ok(said),
                _ => {}
            }
        }
        Err("the answer broke off".to_owned())
    }
}

impl Session {
    pub(super) fn quick(&self) -> Quick {
        let (provider, model) = self.config.quick();
        Quick { session: self.id.clone(), provider, model }
    }

    /// What it cost is part of what the session cost.
    pub(super) fn on_spent(&mut self, call: String, spent: Spent) {
        let Spent { what, model, usage } = spent;
        let cost_usd = usage.cost(models::limits(&model));
        let record = Record::Helped { call, what: what.to_owned(), model, usage, cost_usd };
        if let Err(error) = self.journal(&record) {
            tracing::error!(%error, "what a question cost could not be journalled");
        }
    }
}
