//! Scripted answers: what the loopback server says when it is not the rehearsal model.
//!
//! Written in code (`Scenario::new().text("hi").tool("Read", …)`) or in TOML
//! (`fixtures/model/README.md` has the format). Answers are taken in order; one that names a `when`
//! waits until the request's last words contain it.

mod faults;
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
    /// How often each answer was given.
    taken: Arc<Mutex<Vec<usize>>>,
    /// What `count_tokens` answers; else it counts roughly.
    pub(crate) counted: Option<u64>,
}

#[derive(Clone, Default, Debug, PartialEq)]
pub(crate) struct ScriptedAnswer {
    pub(crate) when: Option<String>,
    /// Stays available after it was taken.
    pub(crate) forever: bool,
    /// How often it is given; 0 counts as once.
    pub(crate) times: usize,
    pub(crate) wire: Wire,
    pub(crate) steps: Vec<Step>,
    pub(crate) usage: Option<Usage>,
    pub(crate) stop: Option<StopReason>,
}

/// What the network does to an answer, whatever it says.
#[derive(Clone, Default, Debug, PartialEq)]
pub(crate) struct Wire {
    /// Before the head of the response.
    pub(crate) head_delay: Duration,
    /// So many bytes at a time, this far apart.
    pub(crate) drip: Option<(usize, Duration)>,
    /// After so many bytes, the connection is cut or the response ends.
    pub(crate) end_at: Option<(usize, End)>,
    /// In place of the stream's own; nothing at all if empty.
    pub(crate) content_type: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Reset,
    Truncate,
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
        /// In place of a fresh one.
        id: Option<String>,
    },
    /// A call whose input is this text, which need not be JSON.
    RawTool {
        name: String,
        json: String,
    },
    /// The provider says that it cleared so many results, of so many tokens.
    Cleared {
        results: u64,
        tokens: u64,
    },
    /// A whole block of any kind, as the provider's own tools make them.
    Block(Value),
    /// So many pings, this far apart.
    Pings {
        count: usize,
        every: Duration,
    },
    /// Closes the connection before the head of the response. Only as the first step.
    HangUp,
    Delay(Duration),
    /// Bytes as they are, in place of whatever the format would have.
    Raw(Bytes),
    /// Answers with this and no stream. Only as the first step.
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
        let (answers, counted) = file::parse(toml)?;
        Ok(Self { answers, counted, ..Self::default() })
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
        self.step(Step::Tool { name: name.to_owned(), input, id: None })
    }

    #[must_use]
    pub fn cleared(self, results: u64, tokens: u64) -> Self {
        self.step(Step::Cleared { results, tokens })
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

    /// How many answers have not been given yet, counting each as often as it is to be given.
    pub fn remaining(&self) -> usize {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let given = |at: usize| taken.get(at).copied().unwrap_or(0);
        let scripted = self.answers.iter().enumerate().filter(|(_, answer)| !answer.forever);
        scripted.map(|(at, answer)| answer.times.max(1).saturating_sub(given(at))).sum()
    }

    /// The first answer that is left and fits. An answer with a `when` that fits goes before those
    /// that fit anything, so that parallel requests (a subagent's) get their own.
    pub(crate) fn take(&self, last_words: &str) -> Option<ScriptedAnswer> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.resize(self.answers.len(), 0);
        let is_left =
            |at: usize, answer: &ScriptedAnswer| answer.forever || taken[at] < answer.times.max(1);
        let left = || self.answers.iter().enumerate().filter(|(at, answer)| is_left(*at, answer));
        let named = left().find(|(_, answer)| {
            answer.when.as_ref().is_some_and(|words| last_words.contains(words))
        });
        let (at, answer) = named.or_else(|| left().find(|(_, answer)| answer.when.is_none()))?;
        let answer = answer.clone();
        taken[at] += 1;
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
                Step::Tool { input, .. } | Step::Block(input) => fill_value(input, &fill),
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
