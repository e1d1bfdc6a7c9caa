//! Frames: a header with the length, then that many bytes. What is malformed is reported and
//! skipped; only the end of the pipe ends the reading.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// A message longer than this is not read but skipped: 50 MB of text, escaped, fits.
const MAX_LENGTH: usize = 128 * 1024 * 1024;
/// A header line has a word and a number in it.
const MAX_HEADER: u64 = 4096;

#[derive(Debug, PartialEq, Eq)]
pub(in crate::doors) enum Frame {
    Message(Vec<u8>),
    /// One sentence about what was wrong.
    Malformed(String),
}

/// The next frame; `None` at the end of the pipe, also in the middle of a frame.
pub(in crate::doors) async fn read(
    pipe: &mut (impl AsyncBufRead + Unpin),
) -> std::io::Result<Option<Frame>> {
    let mut length = None;
    let mut problem = None;
    let mut any = false;
    loop {
        let mut line = Vec::new();
        let read = (&mut *pipe).take(MAX_HEADER).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            // Empty lines between frames hurt nobody.
            if any {
                break;
            }
            continue;
        }
        any = true;
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                match value.trim().parse::<usize>() {
                    Ok(bytes) => length = Some(bytes),
                    Err(_) => problem = Some(format!("{:?} is not a length.", value.trim())),
                }
            }
            Some((name, _)) if name.eq_ignore_ascii_case("content-type") => {}
            _ => problem = Some("A header line is neither Content-Length nor Content-Type.".into()),
        }
    }
    match (length, problem) {
        (Some(length), _) if length > MAX_LENGTH => {
            skip(pipe, length).await?;
            Ok(Some(Frame::Malformed(format!("A message of {length} bytes is too long."))))
        }
        (Some(length), None) => {
            let mut body = vec![0; length];
            match pipe.read_exact(&mut body).await {
                Ok(_) => Ok(Some(Frame::Message(body))),
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
                Err(error) => Err(error),
            }
        }
        (Some(length), Some(problem)) => {
            skip(pipe, length).await?;
            Ok(Some(Frame::Malformed(problem)))
        }
        (None, problem) => {
            let problem = problem.unwrap_or_else(|| "A frame has no Content-Length.".to_owned());
            Ok(Some(Frame::Malformed(problem)))
        }
    }
}

async fn skip(pipe: &mut (impl AsyncBufRead + Unpin), length: usize) -> std::io::Result<()> {
    tokio::io::copy(&mut (&mut *pipe).take(length as u64), &mut tokio::io::sink()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn frames(bytes: &[u8]) -> Vec<Frame> {
        let mut pipe = tokio::io::BufReader::with_capacity(7, bytes);
        let mut frames = Vec::new();
        while let Some(frame) = read(&mut pipe).await.unwrap() {
            frames.push(frame);
        }
        frames
    }

    #[tokio::test]
    async fn a_bad_frame_costs_only_itself() {
        let got = frames(
            b"Content-Length: 2\r\n\r\n{}Content-Length: x\r\n\r\n\r\nNonsense\r\nContent-Length: 3\r\n\r\nabc\
              Content-Type: utf-8\r\ncontent-length: 1\r\n\r\n7Content-Length: 9\r\n\r\nshort",
        )
        .await;
        let message = |text: &str| Frame::Message(text.as_bytes().to_vec());
        assert_eq!(got.len(), 4);
        assert_eq!(got[0], message("{}"));
        assert!(matches!(got[1], Frame::Malformed(_)));
        assert!(matches!(got[2], Frame::Malformed(_)));
        assert_eq!(got[3], message("7"));
    }
}
