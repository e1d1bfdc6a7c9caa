//! From the outbox to the pipe: everything that waits is put into the client's words and written at
//! once, in order.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::task::AbortHandle;

use super::client;
use super::peer::{Peer, SESSION_UPDATE};
use super::updates::Translator;
use crate::core::Outgoing;
use crate::doors::wire;

/// Ends when the outbox is closed and empty, or the pipe is broken.
pub(super) async fn run(peer: Arc<Peer>, mut pipe: impl AsyncWrite + Unpin) -> std::io::Result<()> {
    let mut translator = Translator::new(peer.clone());
    let mut questions = Questions { peer: peer.clone(), asked: HashMap::new() };
    let mut lines = Vec::new();
    loop {
        let batch = peer.door.outbox.take().await;
        if batch.is_empty() {
            return pipe.flush().await;
        }
        for message in batch {
            match message {
                Outgoing::Event(event) => {
                    translator.tell(&event).iter().for_each(|told| line(&mut lines, told));
                }
                Outgoing::Request { id, method, params } if client::is_ours(method) => {
                    questions.ask(id, method, params);
                }
                Outgoing::Notification { method: "$/cancelRequest", params } => {
                    questions.withdraw(&params).iter().for_each(|told| line(&mut lines, told));
                }
                Outgoing::Notification { method, .. } if method != SESSION_UPDATE => {}
                message => line(&mut lines, &message),
            }
        }
        pipe.write_all(&lines).await?;
        pipe.flush().await?;
        lines.clear();
        // One huge answer must not hold its memory for ever.
        if lines.capacity() > 1 << 20 {
            lines = Vec::new();
        }
    }
}

/// JSON has no newline outside of texts, and in texts it is escaped.
fn line(lines: &mut Vec<u8>, message: &Outgoing) {
    let before = lines.len();
    match wire::write(lines, message) {
        Ok(()) => lines.push(b'\n'),
        Err(error) => {
            tracing::error!(%error, "a message cannot be written");
            lines.truncate(before);
        }
    }
}

/// What the core wants to know of the client, by the core's own ids.
struct Questions {
    peer: Arc<Peer>,
    asked: HashMap<String, AbortHandle>,
}

#[derive(Deserialize)]
struct Withdrawn {
    id: String,
}

impl Questions {
    fn ask(&mut self, id: String, method: &'static str, params: Box<RawValue>) {
        self.asked.retain(|_, task| !task.is_finished());
        let (peer, key) = (self.peer.clone(), id.clone());
        let task = tokio::spawn(async move {
            let answer = client::ask(peer.clone(), method, params).await;
            peer.door.answered(&key, answer);
        });
        self.asked.insert(id, task.abort_handle());
    }

    /// A question of the core's: whoever translates it stops, and withdraws what it asked itself,
    /// which then comes by here under its own id.
    fn withdraw(&mut self, params: &RawValue) -> Option<Outgoing> {
        let withdrawn: Withdrawn = serde_json::from_str(params.get()).ok()?;
        if let Some(task) = self.asked.remove(&withdrawn.id) {
            task.abort();
            return None;
        }
        let params = to_raw_value(&json!({ "requestId": withdrawn.id })).ok()?;
        Some(Outgoing::Notification { method: "$/cancel_request", params })
    }
}
