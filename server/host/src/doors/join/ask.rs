//! Asking a server that runs what goes on in it, as any client would.

use std::io;
use std::time::Duration;

use protocol::Request as _;
use protocol::session::{SessionInfo, SessionList, SessionListResult};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;

use crate::doors::lsp::frame::{Frame, FrameReader};

const ANSWER_WITHIN: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Answer {
    id: Option<u32>,
    result: Option<Box<RawValue>>,
}

/// The sessions that are open in a server, the one used last first.
pub async fn live_sessions(stream: UnixStream) -> io::Result<Vec<SessionInfo>> {
    let listed = tokio::time::timeout(ANSWER_WITHIN, list(stream)).await;
    let mut sessions = listed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
    sessions.retain(|session| session.live);
    Ok(sessions)
}

async fn list(stream: UnixStream) -> io::Result<Vec<SessionInfo>> {
    let (input, mut output) = stream.into_split();
    let mut input = FrameReader::new(input);
    let capabilities = json!({ "experimental": { "agent": { "version": protocol::VERSION } } });
    let hello = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
    let calls = [("initialize", hello), (SessionList::METHOD, json!({}))];
    for (id, (method, params)) in calls.into_iter().enumerate() {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let body = to_raw_value(&call)?;
        let head = format!("Content-Length: {}\r\n\r\n", body.get().len());
        output.write_all(head.as_bytes()).await?;
        output.write_all(body.get().as_bytes()).await?;
    }
    while let Some(frame) = input.read().await? {
        let Frame::Message(bytes) = frame else { continue };
        let answer: Answer = serde_json::from_slice(&bytes)?;
        if let (Some(1), Some(result)) = (answer.id, answer.result) {
            let listed: SessionListResult = serde_json::from_str(result.get())?;
            return Ok(listed.sessions);
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}
