//! The TOML of a scenario file.

use std::collections::BTreeMap;
use std::time::Duration;

use agent::{StopReason, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{End, ScriptedAnswer, Step, Wire};

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScenarioError {
    #[error("The scenario is not valid TOML of the expected shape: {0}")]
    Toml(#[from] toml::de::Error),
    #[error(
        "Step {step} of answer {answer} must say exactly one thing: text, thinking, tool, \
         block, pings, delay_ms, raw, error, error_event, hang_up, reset, hang or truncate."
    )]
    NotOneThing { answer: usize, step: usize },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    answer: Vec<AnswerEntry>,
    count_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerEntry {
    when: Option<String>,
    #[serde(default)]
    forever: bool,
    #[serde(default)]
    times: usize,
    head_delay_ms: Option<u64>,
    drip: Option<DripEntry>,
    truncate_at: Option<usize>,
    reset_at: Option<usize>,
    content_type: Option<String>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    #[serde(default)]
    step: Vec<StepEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepEntry {
    text: Option<String>,
    deltas: Option<usize>,
    repeat: Option<usize>,
    thinking: Option<String>,
    signature: Option<String>,
    tool: Option<String>,
    input: Option<toml::Value>,
    id: Option<String>,
    json: Option<String>,
    block: Option<toml::Value>,
    pings: Option<usize>,
    every_ms: Option<u64>,
    #[serde(default)]
    hang_up: bool,
    delay_ms: Option<u64>,
    raw: Option<String>,
    error: Option<ErrorEntry>,
    error_event: Option<EventEntry>,
    #[serde(default)]
    reset: bool,
    #[serde(default)]
    hang: bool,
    #[serde(default)]
    truncate: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DripEntry {
    bytes: usize,
    every_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorEntry {
    status: u16,
    #[serde(default)]
    body: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventEntry {
    kind: String,
    message: String,
}

/// The answers, and what `count_tokens` says.
pub(super) fn parse(toml: &str) -> Result<(Vec<ScriptedAnswer>, Option<u64>), ScenarioError> {
    let file: File = toml::from_str(toml)?;
    let answers = file.answer.into_iter().enumerate();
    let answers = answers
        .map(|(at, mut entry)| {
            let wire = entry.wire();
            let steps = entry.step.into_iter().enumerate();
            let steps = steps.map(|(step, entry)| {
                entry.read().ok_or(ScenarioError::NotOneThing { answer: at + 1, step: step + 1 })
            });
            let steps = steps.collect::<Result<_, _>>()?;
            let AnswerEntry { when, forever, times, usage, stop, .. } = entry;
            Ok(ScriptedAnswer { when, forever, times, wire, steps, usage, stop })
        })
        .collect::<Result<_, ScenarioError>>()?;
    Ok((answers, file.count_tokens))
}

impl AnswerEntry {
    fn wire(&mut self) -> Wire {
        let ms = |ms: u64| Duration::from_millis(ms);
        let cut = self.truncate_at.map(|at| (at, End::Truncate));
        Wire {
            head_delay: ms(self.head_delay_ms.unwrap_or(0)),
            drip: self.drip.as_ref().map(|drip| (drip.bytes, ms(drip.every_ms))),
            end_at: self.reset_at.map(|at| (at, End::Reset)).or(cut),
            content_type: self.content_type.take(),
        }
    }
}

impl StepEntry {
    fn read(self) -> Option<Step> {
        let (deltas, repeat) = (self.deltas.unwrap_or(1), self.repeat.unwrap_or(1));
        let signature = self.signature.unwrap_or_else(|| "signed".to_owned());
        let input = self.input.map_or_else(|| json!({}), to_json);
        let every = Duration::from_millis(self.every_ms.unwrap_or(0));
        let said = [
            self.text.map(|text| Step::Text { text, deltas, repeat }),
            self.thinking.map(|text| Step::Thinking { text, signature }),
            self.tool.map(|name| match self.json {
                Some(json) => Step::RawTool { name, json },
                None => Step::Tool { name, input, id: self.id },
            }),
            self.block.map(|block| Step::Block(to_json(block))),
            self.pings.map(|count| Step::Pings { count, every }),
            self.hang_up.then_some(Step::HangUp),
            self.delay_ms.map(|ms| Step::Delay(Duration::from_millis(ms))),
            self.raw.map(|text| Step::Raw(text.into())),
            self.error.map(|error| Step::Error {
                status: error.status,
                body: error.body,
                headers: error.headers.into_iter().collect(),
            }),
            self.error_event.map(|EventEntry { kind, message }| Step::ErrorEvent { kind, message }),
            self.reset.then_some(Step::Reset),
            self.hang.then_some(Step::Hang),
            self.truncate.then_some(Step::Truncate),
        ];
        let mut said = said.into_iter().flatten();
        let step = said.next()?;
        said.next().is_none().then_some(step)
    }
}

/// TOML has dates and JSON has not; a date becomes its text.
fn to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(truth) => Value::Bool(truth),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(values) => values.into_iter().map(to_json).collect(),
        toml::Value::Table(table) => {
            table.into_iter().map(|(key, value)| (key, to_json(value))).collect()
        }
    }
}
