//! Lines: one message each. What is too long is reported and skipped; only the end of the pipe ends
//! the reading.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// A message longer than this is not read but skipped: 50 MB of text, escaped, fits.
const LONGEST: u64 = 128 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Message(Vec<u8>),
    TooLong,
}

/// The next line that has something on it; `None` at the end of the pipe.
pub(super) async fn read(pipe: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<Line>> {
    read_up_to(pipe, LONGEST).await
}

async fn read_up_to(
    pipe: &mut (impl AsyncBufRead + Unpin),
    longest: u64,
) -> std::io::Result<Option<Line>> {
    let mut long = false;
    loop {
        let mut line = Vec::new();
        let read = (&mut *pipe).take(longest).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Ok(long.then_some(Line::TooLong));
        }
        let ended = line.last() == Some(&b'\n');
        if !ended && line.len() as u64 >= longest {
            long = true;
        } else if long {
            return Ok(Some(Line::TooLong));
        } else if !line.trim_ascii().is_empty() {
            return Ok(Some(Line::Message(line)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_line_costs_only_itself() {
        let mut pipe = tokio::io::BufReader::with_capacity(3, &b"one\n\r\nmuch too long\ntwo"[..]);
        let mut got = Vec::new();
        while let Some(line) = read_up_to(&mut pipe, 8).await.unwrap() {
            got.push(match line {
                Line::Message(line) => String::from_utf8(line).unwrap(),
                Line::TooLong => "long".to_owned(),
            });
        }
        assert_eq!(got, ["one\n", "long", "two"]);
    }
}
