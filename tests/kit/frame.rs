//! LSP's framing, written a second time: the server's own would hide the server's mistakes.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

pub fn encode(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The next message; `None` at the end of the pipe. Anything between frames fails the test.
pub async fn read_frame(pipe: &mut (impl AsyncBufRead + Unpin)) -> Option<Value> {
    let mut header = Vec::new();
    if pipe.read_until(b'\n', &mut header).await.ok()? == 0 {
        return None;
    }
    let header = String::from_utf8(header).unwrap();
    let length = header.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n"));
    let length = length.and_then(|length| length.parse::<usize>().ok());
    let length = length.unwrap_or_else(|| panic!("stdout carries {header:?} between frames"));
    let mut blank = [0; 2];
    pipe.read_exact(&mut blank).await.ok()?;
    assert_eq!(&blank, b"\r\n");
    let mut body = vec![0; length];
    pipe.read_exact(&mut body).await.ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
