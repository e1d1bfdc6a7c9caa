//! The spans of a session's work. Their names and fields are what logs and collectors show, so they
//! are all in one place; what is not known at the start is recorded at the end.

use std::time::Instant;

use agent::{Usage, models};
use tracing::field::Empty;
use tracing::{Span, info_span};

/// The target of everything that is meant to be measured.
pub const TARGET: &str = "bowline";

/// A piece of work under way. Ends when it is dropped, at the latest.
pub struct Work {
    span: Span,
    started: Instant,
}

impl Work {
    fn new(span: Span) -> Self {
        Self { span, started: Instant::now() }
    }

    pub fn span(&self) -> &Span {
        &self.span
    }

    /// How it went: `completed`, `failed` …
    pub fn end(self, status: &str) {
        self.span.record("status", status);
        self.span.record("duration_ms", millis(self.started));
    }

    /// The same for work that tokens were paid for.
    pub fn end_with(self, status: &str, model: &str, usage: Usage) {
        let span = &self.span;
        span.record("input_tokens", usage.input_tokens);
        span.record("output_tokens", usage.output_tokens);
        span.record("cache_read_tokens", usage.cache_read_input_tokens);
        span.record("cache_write_tokens", usage.cache_creation_input_tokens);
        span.record("cost_usd", usage.cost(models::limits(model)));
        self.end(status);
    }

    /// Lines that a tool added and removed.
    pub fn changed(&self, added: usize, removed: usize) {
        self.span.record("lines_added", added);
        self.span.record("lines_removed", removed);
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A session began, or was opened again.
pub fn session_began(session: &str) {
    tracing::info!(target: TARGET, session, "session");
}

/// `prompt` only where the user wants it to be seen.
pub fn turn(session: &str, turn: &str, model: &str, prompt: Option<&str>) -> Work {
    Work::new(info_span!(
        target: TARGET, parent: None, "turn", session, turn, model, prompt,
        status = Empty, duration_ms = Empty,
    ))
}

/// A question to a model; `purpose` says what for.
pub fn request(parent: Option<&Span>, session: &str, purpose: &str, model: &str) -> Work {
    Work::new(info_span!(
        target: TARGET, parent: parent.and_then(Span::id), "request", session, purpose, model,
        status = Empty, duration_ms = Empty, input_tokens = Empty, output_tokens = Empty,
        cache_read_tokens = Empty, cache_write_tokens = Empty, cost_usd = Empty,
    ))
}

pub fn tool(parent: Option<&Span>, session: &str, call: &str, tool: &str) -> Work {
    Work::new(info_span!(
        target: TARGET, parent: parent.and_then(Span::id), "tool", session, call, tool,
        status = Empty, duration_ms = Empty, lines_added = Empty, lines_removed = Empty,
    ))
}

pub fn hook(session: &str, event: &str, call: &str) -> Work {
    Work::new(info_span!(
        target: TARGET, parent: None, "hook", session, event, call,
        status = Empty, duration_ms = Empty,
    ))
}
