//! Listening to the two outputs of a process.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::capture::{Capture, Decoder};

const CHUNK: usize = 16 * 1024;

/// The reading end of one output.
pub(crate) struct Pipe<R> {
    reader: Option<R>,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    pub(crate) fn new(reader: Option<R>) -> Pipe<R> {
        Pipe { reader, buffer: vec![0; CHUNK] }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.reader.is_some()
    }

    /// The next piece; empty once, at the end, and after that never ready again. Loses nothing
    /// when it is dropped before it is ready.
    pub(crate) async fn read(&mut self) -> &[u8] {
        let Some(reader) = &mut self.reader else { return std::future::pending().await };
        // A pipe that cannot be read any more is a pipe that has ended.
        let length = reader.read(&mut self.buffer).await.unwrap_or(0);
        if length == 0 {
            self.reader = None;
        }
        self.buffer.get(..length).unwrap_or_default()
    }
}

/// Everything heard so far, as text.
pub(crate) struct Heard<F> {
    on_output: F,
    stdout: Stream,
    stderr: Stream,
    both: Capture,
}

struct Stream {
    decoder: Decoder,
    capture: Capture,
}

impl Stream {
    fn new(cap: usize) -> Stream {
        Stream { decoder: Decoder::default(), capture: Capture::new(cap) }
    }
}

impl<F: FnMut(&str)> Heard<F> {
    pub(crate) fn new(cap: usize, on_output: F) -> Heard<F> {
        Heard {
            on_output,
            stdout: Stream::new(cap),
            stderr: Stream::new(cap),
            both: Capture::new(cap),
        }
    }

    pub(crate) fn stdout(&mut self, chunk: &[u8]) {
        let text = decode(&mut self.stdout, chunk);
        self.tell(&text);
    }

    pub(crate) fn stderr(&mut self, chunk: &[u8]) {
        let text = decode(&mut self.stderr, chunk);
        self.tell(&text);
    }

    fn tell(&mut self, text: &str) {
        if !text.is_empty() {
            self.both.push(text);
            (self.on_output)(text);
        }
    }

    /// Standard output, standard error, and both in order of arrival.
    pub(crate) fn finish(mut self) -> (String, String, String) {
        // An empty piece marks the end; a pipe cut off early has not had one.
        self.stdout(&[]);
        self.stderr(&[]);
        (self.stdout.capture.finish(), self.stderr.capture.finish(), self.both.finish())
    }
}

fn decode(stream: &mut Stream, chunk: &[u8]) -> String {
    let text = if chunk.is_empty() { stream.decoder.finish() } else { stream.decoder.push(chunk) };
    stream.capture.push(&text);
    text
}
