//! The binary framing of AWS event streams: length, headers, payload, checksums. Each payload holds
//! one event of the Messages API in base64.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{Buf, Bytes, BytesMut};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use serde::Deserialize;
use serde_json::json;

use crate::answer::{Chunks, EventStream};
use crate::sse::{Event, SseError};

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;
/// The service's own limit is 16 MB.
const LARGEST: usize = 32 << 20;

pub(super) fn events(chunks: Chunks) -> EventStream {
    Frames { chunks, buffer: BytesMut::new(), ready: VecDeque::new(), broken: false }.boxed()
}

struct Frames {
    chunks: BoxStream<'static, reqwest::Result<Bytes>>,
    buffer: BytesMut,
    ready: VecDeque<Event>,
    broken: bool,
}

impl Stream for Frames {
    type Item = Result<Event, SseError<reqwest::Error>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if self.broken {
                return Poll::Ready(None);
            }
            match std::task::ready!(self.chunks.poll_next_unpin(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(SseError::Transport(error)))),
                Some(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
            }
            let Frames { buffer, ready, .. } = &mut *self;
            if let Err(BadFrame) = take(buffer, ready) {
                self.broken = true;
                if self.ready.is_empty() {
                    return Poll::Ready(Some(Err(SseError::BadFrame)));
                }
            }
        }
    }
}

/// A length or a checksum that cannot be.
#[derive(Debug, PartialEq)]
struct BadFrame;

/// All frames that are complete.
fn take(buffer: &mut BytesMut, ready: &mut VecDeque<Event>) -> Result<(), BadFrame> {
    loop {
        let Some(total) = number(buffer, 0) else { return Ok(()) };
        let total = total as usize;
        if !(PRELUDE + CHECKSUM..=LARGEST).contains(&total) {
            return Err(BadFrame);
        }
        if buffer.len() < total {
            return Ok(());
        }
        let frame = buffer.split_to(total).freeze();
        let headers = number(&frame, 4).ok_or(BadFrame)? as usize;
        let sum = |to: usize| crc32fast::hash(&frame[..to]);
        let good = number(&frame, 8) == Some(sum(8))
            && number(&frame, total - CHECKSUM) == Some(sum(total - CHECKSUM));
        if !good || PRELUDE + headers > total - CHECKSUM {
            return Err(BadFrame);
        }
        let payload = frame.slice(PRELUDE + headers..total - CHECKSUM);
        let names = named(frame.slice(PRELUDE..PRELUDE + headers));
        ready.extend(event(&names, &payload));
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The headers that are texts, which all that matter are.
fn named(mut bytes: Bytes) -> Vec<(String, String)> {
    const TEXT: u8 = 7;
    let mut found = Vec::new();
    let text = |bytes: &mut Bytes, length: usize| {
        (bytes.len() >= length)
            .then(|| String::from_utf8_lossy(&bytes.split_to(length)).into_owned())
    };
    while bytes.has_remaining() {
        let length = bytes.get_u8() as usize;
        let Some(name) = text(&mut bytes, length) else { break };
        if bytes.len() < 3 || bytes.get_u8() != TEXT {
            break;
        }
        let length = bytes.get_u16() as usize;
        let Some(value) = text(&mut bytes, length) else { break };
        found.push((name, value));
    }
    found
}

fn event(names: &[(String, String)], payload: &[u8]) -> Option<Event> {
    #[derive(Deserialize)]
    struct Chunk {
        bytes: String,
    }
    let header =
        |name: &str| names.iter().find(|(mine, _)| mine == name).map(|(_, value)| value.as_str());
    if header(":message-type") == Some("event") {
        let chunk: Chunk = serde_json::from_slice(payload).ok()?;
        let json = STANDARD.decode(chunk.bytes).ok()?;
        return Some(Event::whole(String::from_utf8_lossy(&json).into_owned()));
    }
    let name = header(":exception-type").or(header(":error-code")).unwrap_or("exception");
    Some(Event::whole(failure(name, payload)))
}

/// An exception of the service, in the words of the Messages API.
fn failure(name: &str, payload: &[u8]) -> String {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Said {
        message: String,
    }
    let said: Said = serde_json::from_slice(payload).unwrap_or_default();
    let kind = match name {
        "throttlingException" => "rate_limit_error",
        "modelTimeoutException" => "timeout_error",
        "serviceUnavailableException" => "overloaded_error",
        "validationException" => "invalid_request_error",
        _ => "api_error",
    };
    let message = if said.message.is_empty() { name.to_owned() } else { said.message };
    json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
}

#[cfg(test)]
pub(super) mod tests;
