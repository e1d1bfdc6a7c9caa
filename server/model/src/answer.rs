//! From an HTTP response to stream events: reads, watches for silence, feeds a wire format's state
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
use tokio::time::{Instant, Sleep};

use crate::fault::{Origin, ReadError};
use crate::sse;

/// How long a finished answer's connection may take to end before it is given up.
const DRAIN: Duration = Duration::from_secs(1);

/// A wire format: turns the data of one server-sent event into stream events.
pub(crate) trait WireFormat: Send + Unpin + 'static {
    fn on(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError>;

    /// The connection ended by itself. Either that completes the answer, or it is broken.
    fn on_end(&mut self, out: &mut VecDeque<StreamEvent>) -> Result<(), ModelError>;

    /// `Stopped` has been said; nothing more will come.
    fn is_done(&self) -> bool;
}

type SseStream = BoxStream<'static, Result<sse::Event, sse::SseError<ReadError>>>;

/// The stream of one answer.
pub(crate) struct Answer<F> {
    format: F,
    origin: Origin,
    /// `None` when nothing more is to be read.
    events: Option<SseStream>,
    queue: VecDeque<StreamEvent>,
    error: Option<ModelError>,
}

impl<F: WireFormat> Answer<F> {
    pub(crate) fn new(
        response: reqwest::Response,
        idle: Duration,
        origin: Origin,
        format: F,
    ) -> Self {
        let body = Watched::new(response.bytes_stream().boxed(), idle);
        let events = Some(sse::events(body).boxed());
        Self { format, origin, events, queue: VecDeque::new(), error: None }
    }

    fn receive(&mut self, item: Option<Result<sse::Event, sse::SseError<ReadError>>>) {
        let result = match item {
            Some(Ok(event)) => self.format.on(event.data(), &mut self.queue),
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
            let item = std::task::ready!(events.poll_next_unpin(cx));
            if item.is_none() {
                self.events = None;
            }
            self.receive(item);
        }
    }
}

/// The body of a response that must not fall silent.
struct Watched {
    chunks: BoxStream<'static, reqwest::Result<Bytes>>,
    idle: Duration,
    heard: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl Watched {
    fn new(chunks: BoxStream<'static, reqwest::Result<Bytes>>, idle: Duration) -> Self {
        let alarm = Box::pin(tokio::time::sleep(idle));
        Self { chunks, idle, heard: Instant::now(), alarm }
    }
}

impl Stream for Watched {
    type Item = Result<Bytes, ReadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(chunk) = self.chunks.poll_next_unpin(cx) {
            self.heard = Instant::now();
            return Poll::Ready(chunk.map(|chunk| chunk.map_err(ReadError::Http)));
        }
        // The alarm is moved only when it rings: moving it with every chunk would cost more than
        // reading the chunk.
        while self.alarm.as_mut().poll(cx).is_ready() {
            let deadline = self.heard + self.idle;
            if deadline <= Instant::now() {
                return Poll::Ready(Some(Err(ReadError::Silent(self.idle))));
            }
            self.alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    #[tokio::test]
    async fn silence_is_an_error_and_a_word_is_not() {
        let words = stream::iter([Ok(Bytes::from_static(b"a"))]).chain(stream::pending());
        let mut watched = Watched::new(words.boxed(), Duration::from_millis(5));
        assert_eq!(watched.next().await.unwrap().unwrap(), "a");
        assert!(matches!(watched.next().await, Some(Err(ReadError::Silent(_)))));
    }

    /// The alarm was set for the beginning; what is heard meanwhile moves it on.
    #[tokio::test]
    async fn the_alarm_counts_from_the_last_word() {
        let idle = Duration::from_millis(20);
        let words = stream::unfold(0, |number| async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            (number < 40).then(|| (Ok(Bytes::from_static(b"a")), number + 1))
        });
        let heard: Vec<_> = Watched::new(words.boxed(), idle).collect().await;
        assert_eq!(heard.len(), 40);
    }
}
