//! From the outbox to the pipe: everything that waits is written at once, in order.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::plain::Translator;
use crate::core::{Door, Outgoing, RpcError};

#[derive(Serialize)]
struct Call<'a, P: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    method: &'a str,
    params: P,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RpcError>,
}

/// Ends when the outbox is closed and empty, or the pipe is broken.
pub(super) async fn run(door: Arc<Door>, mut pipe: impl AsyncWrite + Unpin) -> std::io::Result<()> {
    let mut plain = Translator::default();
    let mut body = Vec::new();
    let mut frames = Vec::new();
    loop {
        let batch = door.outbox.take().await;
        if batch.is_empty() {
            return pipe.flush().await;
        }
        for message in batch {
            body.clear();
            match (&message, door.profile().agent.version) {
                // A client that does not know our events is told by standard means.
                (Outgoing::Event(event), 0) => {
                    plain.tell(&door, event);
                    continue;
                }
                // Not for editors: nobody sends it to a door that does not ask for it.
                (Outgoing::Verbatim(_), _) => continue,
                _ => {
                    if let Err(error) = write(&mut body, &message) {
                        tracing::error!(%error, "a message cannot be written");
                        continue;
                    }
                }
            }
            frames.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
            frames.extend_from_slice(&body);
        }
        pipe.write_all(&frames).await?;
        pipe.flush().await?;
        frames.clear();
        // One huge answer must not hold its memory for ever.
        if frames.capacity() > 1 << 20 {
            frames = Vec::new();
            body = Vec::new();
        }
    }
}

fn write(body: &mut Vec<u8>, message: &Outgoing) -> serde_json::Result<()> {
    const JSONRPC: &str = "2.0";
    match message {
        Outgoing::Response { id, result } => {
            let (result, error) = match result {
                Ok(result) => (Some(&**result), None),
                Err(error) => (None, Some(error)),
            };
            serde_json::to_writer(body, &Answer { jsonrpc: JSONRPC, id, result, error })
        }
        Outgoing::Request { id, method, params } => {
            serde_json::to_writer(body, &Call { jsonrpc: JSONRPC, id: Some(id), method, params })
        }
        Outgoing::Notification { method, params } => {
            serde_json::to_writer(body, &Call { jsonrpc: JSONRPC, id: None, method, params })
        }
        Outgoing::Verbatim(_) => Ok(()),
        Outgoing::Event(event) => {
            let method = <protocol::event::EventNotification as protocol::Notification>::METHOD;
            let params = &**event;
            serde_json::to_writer(body, &Call { jsonrpc: JSONRPC, id: None, method, params })
        }
    }
}
