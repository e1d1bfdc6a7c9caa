//! The server as tests use it: on a free port, with everything it was asked kept for inspection.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::handler::Handler;
use super::{Brain, run};
use crate::env::Env;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Captured {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
    /// When its head was here; reading and checking the body is the server's time, not the client's.
    pub at: Instant,
}

/// What the handler writes down for the test.
#[derive(Clone)]
pub(super) struct Recorder {
    requests: Arc<Mutex<Vec<Captured>>>,
    answered: Arc<Mutex<Vec<Instant>>>,
    hung_up: watch::Sender<usize>,
    connections: Arc<AtomicUsize>,
}

impl Recorder {
    pub(super) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn record(&self, request: Captured) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    }

    pub(super) fn answered(&self) {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
    }

    pub(super) fn client_hung_up(&self) {
        self.hung_up.send_modify(|count| *count += 1);
    }
}

/// A model server on 127.0.0.1 for the length of a test; dropping it stops it.
pub struct TestServer {
    url: String,
    recorder: Recorder,
    task: JoinHandle<io::Result<()>>,
}

impl TestServer {
    pub async fn spawn(brain: Brain) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let recorder = Recorder {
            requests: Arc::default(),
            answered: Arc::default(),
            hung_up: watch::Sender::new(0),
            connections: Arc::default(),
        };
        let handler = Handler::new(brain, Some(recorder.clone()));
        let task = tokio::spawn(run(listener, handler, std::future::pending()));
        Ok(Self { url, recorder, task })
    }

    /// The base address, without `/v1`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// An environment that leads the Anthropic provider here.
    pub fn env(&self) -> Env {
        Env::from([("ANTHROPIC_BASE_URL", self.url()), ("ANTHROPIC_API_KEY", "test")])
    }

    /// Every request so far that carried JSON, in order of arrival.
    pub fn requests(&self) -> Vec<Captured> {
        self.recorder.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same, forgotten here: a long run would hold every request of it.
    pub fn take_requests(&self) -> Vec<Captured> {
        let mut requests = self.recorder.requests.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut requests)
    }

    /// When the last byte of each streamed answer was handed over, in that order.
    pub fn answered(&self) -> Vec<Instant> {
        self.recorder.answered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many connections were opened.
    pub fn connections(&self) -> usize {
        self.recorder.connections.load(Ordering::Relaxed)
    }

    /// Waits until this many clients have gone away in the middle of an answer.
    pub async fn hung_up(&self, count: usize) {
        let mut seen = self.recorder.hung_up.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        if let Err(error) = seen.wait_for(|seen| *seen >= count).await {
            tracing::debug!(%error, "the recorder is gone");
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
