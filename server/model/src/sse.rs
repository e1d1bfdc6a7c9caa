//! Server-sent events out of chunks of bytes. The parser is `sseer`; this file is the only one that
//! knows, and adds the one thing it lacks: a bound on the size of an event.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use sseer::errors::EventStreamError;
use sseer::event_stream::EventStream;

/// No event of a sane server comes near; a hostile one must not eat the memory.
const MAX_EVENT_BYTES: usize = 32 << 20;

#[derive(Debug)]
pub(crate) struct Event(Inner);

#[derive(Debug)]
enum Inner {
    Parsed(sseer::event::Event),
    #[cfg(feature = "bedrock")]
    Whole(String),
}

impl Event {
    pub(crate) fn data(&self) -> &str {
        match &self.0 {
            Inner::Parsed(event) => &event.data,
            #[cfg(feature = "bedrock")]
            Inner::Whole(data) => data,
        }
    }

    /// From a framing that is not text.
    #[cfg(feature = "bedrock")]
    pub(crate) fn whole(data: String) -> Self {
        Self(Inner::Whole(data))
    }
}

#[derive(Debug)]
pub(crate) enum SseError<E> {
    NotUtf8,
    TooLarge,
    #[cfg(feature = "bedrock")]
    BadFrame,
    Transport(E),
}

/// Events with data, in order. Comments, ids, event names and unknown fields are dropped: both wire
/// formats repeat the name inside the data.
pub(crate) fn events<S, E>(chunks: S) -> impl Stream<Item = Result<Event, SseError<E>>> + Unpin
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    capped(chunks, MAX_EVENT_BYTES)
}

fn capped<S, E>(chunks: S, cap: usize) -> impl Stream<Item = Result<Event, SseError<E>>> + Unpin
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    let unparsed = Arc::new(AtomicUsize::new(0));
    let counted = Counted { chunks, unparsed: Arc::clone(&unparsed), cap };
    EventStream::new(counted).map(move |event| {
        unparsed.store(0, Ordering::Relaxed);
        event.map(|event| Event(Inner::Parsed(event))).map_err(|error| match error {
            EventStreamError::Utf8Error(_) => SseError::NotUtf8,
            EventStreamError::Transport(error) => error,
        })
    })
}

/// Counts what went into the parser since an event last came out.
struct Counted<S> {
    chunks: S,
    unparsed: Arc<AtomicUsize>,
    cap: usize,
}

impl<S, E> Stream for Counted<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    type Item = Result<Bytes, SseError<E>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.chunks.poll_next_unpin(cx).map(|chunk| {
            Some(match chunk? {
                Ok(bytes) => {
                    let before = self.unparsed.fetch_add(bytes.len(), Ordering::Relaxed);
                    if before + bytes.len() > self.cap {
                        Err(SseError::TooLarge)
                    } else {
                        Ok(bytes)
                    }
                }
                Err(error) => Err(SseError::Transport(error)),
            })
        })
    }
}

#[cfg(test)]
mod tests;
