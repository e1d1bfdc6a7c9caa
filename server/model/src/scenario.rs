//! Scripted answers: what the loopback server says when it is not the rehearsal model.
//!
//! Written in code (`Scenario::new().text("hi").tool("Read", …)`) or in TOML
//! (`fixtures/model/README.md` has the format). Answers are taken in order; one that names a `when`
//! waits until the request's last words contain it.

mod file;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent::{StopReason, Usage};
use bytes::Bytes;
use serde_json::Value;

pub use file::ScenarioError;

/// A list of answers. Clones share what has been taken.
#[derive(Clone, Default)]
pub struct Scenario {
    answers: Vec<ScriptedAnswer>,
    taken: Arc<Mutex<Vec<bool>>>,
}

#[derive(Clone, Default, Debug, PartialEq)]
pub(crate) struct ScriptedAnswer {
    pub(crate) when: Option<String>,
    /// Stays available after it was taken.
    pub(crate) forever: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) usage: Option<Usage>,
    pub(crate) stop: Option<StopReason>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// `repeat` copies of the text, cut into `deltas` pieces each.
    Text {
        text: String,
        deltas: usize,
        repeat: usize,
    },
    Thinking {
        text: String,
        signature: String,
    },
    Tool {
        name: String,
        input: Value,
    },
    Delay(Duration),
    /// Bytes as they are, in place of whatever the format would have.
    Raw(Bytes),
    /// Refuses the request. Only as the first step.
    Error {
        status: u16,
        body: String,
        headers: Vec<(String, String)>,
    },
    /// An `error` event in the middle of the stream.
    ErrorEvent {
        kind: String,
        message: String,
    },
    /// Closes the connection without ending the response.
    Reset,
    /// Says nothing more and keeps the connection.
    Hang,
    /// Ends the response properly, in the middle of the answer.
    Truncate,
}

impl Scenario {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the format of `fixtures/model/*.toml`.
    pub fn parse(toml: &str) -> Result<Self, ScenarioError> {
        let answers = file::parse(toml)?;
        Ok(Self { answers, ..Self::default() })
    }

    /// Begins the next answer. The first one begins by itself.
    #[must_use]
    pub fn answer(mut self) -> Self {
        self.answers.push(ScriptedAnswer::default());
        self
    }

    /// The current answer waits for a request whose last text or tool result contains this.
    #[must_use]
    pub fn when(mut self, words: &str) -> Self {
        self.current().when = Some(words.to_owned());
        self
    }

    /// The current answer may be given any number of times.
    #[must_use]
    pub fn forever(mut self) -> Self {
        self.current().forever = true;
        self
    }

    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.long_text(text, 1, 1)
    }

    /// `repeat` copies of the text, each in `deltas` pieces.
    #[must_use]
    pub fn long_text(self, text: &str, deltas: usize, repeat: usize) -> Self {
        self.step(Step::Text { text: text.to_owned(), deltas, repeat })
    }

    #[must_use]
    pub fn thinking(self, text: &str, signature: &str) -> Self {
        self.step(Step::Thinking { text: text.to_owned(), signature: signature.to_owned() })
    }

    #[must_use]
    pub fn tool(self, name: &str, input: Value) -> Self {
        self.step(Step::Tool { name: name.to_owned(), input })
    }

    #[must_use]
    pub fn delay_ms(self, ms: u64) -> Self {
        self.step(Step::Delay(Duration::from_millis(ms)))
    }

    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.current().usage = Some(usage);
        self
    }

    #[must_use]
    pub fn stop(mut self, reason: StopReason) -> Self {
        self.current().stop = Some(reason);
        self
    }

    /// Refuses the request with an error body in the shape of the Messages API.
    #[must_use]
    pub fn error(self, status: u16, kind: &str, message: &str) -> Self {
        let body = crate::server::error_body(kind, message);
        self.refuse(status, &body, &[])
    }

    #[must_use]
    pub fn refuse(self, status: u16, body: &str, headers: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers = headers.iter().map(owned).collect();
        self.step(Step::Error { status, body: body.to_owned(), headers })
    }

    #[must_use]
    pub fn error_event(self, kind: &str, message: &str) -> Self {
        self.step(Step::ErrorEvent { kind: kind.to_owned(), message: message.to_owned() })
    }

    #[must_use]
    pub fn raw(self, bytes: impl Into<Bytes>) -> Self {
        self.step(Step::Raw(bytes.into()))
    }

    #[must_use]
    pub fn reset(self) -> Self {
        self.step(Step::Reset)
    }

    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    #[must_use]
    pub fn truncate(self) -> Self {
        self.step(Step::Truncate)
    }

    fn step(mut self, step: Step) -> Self {
        self.current().steps.push(step);
        self
    }

    fn current(&mut self) -> &mut ScriptedAnswer {
        if self.answers.is_empty() {
            self.answers.push(ScriptedAnswer::default());
        }
        let last = self.answers.len() - 1;
        &mut self.answers[last]
    }

    /// How many answers have not been given yet.
    pub fn remaining(&self) -> usize {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let given = taken.iter().filter(|taken| **taken).count();
        self.answers.iter().filter(|answer| !answer.forever).count() - given
    }

    /// The first answer that is left and fits. An answer with a `when` that fits goes before those
    /// that fit anything, so that parallel requests (a subagent's) get their own.
    pub(crate) fn take(&self, last_words: &str) -> Option<ScriptedAnswer> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.resize(self.answers.len(), false);
        let left = || self.answers.iter().enumerate().filter(|(at, _)| !taken[*at]);
        let named = left().find(|(_, answer)| {
            answer.when.as_ref().is_some_and(|words| last_words.contains(words))
        });
        let (at, answer) = named.or_else(|| left().find(|(_, answer)| answer.when.is_none()))?;
        let answer = answer.clone();
        taken[at] = !answer.forever;
        Some(answer)
    }
}

impl ScriptedAnswer {
    /// Replaces `{{cwd}}` and `{{prompt}}` in everything the answer says.
    pub(crate) fn fill(mut self, directory: &str, prompt: &str) -> Self {
        let fill = |text: &str| text.replace("{{cwd}}", directory).replace("{{prompt}}", prompt);
        for step in &mut self.steps {
            match step {
                Step::Text { text, .. } | Step::Thinking { text, .. } if text.contains("{{") => {
                    *text = fill(text);
                }
                Step::Tool { input, .. } => fill_value(input, &fill),
                _ => {}
            }
        }
        self
    }
}

fn fill_value(value: &mut Value, fill: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) if text.contains("{{") => *text = fill(text),
        Value::Array(values) => values.iter_mut().for_each(|value| fill_value(value, fill)),
        Value::Object(map) => map.values_mut().for_each(|value| fill_value(value, fill)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
