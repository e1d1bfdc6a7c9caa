//! From the outbox to the pipe: everything that waits is written at once, in order.

use std::sync::Arc;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::plain::Translator;
use crate::core::{Door, Outgoing};
use crate::doors::wire;

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
                    if let Err(error) = wire::write(&mut body, &message) {
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
