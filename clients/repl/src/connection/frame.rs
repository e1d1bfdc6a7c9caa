//! LSP framing: `Content-Length: n`, an empty line, n bytes.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// Larger than anything the server sends; a length beyond it is damage, not a message.
const LARGEST: usize = 256 * 1024 * 1024;
/// A header line beyond this is not a header.
const LONGEST_HEADER: u64 = 4 * 1024;

/// Why the stream cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("the server's output broke off: {0}")]
    Io(#[from] std::io::Error),
    #[error("the server wrote something that is not a message: {0:?}")]
    Header(String),
}

/// Reads the next message into `body`; false at the end of the stream.
pub(crate) async fn read_frame(
    reader: &mut (impl AsyncBufRead + Unpin),
    body: &mut Vec<u8>,
) -> Result<bool, FrameError> {
    let mut length = None;
    let mut begun = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut *reader).take(LONGEST_HEADER).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Ok(false);
        }
        let text = line.trim_ascii_end();
        if text.is_empty() {
            match length {
                Some(length) => {
                    body.resize(length, 0);
                    reader.read_exact(body).await?;
                    return Ok(true);
                }
                None if begun => return Err(damaged(b"a header without a length")),
                None => continue,
            }
        }
        begun = true;
        if let Some(value) = header_value(text) {
            let parsed = std::str::from_utf8(value).ok().and_then(|v| v.trim().parse().ok());
            length = parsed.filter(|length| *length <= LARGEST);
            if length.is_none() {
                return Err(damaged(text));
            }
        } else if !is_header(text) {
            return Err(damaged(text));
        }
    }
}

fn damaged(text: &[u8]) -> FrameError {
    FrameError::Header(String::from_utf8_lossy(text).chars().take(200).collect())
}

/// A name and a colon; what is left of a message whose length was wrong is not.
fn is_header(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    name.len() < line.len() && !name.is_empty() && name.iter().all(in_name)
}

fn header_value(line: &[u8]) -> Option<&[u8]> {
    let name = b"content-length:";
    let (head, value) = line.split_at_checked(name.len())?;
    head.eq_ignore_ascii_case(name).then_some(value)
}

/// A message with its header.
pub(crate) fn framed(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_all(mut bytes: &[u8]) -> Result<Vec<String>, FrameError> {
        let mut messages = Vec::new();
        let mut body = Vec::new();
        while read_frame(&mut bytes, &mut body).await? {
            messages.push(String::from_utf8_lossy(&body).into_owned());
        }
        Ok(messages)
    }

    #[tokio::test]
    async fn reads_what_it_writes() {
        let mut stream = framed(b"{}");
        stream.extend(framed("é".as_bytes()));
        assert_eq!(read_all(&stream).await.expect("whole"), ["{}", "é"]);
    }

    #[tokio::test]
    async fn other_headers_and_case_are_fine() {
        let stream = b"Content-Type: x\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(read_all(stream).await.expect("whole"), ["{}"]);
    }

    #[tokio::test]
    async fn damage_is_an_error() {
        assert!(read_all(b"panicked at nothing\n").await.is_err());
        assert!(read_all(b"Content-Length: 5\r\n\r\n{}").await.is_err());
        // Nothing may make the client wait for good.
        for header in ["Content-Length: 99999999999", "Content-Length: -1", "Content-Type: x"] {
            assert!(
                read_all(format!("{header}\r\n\r\n{{}}").as_bytes()).await.is_err(),
                "{header}"
            );
        }
        assert!(read_all(b"Content-Length: 1\r\n\r\n{}Content-Length: 2\r\n\r\n{}").await.is_err());
    }
}
