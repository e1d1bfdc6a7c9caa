//! The spans of a running turn: itself, and the request that is under way.

use agent::{StreamEvent, Usage};
use tracing::Span;

use super::Session;
use crate::telemetry::spans::{self, Work};

pub(super) struct Traced {
    turn: Work,
    request: Option<Request>,
}

struct Request {
    work: Work,
    model: String,
    usage: Usage,
}

impl Traced {
    pub(super) fn span(&self) -> &Span {
        self.turn.span()
    }

    /// The model is asked. A request that is replaced by another one failed.
    pub(super) fn asked(&mut self, session: &str, model: &str) {
        self.answered("failed");
        let work = spans::request(Some(self.turn.span()), session, "turn", model);
        let (model, usage) = (model.to_owned(), Usage::default());
        self.request = Some(Request { work, model, usage });
    }

    pub(super) fn heard(&mut self, event: &StreamEvent) {
        let Some(request) = &mut self.request else { return };
        match event {
            StreamEvent::Started { usage, .. } | StreamEvent::Usage(usage) => {
                request.usage.update(*usage);
            }
            StreamEvent::Stopped { .. } => self.answered("completed"),
            _ => {}
        }
    }

    /// The request is over, one way or another.
    pub(super) fn answered(&mut self, status: &str) {
        if let Some(Request { work, model, usage }) = self.request.take() {
            work.end_with(status, &model, usage);
        }
    }

    pub(super) fn ended(mut self, status: &str) {
        self.answered("cancelled");
        self.turn.end(status);
    }
}

impl Session {
    /// What the user says is seen only where the user wants it.
    pub(super) fn traced(&self, turn: &str, prompt: &str) -> Traced {
        let shown = self.host.is_set("OTEL_LOG_USER_PROMPTS").then_some(prompt);
        Traced { turn: spans::turn(&self.id, turn, &self.config.model, shown), request: None }
    }
}
