//! A server that a test leads by hand: it reads what the client sends and says what it is told.

use std::time::Duration;

use protocol::session::{Config, Mode, SessionNewResult};
use protocol::{Event, EventBody};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};

use crate::connection::Connection;

/// A client that stays silent this long fails its test instead of holding it up.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct FakeServer {
    reader: ReadHalf<DuplexStream>,
    writer: WriteHalf<DuplexStream>,
    buffer: Vec<u8>,
    seq: u64,
}

/// A connected pair.
pub(crate) fn connect() -> (Connection, FakeServer) {
    let (client, server) = tokio::io::duplex(1 << 20);
    let (client_reader, client_writer) = tokio::io::split(client);
    let (reader, writer) = tokio::io::split(server);
    let connection = Connection::over(client_reader, client_writer);
    (connection, FakeServer { reader, writer, buffer: Vec::new(), seq: 0 })
}

pub(crate) fn config(mode: Mode) -> Config {
    Config {
        mode,
        model: "rehearsal".into(),
        effort: None,
        thinking: None,
        max_thinking_tokens: None,
        output_style: None,
    }
}

impl FakeServer {
    /// The next message of the client.
    pub async fn receive(&mut self) -> Value {
        loop {
            if let Some(message) = self.take_message() {
                return message;
            }
            let read = self.reader.read_buf(&mut self.buffer);
            let read =
                tokio::time::timeout(PATIENCE, read).await.expect("the client says something");
            let read = read.expect("the client is there");
            assert!(read > 0, "the client has closed the connection");
        }
    }

    fn take_message(&mut self) -> Option<Value> {
        let text = std::str::from_utf8(&self.buffer).ok()?;
        let (header, body) = text.split_once("\r\n\r\n")?;
        let length: usize = header.strip_prefix("Content-Length: ")?.parse().ok()?;
        let body = body.as_bytes().get(..length)?;
        let message = serde_json::from_slice(body).expect("the client writes JSON");
        let whole = header.len() + 4 + length;
        self.buffer.drain(..whole);
        Some(message)
    }

    /// Waits for a request and gives its id and parameters.
    pub async fn expect(&mut self, method: &str) -> (Value, Value) {
        loop {
            let message = self.receive().await;
            // Completion is asked with every key; most tests are not about it.
            if message["method"] == "agent/complete" && method != "agent/complete" {
                continue;
            }
            assert_eq!(message["method"], method, "{message}");
            return (message["id"].clone(), message["params"].clone());
        }
    }

    pub async fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.writer.write_all(frame.as_bytes()).await.expect("the client is there");
    }

    pub async fn answer(&mut self, id: Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }

    pub async fn event(&mut self, body: impl Into<EventBody>) {
        self.seq += 1;
        let event = Event::new("s1", self.seq, 0, body);
        self.send(&json!({"jsonrpc": "2.0", "method": "agent/event", "params": event})).await;
    }

    /// The handshake and a new session.
    pub async fn start(&mut self) {
        let (id, params) = self.expect("initialize").await;
        assert_eq!(params["capabilities"]["experimental"]["agent"]["permission"], true);
        let models = json!([
            {"id": "rehearsal", "name": "Rehearsal", "provider": "rehearsal"},
            {"id": "big", "name": "Big", "provider": "anthropic"},
        ]);
        let agent = json!({"version": 1, "features": {}, "stateDir": "/s", "models": models});
        self.answer(id, json!({"capabilities": {"experimental": {"agent": agent}}})).await;
        self.expect("initialized").await;
        self.new_session().await;
    }

    pub async fn new_session(&mut self) {
        let (id, _) = self.expect("agent/session/new").await;
        let result = SessionNewResult {
            session_id: "s1".into(),
            seq: 0,
            config: config(Mode::Default),
            commands: vec![protocol::session::Command {
                name: "model".into(),
                description: "pick the model".into(),
                argument_hint: None,
                source: None,
            }],
            agents: Vec::new(),
        };
        self.seq = 0;
        self.answer(id, serde_json::to_value(result).expect("plain data")).await;
    }

    /// Accepts a prompt that starts a turn and gives its text.
    pub async fn accept_prompt(&mut self, message: &str) -> String {
        let (id, params) = self.expect("agent/session/prompt").await;
        let result = json!({"messageId": message, "turnId": "t1", "disposition": "started"});
        self.answer(id, result).await;
        params["content"][0]["text"].as_str().expect("text").to_owned()
    }
}
