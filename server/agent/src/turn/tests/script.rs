//! Turns as text: lines that begin with `>` go in, lines that begin with `<` come out.
//!
//! `open-text 0`, `text 0 …`, `open-thinking 0`, `thinking 0 …`, `sign 0 …`, `open-tool 0 id Name`,
//! `input 0 …`, `opaque 0 json`, `close 0` are single events of the stream. `say …`, `think …` and
//! `call id Name json` are whole blocks with the next free index; what they show while they stream
//! is left out. The rest: `prompt`, `steer`, `usage in out`, `stop reason`, `fail kind`, `result
//! id text`, `error id text`, `cancel`, `waited`, `room made`, `room none`, `full`, `hooks fine`,
//! `hooks go-on …`, `hooks end …`, `hook-stops …`, `deferred`, and `steered`, which asks what was steered in
//! too late. Tools whose name begins with a capital `X` want to be alone.
//!
//! Nothing is tried again unless the rules of a script say so. What is recorded and shown of blocks and
//! calls one by one is in the output of scripts that speak of it (`journal block`).

use std::sync::Arc;

use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use super::super::texts::*;
use super::super::*;
use crate::conversation::PartialAnswer;
use crate::message::ResultPart;
use crate::usage::Usage;

pub(super) struct Script {
    turn: Turn,
    /// The next free index of the answer that streams in.
    next_index: usize,
    messages: u32,
    /// The output has what is recorded and shown of single blocks and calls.
    parts: bool,
}

/// Runs a script and compares; on a difference the whole script is shown as it really went.
#[track_caller]
pub(super) fn check(script: &str) {
    check_with(|_| (), script);
}

#[track_caller]
pub(super) fn check_with(change: impl FnOnce(&mut Rules), script: &str) {
    let mut rules = rules();
    change(&mut rules);
    let mut runner = Script::new(rules);
    runner.parts = script.contains("journal block");
    let lines = script.lines().map(str::trim_start);
    let wanted: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    let mut actual = Vec::new();
    for line in &wanted {
        if let Some(input) = line.strip_prefix("> ") {
            actual.push((*line).to_owned());
            actual.extend(runner.run(input));
        }
    }
    assert!(actual == wanted, "the turn really went like this:\n\n{}\n", actual.join("\n"));
}

pub(super) fn rules() -> Rules {
    let parallel: Parallel = Arc::new(|name, _| !name.starts_with('X'));
    Rules { max_retries: 0, ..Rules::new("main", parallel) }
}

impl Script {
    pub(super) fn new(rules: Rules) -> Script {
        Script { turn: Turn::new("t", rules), next_index: 0, messages: 0, parts: false }
    }

    fn run(&mut self, line: &str) -> Vec<String> {
        if line == "steered" {
            let steered = self.turn.take_steered().into_iter();
            return steered.map(|(id, content)| format!("< {id} {}", blocks(&content))).collect();
        }
        let whole = ["say", "think", "call"].contains(&split(line).0);
        let effects = self.feed(line).into_iter();
        let shown = effects
            .filter(|effect| self.parts || !is_part(effect))
            .filter(|effect| !whole || is_part(effect) || !is_streaming(effect));
        shown.map(|effect| format!("< {}", render(&effect))).collect()
    }

    /// Gives the machine what a line says, and returns what it wants done.
    pub(super) fn feed(&mut self, line: &str) -> Vec<Effect> {
        let inputs = self.inputs(line);
        let mut effects = Vec::new();
        for input in inputs {
            effects.extend(self.turn.on(input));
        }
        if effects.iter().any(|effect| matches!(effect, Effect::CallModel(_))) {
            self.next_index = 0;
        }
        effects
    }

    fn inputs(&mut self, line: &str) -> Vec<Input> {
        let (verb, rest) = split(line);
        match verb {
            "prompt" => {
                let message_id = self.message_id();
                vec![Input::Prompt { message_id, content: vec![Block::text(rest)] }]
            }
            "steer" => {
                let message_id = self.message_id();
                vec![Input::Steer { message_id, content: vec![Block::text(rest)] }]
            }
            "cancel" => vec![Input::Cancel],
            "fail" => {
                let error = ModelError::new(parse(rest), rest);
                vec![Input::ModelFailed { error, jitter: 0.0 }]
            }
            "waited" => vec![Input::Waited],
            "room" => vec![Input::RoomMade { made: rest == "made" }],
            "full" => vec![Input::Full { message: "full".to_owned() }],
            "hooks" => vec![Input::StopHooks(verdict(rest))],
            "deferred" => vec![Input::Deferred],
            "hook-stops" => vec![Input::HookStopped { message: rest.to_owned() }],
            "result" | "error" => {
                let (id, text) = split(rest);
                let mut outcome = CallOutcome::error(text);
                outcome.is_error = verb == "error";
                vec![Input::CallEnded { id: id.to_owned(), outcome }]
            }
            _ => self.events(verb, rest).into_iter().map(Input::Model).collect(),
        }
    }

    fn events(&mut self, verb: &str, rest: &str) -> Vec<StreamEvent> {
        let index = self.next_index;
        match verb {
            "say" => self.block(
                StreamEvent::TextStarted { index },
                vec![StreamEvent::TextDelta { index, text: rest.to_owned() }],
            ),
            "think" => self.block(
                StreamEvent::ThinkingStarted { index },
                vec![
                    StreamEvent::ThinkingDelta { index, text: rest.to_owned() },
                    StreamEvent::Signature { index, signature: "sealed".to_owned() },
                ],
            ),
            "call" => {
                let (id, rest) = split(rest);
                let (name, json) = split(rest);
                let (id, name) = (id.to_owned(), name.to_owned());
                self.block(
                    StreamEvent::ToolStarted { index, id, name },
                    vec![StreamEvent::InputDelta { index, json: json.to_owned() }],
                )
            }
            "start" => vec![StreamEvent::Started { model: "m".to_owned(), usage: usage(rest) }],
            "usage" => vec![StreamEvent::Usage(usage(rest))],
            "stop" => vec![StreamEvent::Stopped { reason: parse(rest) }],
            _ => vec![self.event(verb, rest)],
        }
    }

    fn block(&mut self, start: StreamEvent, deltas: Vec<StreamEvent>) -> Vec<StreamEvent> {
        let end = StreamEvent::BlockEnded { index: self.next_index };
        self.next_index += 1;
        std::iter::once(start).chain(deltas).chain([end]).collect()
    }

    fn event(&mut self, verb: &str, rest: &str) -> StreamEvent {
        let (index, rest) = split(rest);
        let index: usize = index.parse().unwrap();
        let text = rest.to_owned();
        if verb.starts_with("open-") || verb == "opaque" {
            self.next_index = self.next_index.max(index + 1);
        }
        match verb {
            "open-text" => StreamEvent::TextStarted { index },
            "text" => StreamEvent::TextDelta { index, text },
            "open-thinking" => StreamEvent::ThinkingStarted { index },
            "thinking" => StreamEvent::ThinkingDelta { index, text },
            "sign" => StreamEvent::Signature { index, signature: text },
            "opaque" => StreamEvent::Opaque { index, block: serde_json::from_str(rest).unwrap() },
            "open-tool" => {
                let (id, name) = split(rest);
                StreamEvent::ToolStarted { index, id: id.to_owned(), name: name.to_owned() }
            }
            "input" => StreamEvent::InputDelta { index, json: text },
            "close" => StreamEvent::BlockEnded { index },
            _ => panic!("the script says `{verb}`, which is nothing"),
        }
    }

    fn message_id(&mut self) -> String {
        self.messages += 1;
        format!("u{}", self.messages)
    }
}

fn split(text: &str) -> (&str, &str) {
    text.split_once(' ').unwrap_or((text, ""))
}

fn verdict(text: &str) -> StopVerdict {
    let (verdict, message) = split(text);
    let message = message.to_owned();
    match verdict {
        "fine" => StopVerdict::Fine,
        "go-on" => StopVerdict::GoOn { message },
        "end" => StopVerdict::End { message },
        other => panic!("hooks do not say `{other}`"),
    }
}

fn usage(text: &str) -> Usage {
    let (input, output) = split(text);
    let count = |text: &str| text.parse().unwrap_or_default();
    Usage { input_tokens: count(input), output_tokens: count(output), ..Usage::default() }
}

/// A value by the name it has in the journal.
fn parse<'a, T: Deserialize<'a>>(name: &'a str) -> T {
    T::deserialize(StrDeserializer::<Error>::new(name)).unwrap()
}

fn is_streaming(effect: &Effect) -> bool {
    let kept = |shown: &Shown| matches!(shown, Shown::ToolDropped { .. } | Shown::Retracted { .. });
    matches!(effect, Effect::Show(shown) if !kept(shown))
}

fn is_part(effect: &Effect) -> bool {
    match effect {
        Effect::Journal(record) => PartialAnswer::is_part(record),
        Effect::Show(shown) => matches!(shown, Shown::ToolEnded { .. }),
        _ => false,
    }
}

fn render(effect: &Effect) -> String {
    match effect {
        Effect::Journal(Record::AnswerBlock { id, index, block, .. }) => {
            format!("journal block {index} of {id} {}", blocks(std::slice::from_ref(block)))
        }
        Effect::Journal(Record::AnswerRetracted { id }) => format!("journal nothing of {id}"),
        Effect::Journal(Record::CallResult { call, content, .. }) => {
            let (tool_use_id, content, is_error) = (call.clone(), content.clone(), false);
            let result = Block::ToolResult { tool_use_id, content, is_error };
            format!("journal result {}", blocks(&[result]))
        }
        Effect::Journal(Record::User { id, content, .. }) => {
            format!("journal user {id} {}", blocks(content))
        }
        Effect::Journal(Record::Assistant { id, content, stop_reason, .. }) => {
            let reason = serde_json::to_value(stop_reason).unwrap();
            let reason = reason.as_str().unwrap_or("broken off");
            format!("journal answer {id} {} ({reason})", blocks(content))
        }
        Effect::Journal(Record::Results { content, .. }) => {
            format!("journal results {}", blocks(content))
        }
        Effect::Journal(other) => format!("journal {other:?}"),
        Effect::CallModel(why) if why.is_unusual() => format!("ask the model ({})", why.name()),
        Effect::CallModel(_) => "ask the model".to_owned(),
        Effect::Wait { attempt, delay_ms, error } => {
            format!("wait {delay_ms} after attempt {attempt}: {error}")
        }
        Effect::UseFallback { model, error } => format!("use {model}: {error}"),
        Effect::MakeRoom(room) => format!("make room: {room:?}"),
        Effect::AskStopHooks { again } => {
            format!("ask hooks{}", if *again { " again" } else { "" })
        }
        Effect::StopModel => "stop the model".to_owned(),
        Effect::StartCall(ToolCall { id, name, input }) => format!("start {id} {name} {input}"),
        Effect::StopCall { id } => format!("stop {id}"),
        Effect::Show(shown) => format!("show {}", render_shown(shown)),
        Effect::End(ending) => {
            let Ending { reason, spent, answers, error } = ending;
            let usage = spent.usage();
            let error = error.as_ref().map_or(String::new(), |error| format!(", error {error}"));
            let tokens = match usage.context() {
                0 => String::new(),
                _ => format!(", {} in, {} out", usage.input_tokens, usage.output_tokens),
            };
            format!("end {} after {answers}{tokens}{error}", reason.name())
        }
    }
}

fn render_shown(shown: &Shown) -> String {
    match shown {
        Shown::MessageStarted { message_id } => format!("message {message_id}"),
        Shown::MessageDelta { message_id, text } => format!("message {message_id} {text:?}"),
        Shown::MessageEnded { message_id } => format!("message {message_id} ends"),
        Shown::ThoughtStarted { message_id } => format!("thought {message_id}"),
        Shown::ThoughtDelta { message_id, text } => format!("thought {message_id} {text:?}"),
        Shown::ThoughtEnded { message_id } => format!("thought {message_id} ends"),
        Shown::ToolStarted { id, name } => format!("tool {id} {name}"),
        Shown::ToolInput { id, json } => format!("input {id} {json}"),
        Shown::ToolEnded { id } => format!("{id} ended"),
        Shown::ToolDropped { id, cancelled: true, message } => {
            format!("cancelled {id}: {}", short(message))
        }
        Shown::ToolDropped { id, message, .. } => format!("failed {id}: {}", short(message)),
        Shown::Retracted { message_id } => format!("nothing of {message_id}"),
        Shown::Usage { answer, .. } => format!("usage {}", answer.context()),
    }
}

fn blocks(content: &[Block]) -> String {
    let block = |block: &Block| match block {
        Block::Text { text } => short(text),
        Block::Thinking { thinking, signature } => format!("thinking:{thinking}/{signature}"),
        Block::ToolUse { id, name, input } => format!("{id}:{name}{input}"),
        Block::ToolResult { tool_use_id, content, is_error } => {
            let texts = content.iter().map(|part| match part {
                ResultPart::Text { text } => short(text),
                other => format!("{other:?}"),
            });
            let mark = if *is_error { "!" } else { "" };
            format!("{tool_use_id}{mark}={}", texts.collect::<String>())
        }
        other => serde_json::to_string(other).unwrap(),
    };
    format!("[{}]", content.iter().map(block).collect::<Vec<_>>().join(" | "))
}

/// Long texts of the machine by a short name, so that a script stays readable.
fn short(text: &str) -> String {
    let known = [
        (INTERRUPTED, "(interrupted)"),
        (NOT_RUN.message, "(not run)"),
        (BROKEN_OFF.message, "(broken off)"),
        (UNFINISHED.message, "(unfinished)"),
        (REPEATED.message, "(asked again)"),
        (GO_ON, "(go on)"),
        (SAY_SOMETHING, "(say something)"),
        (REPEATING, "(repeating)"),
        (USE_BUDGET, "(use the budget)"),
    ];
    let name = known.iter().find(|(long, _)| *long == text).map(|(_, name)| *name);
    match name {
        Some(name) => name.to_owned(),
        None if text.contains("was not valid JSON") => "(bad input)".to_owned(),
        None => text.to_owned(),
    }
}
