//! What goes to the server: messages in order, and which answer is waited for why.

use std::collections::HashMap;

use protocol::Request;
use serde::Serialize;
use serde_json::Value;

use super::message::{self, RpcError, ServerId};

/// More open requests than this means that the server has stopped answering.
const MOST_WAITING: usize = 512;

/// Messages for the server. `W` says what to do with an answer.
#[derive(Debug)]
pub(crate) struct Outbox<W> {
    messages: Vec<Vec<u8>>,
    waiting: HashMap<u64, W>,
    next: u64,
}

impl<W> Default for Outbox<W> {
    fn default() -> Self {
        Self { messages: Vec::new(), waiting: HashMap::new(), next: 1 }
    }
}

impl<W> Outbox<W> {
    /// False when too many requests are open already; then nothing is sent.
    pub fn request<R: Request>(&mut self, params: &R::Params, why: W) -> bool {
        self.call(R::METHOD, params, why)
    }

    /// A request of LSP itself, which the contract crate has no type for.
    pub fn lsp_request(&mut self, method: &str, params: &Value, why: W) -> bool {
        self.call(method, params, why)
    }

    pub fn lsp_notification(&mut self, method: &str, params: &Value) {
        self.messages.push(message::notification(method, params));
    }

    pub fn answer<R: Serialize>(&mut self, id: &ServerId, result: &R) {
        self.messages.push(message::answer(id, result));
    }

    pub fn refuse(&mut self, id: &ServerId, error: &RpcError) {
        self.messages.push(message::refusal(id, error));
    }

    /// Why the answer with this id was waited for.
    pub fn answered(&mut self, id: u64) -> Option<W> {
        self.waiting.remove(&id)
    }

    /// An answer is waited for that fits.
    pub fn waits_for(&self, fits: impl Fn(&W) -> bool) -> bool {
        self.waiting.values().any(fits)
    }

    /// No answer is waited for.
    pub fn is_answered(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What is to be written now, in order.
    pub fn drain(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.messages)
    }

    fn call<P: Serialize>(&mut self, method: &str, params: &P, why: W) -> bool {
        if self.waiting.len() >= MOST_WAITING {
            return false;
        }
        let id = self.next;
        self.next += 1;
        self.waiting.insert(id, why);
        self.messages.push(message::request(id, method, params));
        true
    }
}
