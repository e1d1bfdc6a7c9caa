//! What the network does to an answer on its way: slows it down, cuts it off.

use std::pin::Pin;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, Stream};
use hyper::body::Frame;

use super::play::BrokenOff;
use crate::scenario::{End, Wire};

type Item = Result<Frame<Bytes>, BrokenOff>;

struct Shaped {
    answer: Pin<Box<dyn Stream<Item = Item> + Send>>,
    wire: Wire,
    waiting: Bytes,
    sent: usize,
}

pub(super) fn shaped(
    answer: impl Stream<Item = Item> + Send + 'static,
    wire: Wire,
) -> impl Stream<Item = Item> + Send + 'static {
    let shaped = Shaped { answer: Box::pin(answer), wire, waiting: Bytes::new(), sent: 0 };
    stream::unfold(shaped, |mut shaped| async move {
        let item = shaped.next().await?;
        Some((item, shaped))
    })
}

impl Shaped {
    async fn next(&mut self) -> Option<Item> {
        let mut most = usize::MAX;
        if let Some((at, end)) = self.wire.end_at {
            most = at.saturating_sub(self.sent);
            if most == 0 {
                return self.end(end).await;
            }
        }
        while self.waiting.is_empty() {
            match self.answer.next().await? {
                Ok(frame) => self.waiting = frame.into_data().unwrap_or_default(),
                broken => return Some(broken),
            }
        }
        if let Some((bytes, every)) = self.wire.drip {
            most = most.min(bytes.max(1));
            if self.sent > 0 {
                tokio::time::sleep(every).await;
            }
        }
        let piece = self.waiting.split_to(most.min(self.waiting.len()));
        self.sent += piece.len();
        Some(Ok(Frame::data(piece)))
    }

    async fn end(&mut self, end: End) -> Option<Item> {
        // The server flushes only when there is nothing to do for a moment.
        tokio::task::yield_now().await;
        match end {
            End::Truncate => None,
            End::Reset => Some(Err(BrokenOff)),
        }
    }
}
