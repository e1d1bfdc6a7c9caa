//! The transport: reads lines, hands each message to the front in its order, and ends with the pipe.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};

use super::front;
use super::lines::{self, Line};
use super::peer::Peer;
use super::writer;
use crate::context::HostContext;
use crate::core::{CoreHandle, Door, Event, RpcError};
use crate::doors::lsp::close_sessions;
use crate::doors::message::{self, Incoming};

/// Serves one client until it leaves. Its sessions are closed then, their journals written.
pub async fn serve(
    host: Arc<HostContext>,
    core: CoreHandle,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) {
    let door = Door::new();
    let peer = Arc::new(Peer::new(door.clone(), core.clone(), host));
    let mut written = tokio::spawn(writer::run(peer.clone(), output));
    let mut input = BufReader::with_capacity(1 << 16, input);
    loop {
        let line = tokio::select! {
            line = lines::read(&mut input) => line,
            _ = &mut written => break,
        };
        let message = match line {
            Ok(Some(Line::Message(bytes))) => message::parse(&bytes),
            Ok(Some(Line::TooLong)) => {
                let error = RpcError::new(RpcError::PARSE, "The message is too long.");
                Incoming::Invalid { id: None, error }
            }
            Ok(None) | Err(_) => break,
        };
        front::hear(&peer, message).await;
    }
    door.close();
    core.send(Event::DoorClosed(door.id)).await;
    close_sessions(&core).await;
    if !written.is_finished() {
        // What was queued before the end is still delivered to a client that reads.
        let _ = tokio::time::timeout(Duration::from_secs(2), written).await;
    }
}
