//! Messages as lines of JSON, between us and a process.

use std::io;
use std::sync::Arc;

use futures::{Sink, SinkExt as _, Stream, StreamExt as _};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::{
    AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead, FramedWrite, LinesCodec,
};

use super::MESSAGE_CAP;
use crate::log::Log;

/// So much of what is no message is looked at.
const SHOWN: usize = 1000;

/// What the server says. A line that is no message is noted in its log and passed over; one that is
/// too long ends the stream, because somebody may wait for exactly that answer.
pub(super) fn incoming(
    output: impl AsyncRead + Send + Unpin + 'static,
    log: Arc<Log>,
) -> impl Stream<Item = RxJsonRpcMessage<RoleClient>> + Send + Unpin + 'static {
    let codec = AnyDelimiterCodec::new_with_max_length(b"\n".into(), b"\n".into(), MESSAGE_CAP);
    let messages = FramedRead::new(output, codec).scan(log, |log, line| {
        let next = match line {
            Ok(line) => Some(read_message(&line, log)),
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => {
                log.note("It sent a message of more than 16 MB, so the connection was closed.");
                None
            }
            Err(AnyDelimiterCodecError::Io(_)) => None,
        };
        std::future::ready(next)
    });
    Box::pin(messages.filter_map(std::future::ready))
}

/// What we say.
pub(super) fn outgoing(
    input: impl AsyncWrite + Send + Unpin + 'static,
) -> impl Sink<TxJsonRpcMessage<RoleClient>, Error = io::Error> + Send + Unpin + 'static {
    let lines = FramedWrite::new(input, LinesCodec::new());
    let send = |mut lines: FramedWrite<_, LinesCodec>, message| async move {
        // JSON as it is written here has no line breaks in it.
        let line = serde_json::to_string::<TxJsonRpcMessage<RoleClient>>(&message)?;
        lines.send(line).await.map_err(io::Error::other)?;
        Ok(lines)
    };
    Box::pin(futures::sink::unfold(lines, send))
}

/// One message, or nothing where the text is none.
pub(super) fn read_message(text: &[u8], log: &Log) -> Option<RxJsonRpcMessage<RoleClient>> {
    if text.trim_ascii().is_empty() {
        return None;
    }
    let message = serde_json::from_slice(text);
    message
        .inspect_err(|_| log.garbage(&String::from_utf8_lossy(&text[..text.len().min(SHOWN)])))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: impl Into<Vec<u8>>) -> (usize, Vec<String>) {
        let log = Arc::new(Log::default());
        let text: Vec<u8> = text.into();
        let count = incoming(io::Cursor::new(text), log.clone()).count().await;
        (count, log.lines())
    }

    #[tokio::test]
    async fn what_is_no_message_is_passed_over() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let (count, log) = read(format!("hello\n{ping}\n\n[1\n{ping}\r\n")).await;
        assert_eq!(count, 2);
        assert_eq!(log.len(), 2, "{log:?}");
        assert!(log[0].contains("hello"), "{log:?}");
    }

    #[tokio::test]
    async fn a_giant_line_ends_the_stream() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let giant = "x".repeat(MESSAGE_CAP + 1);
        let (count, log) = read(format!("{ping}\n{giant}\n{ping}\n")).await;
        assert_eq!(count, 1);
        assert!(log[0].contains("16 MB"), "{log:?}");
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_cost_one_line() {
        let mut bytes = vec![0xff, 0xfe, b'\n'];
        bytes.extend(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        bytes.push(b'\n');
        assert_eq!(read(bytes).await.0, 1);
    }
}
