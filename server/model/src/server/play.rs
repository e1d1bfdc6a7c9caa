//! Plays an answer: parts in order, as bytes, with their pauses and accidents.

use std::collections::VecDeque;
use std::time::Duration;

use agent::{StopReason, StreamEvent, Usage};
use bytes::{Bytes, BytesMut};
use futures::stream::{self, Stream};
use hyper::body::Frame;

use super::asked::Asked;
use super::dialect::Dialect;
use super::testing::Recorder;
use crate::scenario::{ScriptedAnswer, Step};

/// Enough to make a system call worth it, little enough to be a stream.
const CHUNK: usize = 16 << 10;

pub(super) enum Part {
    Event(StreamEvent),
    /// Written while it is sent: five megabytes in a hundred thousand pieces are never in memory.
    Text {
        index: usize,
        pieces: Vec<String>,
        repeat: usize,
    },
    Delay(Duration),
    Raw(Bytes),
    ErrorEvent {
        kind: String,
        message: String,
    },
    Reset,
    Hang,
    Truncate,
    Ping,
}

/// The connection is to be cut.
#[derive(Debug, thiserror::Error)]
#[error("the script says to break off here")]
pub(super) struct BrokenOff;

/// A scripted answer with all that a well-formed one has around it.
pub(super) fn script(answer: ScriptedAnswer, asked: &Asked) -> Vec<Part> {
    let mut usage = answer.usage.unwrap_or_default();
    if answer.usage.is_none() {
        usage.input_tokens = asked.size as u64 / 4 + 1;
        usage.output_tokens = answer.steps.iter().map(size).sum::<u64>() / 4 + 1;
    }
    let started = Usage { output_tokens: 1, ..usage };
    let mut parts = Vec::new();
    // An answer of raw bytes alone brings its own beginning and end.
    let framed = !answer.steps.iter().any(|step| matches!(step, Step::Raw(_)));
    if framed {
        let model = asked.model.clone();
        parts.push(Part::Event(StreamEvent::Started { model, usage: started }));
    }
    let (mut index, mut calls) = (0, 0);
    for step in answer.steps {
        calls += usize::from(matches!(step, Step::Tool { .. } | Step::RawTool { .. }));
        let id = format!("toolu_scenario_{}", asked.calls_so_far + calls);
        push_step(&mut parts, step, &mut index, id);
    }
    if framed {
        let reason = if calls > 0 { StopReason::ToolUse } else { StopReason::EndTurn };
        parts.push(Part::Event(StreamEvent::Usage(usage)));
        let reason = answer.stop.unwrap_or(reason);
        parts.push(Part::Event(StreamEvent::Stopped { reason }));
    }
    parts
}

fn size(step: &Step) -> u64 {
    match step {
        Step::Text { text, repeat, .. } => (text.len() * repeat) as u64,
        Step::Thinking { text, .. } => text.len() as u64,
        Step::Tool { input, .. } | Step::Block(input) => input.to_string().len() as u64,
        Step::RawTool { json, .. } => json.len() as u64,
        _ => 0,
    }
}

fn push_step(parts: &mut Vec<Part>, step: Step, index: &mut usize, id: String) {
    let at = *index;
    let block = match step {
        Step::Text { text, deltas, repeat } => {
            let pieces = cut(&text, deltas);
            vec![
                Part::Event(StreamEvent::TextStarted { index: at }),
                Part::Text { index: at, pieces, repeat },
            ]
        }
        Step::Thinking { text, signature } => vec![
            Part::Event(StreamEvent::ThinkingStarted { index: at }),
            Part::Event(StreamEvent::ThinkingDelta { index: at, text }),
            Part::Event(StreamEvent::Signature { index: at, signature }),
        ],
        Step::Tool { name, input, id: given } => {
            call(at, given.unwrap_or(id), name, &input.to_string())
        }
        Step::RawTool { name, json } => call(at, id, name, &json),
        Step::Block(block) => vec![Part::Event(StreamEvent::Opaque { index: at, block })],
        Step::Cleared { results, tokens } => {
            parts.push(Part::Event(StreamEvent::Cleared { results, tokens }));
            return;
        }
        Step::Pings { count, every } => {
            let ping = || [Part::Delay(every), Part::Ping];
            parts.extend(std::iter::repeat_with(ping).take(count).flatten());
            return;
        }
        other => {
            parts.extend(accident(other));
            return;
        }
    };
    parts.extend(block);
    parts.push(Part::Event(StreamEvent::BlockEnded { index: at }));
    *index += 1;
}

fn call(index: usize, id: String, name: String, json: &str) -> Vec<Part> {
    let halves = cut(json, 2).into_iter();
    let deltas = halves.map(|json| StreamEvent::InputDelta { index, json });
    let started = StreamEvent::ToolStarted { index, id, name };
    std::iter::once(started).chain(deltas).map(Part::Event).collect()
}

fn accident(step: Step) -> Option<Part> {
    match step {
        Step::Delay(time) => Some(Part::Delay(time)),
        Step::Raw(bytes) => Some(Part::Raw(bytes)),
        Step::ErrorEvent { kind, message } => Some(Part::ErrorEvent { kind, message }),
        Step::Reset => Some(Part::Reset),
        Step::Hang => Some(Part::Hang),
        Step::Truncate => Some(Part::Truncate),
        _ => None,
    }
}

/// About equal pieces, cut between characters.
fn cut(text: &str, pieces: usize) -> Vec<String> {
    let count = text.chars().count();
    let length = count.div_ceil(pieces.max(1)).max(1);
    let mut cuts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        let (piece, later) = rest.split_at(end);
        cuts.push(piece.to_owned());
        rest = later;
    }
    cuts
}

struct Player {
    parts: VecDeque<Part>,
    dialect: Dialect,
    buffer: BytesMut,
    /// Which piece of a `Text` comes next, counted over all repetitions.
    piece: usize,
    watch: Watch,
}

/// Tells the test when the client leaves before the end.
struct Watch {
    recorder: Option<Recorder>,
    finished: bool,
}

impl Watch {
    fn end(&mut self) {
        self.finished = true;
        if let Some(recorder) = &self.recorder {
            recorder.answered();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let (Some(recorder), false) = (&self.recorder, self.finished) {
            recorder.client_hung_up();
        }
    }
}

pub(super) fn body(
    parts: Vec<Part>,
    dialect: Dialect,
    recorder: Option<Recorder>,
) -> impl Stream<Item = Result<Frame<Bytes>, BrokenOff>> + Send + 'static {
    let watch = Watch { recorder, finished: false };
    let (parts, buffer) = (parts.into(), BytesMut::new());
    let player = Player { parts, dialect, buffer, piece: 0, watch };
    stream::unfold(player, |mut player| async move {
        let item = player.next().await?;
        Some((item.map(Frame::data), player))
    })
}

impl Player {
    async fn next(&mut self) -> Option<Result<Bytes, BrokenOff>> {
        while self.buffer.len() < CHUNK {
            let Some(part) = self.parts.pop_front() else { break };
            match part {
                Part::Event(event) => self.dialect.event(&event, &mut self.buffer),
                Part::Text { index, pieces, repeat } => self.text(index, pieces, repeat),
                Part::Ping => self.dialect.ping(&mut self.buffer),
                Part::Raw(bytes) => self.buffer.extend_from_slice(&bytes),
                Part::ErrorEvent { kind, message } => {
                    self.dialect.error(&kind, &message, &mut self.buffer);
                    self.parts.clear();
                }
                // What happens to the connection happens after what was said has been sent.
                part if !self.buffer.is_empty() => {
                    self.parts.push_front(part);
                    break;
                }
                Part::Delay(time) => tokio::time::sleep(time).await,
                Part::Hang => std::future::pending().await,
                Part::Truncate => self.parts.clear(),
                Part::Reset => {
                    self.watch.finished = true;
                    // The server flushes only when there is nothing to do for a moment.
                    tokio::task::yield_now().await;
                    return Some(Err(BrokenOff));
                }
            }
        }
        if self.buffer.is_empty() {
            self.watch.end();
            return None;
        }
        Some(Ok(self.buffer.split().freeze()))
    }

    fn text(&mut self, index: usize, pieces: Vec<String>, repeat: usize) {
        let total = pieces.len() * repeat;
        while self.piece < total && self.buffer.len() < CHUNK {
            let piece = &pieces[self.piece % pieces.len()];
            self.dialect.text(index, piece, &mut self.buffer);
            self.piece += 1;
        }
        if self.piece < total {
            self.parts.push_front(Part::Text { index, pieces, repeat });
        } else {
            self.piece = 0;
        }
    }
}
