//! From chunks of bytes to stream events: reads, watches for silence, feeds a wire format's state
//! machine and hands on what it says. One task's worth of polling, no thread and no channel, so that
//! dropping the stream drops the connection.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use agent::{ModelError, StreamEvent};
use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{FutureExt, Stream, StreamExt};

use crate::fault::Origin;
use crate::patience::Watchdog;
use crate::sse;
use crate::surrogates::repaired;

/// How long a finished answer's connection may take to end before it is given up.
const DRAIN: Duration = Duration::from_secs(1);

/// A wire format: turns the data of one server-sent event into stream events.
pub(crate) trait WireFormat: Send + Unpin + 'static {
    fn on(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError>;

    /// Whether an event says no more than that the connection lives.
    fn is_ping(&self, _data: &str) -> bool {
        false
    }

    /// The connection ended by itself. Either that completes the answer, or it is broken.
    fn on_end(&mut self, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError>;

    /// `Stopped` has been said; nothing more will come.
    fn is_done(&self) -> bool;
}

pub(crate) type Chunks = BoxStream<'static, reqwest::Result<Bytes>>;

pub(crate) type SseItem = Result<sse::Event, sse::SseError<reqwest::Error>>;

pub(crate) type EventStream = BoxStream<'static, SseItem>;

/// The framing of most servers.
pub(crate) fn sse_events(chunks: Chunks) -> EventStream {
    sse::events(chunks).boxed()
}

/// The stream of one answer.
pub(crate) struct Answer<F> {
    format: F,
    origin: Origin,
    /// `None` when nothing more is to be read.
    events: Option<EventStream>,
    queue: VecDeque<StreamEvent>,
    error: Option<ModelError>,
    watchdog: Watchdog,
}

impl<F: WireFormat> Answer<F> {
    pub(crate) fn new(events: EventStream, watchdog: Watchdog, origin: Origin, format: F) -> Self {
        Self { format, origin, events: Some(events), queue: VecDeque::new(), error: None, watchdog }
    }

    fn receive(&mut self, item: Option<SseItem>) {
        if let Some(Ok(event)) = &item {
            self.watchdog.heard(self.format.is_ping(event.data()));
        }
        let result = match item {
            Some(Ok(event)) => self.format.on(&repaired(event.data()), &mut self.queue),
            Some(Err(error)) => Err(self.origin.read_error(error)),
            None => self.format.on_end(&mut self.queue),
        };
        if let Err(error) = result {
            self.error = Some(error);
            self.events = None;
        } else if self.format.is_done() {
            self.drain();
        }
    }

    /// A connection can only serve the next request once it was read to its end, so the few bytes
    /// after the last event are read aside, without keeping anybody waiting.
    fn drain(&mut self) {
        let Some(mut rest) = self.events.take() else { return };
        if let Some(None) = rest.next().now_or_never() {
            return;
        }
        let drained = async move { while let Some(Ok(_)) = rest.next().await {} };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            drop(runtime.spawn(tokio::time::timeout(DRAIN, drained)));
        }
    }
}

impl<F: WireFormat> Stream for Answer<F> {
    type Item = Result<StreamEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if let Some(error) = self.error.take() {
                return Poll::Ready(Some(Err(error)));
            }
            let Some(events) = &mut self.events else { return Poll::Ready(None) };
            let item = match events.poll_next_unpin(cx) {
                Poll::Ready(item) => item,
                Poll::Pending => {
                    let silence = std::task::ready!(self.watchdog.poll(cx));
                    self.events = None;
                    return Poll::Ready(Some(Err(self.origin.silent(silence))));
                }
            };
            if item.is_none() {
                self.events = None;
            }
            self.receive(item);
        }
    }
}

#[cfg(test)]
mod tests;
