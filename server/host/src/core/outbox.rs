//! What waits to be sent through one door: a single queue, so that wire order is push order.
//!
//! Pushing never waits, because the main loop pushes. Those who may wait (a session with a long
//! answer to tell) ask for [`Outbox::room`] first; that is the back-pressure, and while they wait,
//! what the model says piles up in fewer, larger pieces.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::Notify;

use super::rpc::RpcResult;

/// One message to the other side.
#[derive(Debug)]
pub enum Outgoing {
    Response {
        id: Box<RawValue>,
        result: RpcResult,
    },
    Request {
        id: String,
        method: &'static str,
        params: Box<RawValue>,
    },
    Notification {
        method: &'static str,
        params: Box<RawValue>,
    },
    Event(std::sync::Arc<protocol::Event>),
    /// Only for doors whose [`Profile`](super::Profile) wants every word.
    Verbatim(std::sync::Arc<crate::session::Verbatim>),
}

/// Sessions wait while more than this is queued. Few, because an answer to a key stroke goes out
/// behind them; what the model says meanwhile comes in larger pieces.
const HIGH_WATER: usize = 128;
/// What is only nice to know is left out while more than this is.
const BEHIND: usize = 64;
/// A client that reads nothing for this long is treated as gone by those who wait for room.
const STALLED: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct Outbox {
    queue: Mutex<VecDeque<Outgoing>>,
    closed: AtomicBool,
    filled: Notify,
    drained: Notify,
}

impl Outbox {
    fn queue(&self) -> MutexGuard<'_, VecDeque<Outgoing>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After [`Outbox::close`] there is nobody to tell: the message is dropped.
    pub fn push(&self, message: Outgoing) {
        if self.is_closed() {
            return;
        }
        self.queue().push_back(message);
        self.filled.notify_one();
    }

    /// Waits until the other side has caught up; `false` when it is gone or does not read.
    pub async fn room(&self) -> bool {
        if self.waiting() < HIGH_WATER {
            return !self.is_closed();
        }
        let wait = async {
            loop {
                let drained = self.drained.notified();
                if self.is_closed() || self.waiting() < HIGH_WATER {
                    return;
                }
                drained.await;
            }
        };
        tokio::time::timeout(STALLED, wait).await.is_ok() && !self.is_closed()
    }

    /// Everything that waits, at once; empty only when the outbox was closed.
    pub async fn take(&self) -> VecDeque<Outgoing> {
        loop {
            let filled = self.filled.notified();
            let taken = std::mem::take(&mut *self.queue());
            if !taken.is_empty() {
                self.drained.notify_waiters();
                return taken;
            }
            if self.is_closed() {
                return taken;
            }
            filled.await;
        }
    }

    pub fn waiting(&self) -> usize {
        self.queue().len()
    }

    pub fn is_behind(&self) -> bool {
        self.waiting() > BEHIND
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// What is queued may still be taken; nothing more is accepted.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.filled.notify_one();
        self.drained.notify_waiters();
    }
}
