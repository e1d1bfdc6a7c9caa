//! Frames: a header with the length, then that many bytes. What is malformed is reported and
//! skipped; only the end of the pipe ends the reading.

mod decoder;
mod header;

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;

pub(in crate::doors) use decoder::Frame;
use decoder::FrameDecoder;

const CHUNK: usize = 64 * 1024;
/// A client writes a message in one go. After a pause like this in the middle of one, its announced
/// length may be wrong.
const IDLE: Duration = Duration::from_secs(5);

/// Reads the messages of a client.
pub(in crate::doors) struct FrameReader<R> {
    pipe: R,
    decoder: FrameDecoder,
    chunk: Vec<u8>,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(in crate::doors) fn new(pipe: R) -> Self {
        Self { pipe, decoder: FrameDecoder::default(), chunk: vec![0; CHUNK] }
    }

    /// The next frame; `None` at the end of the pipe, also in the middle of a frame.
    pub(in crate::doors) async fn read(&mut self) -> std::io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.decoder.next() {
                return Ok(Some(frame));
            }
            let reading = self.pipe.read(&mut self.chunk);
            let count = if self.decoder.is_inside_body() {
                match timeout(IDLE, reading).await {
                    Ok(count) => count?,
                    Err(_) => match self.decoder.on_idle() {
                        Some(frame) => return Ok(Some(frame)),
                        None => continue,
                    },
                }
            } else {
                reading.await?
            };
            match self.chunk.get(..count) {
                Some(bytes) if count > 0 => self.decoder.push(bytes),
                _ => return Ok(None),
            }
        }
    }
}
