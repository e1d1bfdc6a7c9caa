//! The server as a child process: its start, its two pipes, its end.
//!
//! A reader task turns frames into [`Incoming`] values, a writer task takes framed bytes; both
//! queues are bounded, so a server that floods us waits for us. What the messages mean is the
//! business of `app`.
#![expect(
    clippy::disallowed_methods,
    reason = "the client starts its one server, here and nowhere else"
)]

mod frame;
mod message;
mod outbox;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(crate) use message::{Incoming, RpcError, ServerId, parse};
pub(crate) use outbox::Outbox;

/// Messages that may wait in either direction.
const QUEUE: usize = 1024;
/// How much of the server's last words is kept.
const STDERR_LINES: usize = 12;
/// How long the server may take over each step of its end.
const PATIENCE: Duration = Duration::from_secs(2);

/// How to start the server.
pub(crate) struct ServerCommand<'a> {
    pub argv: &'a [OsString],
    pub env: &'a [(OsString, OsString)],
    pub cwd: &'a Path,
}

pub(crate) struct Connection {
    incoming: mpsc::Receiver<Incoming>,
    /// `None` once the server has been told to go.
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
    child: Option<Child>,
}

struct Child {
    process: Box<dyn ChildWrapper>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    stderr_reader: JoinHandle<()>,
}

impl Connection {
    /// Starts the server in a process group of its own, so that a Ctrl-C in the terminal reaches
    /// us and not it.
    pub fn start(command: &ServerCommand<'_>) -> Result<Self> {
        let (program, arguments) =
            command.argv.split_first().context("no server command was given")?;
        let mut process = tokio::process::Command::new(program);
        process
            .args(arguments)
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .current_dir(command.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut wrapped = CommandWrap::from(process);
        wrapped.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
        let mut process = wrapped
            .spawn()
            .with_context(|| format!("cannot start the server `{}`", program.to_string_lossy()))?;
        let missing = "the server was started without its pipes";
        let stdin = process.stdin().take().context(missing)?;
        let stdout = process.stdout().take().context(missing)?;
        let stderr = process.stderr().take().context(missing)?;
        let mut connection = Self::over(stdout, stdin);
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let stderr_reader = tokio::spawn(keep_last_lines(stderr, Arc::clone(&kept)));
        connection.child = Some(Child { process, stderr: kept, stderr_reader });
        Ok(connection)
    }

    /// A connection over any two streams.
    pub fn over(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Self {
        let (in_sender, incoming) = mpsc::channel(QUEUE);
        let (outgoing, out_receiver) = mpsc::channel(QUEUE);
        tokio::spawn(read_messages(reader, in_sender));
        let writer = tokio::spawn(write_messages(writer, out_receiver));
        Self { incoming, outgoing: Some(outgoing), writer, child: None }
    }

    /// The next message; `Closed` for ever once the connection is over.
    pub async fn next(&mut self) -> Incoming {
        self.incoming.recv().await.unwrap_or(Incoming::Closed(None))
    }

    /// A message that is already here.
    pub fn try_next(&mut self) -> Option<Incoming> {
        self.incoming.try_recv().ok()
    }

    /// Hands messages to the writer. False when the server no longer takes them.
    pub fn send(&mut self, messages: Vec<Vec<u8>>) -> bool {
        let Some(outgoing) = &self.outgoing else { return false };
        messages.into_iter().all(|body| outgoing.try_send(frame::framed(&body)).is_ok())
    }

    /// The server's last words on stderr, for the sentence that says why it died.
    pub async fn last_words(&mut self) -> Vec<String> {
        let Some(child) = &mut self.child else { return Vec::new() };
        // The pipe may still hold the end of a backtrace.
        let _ = timeout(Duration::from_millis(300), &mut child.stderr_reader).await;
        let kept = child.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().cloned().collect()
    }

    /// `shutdown`, `exit`, end of input, and a kill if none of these helped.
    pub async fn shut_down(mut self) {
        const SHUTDOWN: u64 = u64::MAX;
        if self.send(vec![message::request(SHUTDOWN, "shutdown", &Value::Null)]) {
            let answered = async {
                loop {
                    match self.incoming.recv().await {
                        Some(Incoming::Answer { id: SHUTDOWN, .. }) | None => break,
                        Some(_) => {}
                    }
                }
            };
            let _ = timeout(PATIENCE, answered).await;
            self.send(vec![message::notification("exit", &Value::Null)]);
        }
        // Dropping the sender lets the writer finish and close the pipe.
        self.outgoing = None;
        let _ = timeout(PATIENCE, &mut self.writer).await;
        if let Some(mut child) = self.child.take()
            && timeout(PATIENCE, child.process.wait()).await.is_err()
        {
            let _ = timeout(PATIENCE, Box::into_pin(child.process.kill())).await;
        }
    }
}

async fn read_messages(reader: impl AsyncRead + Unpin, sender: mpsc::Sender<Incoming>) {
    let mut reader = BufReader::with_capacity(64 * 1024, reader);
    let mut body = Vec::new();
    let reason = loop {
        match frame::read_frame(&mut reader, &mut body).await {
            Ok(true) => {
                let Some(incoming) = parse(&body) else { continue };
                if sender.send(incoming).await.is_err() {
                    return;
                }
            }
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    // Nobody is left to hear it when the client is gone too.
    let _ = sender.send(Incoming::Closed(reason)).await;
}

async fn write_messages(mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(frame) = queue.recv().await {
        if writer.write_all(&frame).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
    let _ = writer.shutdown().await;
}

async fn keep_last_lines(stderr: impl AsyncRead + Unpin, kept: Arc<Mutex<VecDeque<String>>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line).await, Ok(read) if read > 0) {
        let text = String::from_utf8_lossy(&line).trim_end().chars().take(500).collect();
        line.clear();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(text);
        if kept.len() > STDERR_LINES {
            kept.pop_front();
        }
    }
}
