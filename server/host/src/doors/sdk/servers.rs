//! MCP servers that live in the host: each message goes through the control channel and back
//! (`mcp_message`).

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::asks::MCP_MESSAGE;
use mcp::SdkLine;

use crate::core::{Asked, ClientLine, ClientServers, Door, RpcError, client_line};

/// A call has a deadline of its own, and nobody waits longer than this.
const ANSWER_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) struct HostServers {
    door: Arc<Door>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    names: BTreeSet<String>,
    /// Where what a server says by itself goes.
    lines: HashMap<String, mpsc::Sender<Value>>,
}

impl HostServers {
    pub(super) fn new(door: Arc<Door>) -> Arc<Self> {
        Arc::new(Self { door, known: Mutex::default() })
    }

    /// The host has these, and no others.
    pub(super) fn set(&self, names: impl IntoIterator<Item = String>) {
        self.known().names = names.into_iter().collect();
    }

    /// Something that a server says by itself.
    pub(super) async fn said(&self, server: &str, message: Value) -> Result<(), String> {
        let line = self.known().lines.get(server).cloned();
        let line = line.ok_or_else(|| format!("There is no connection to a server {server:?}."))?;
        line.send(message).await.map_err(|_| format!("The connection to {server:?} has ended."))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientServers for HostServers {
    fn names(&self) -> Vec<String> {
        self.known().names.iter().cloned().collect()
    }

    fn line(&self, server: &str) -> Option<SdkLine> {
        let (hub, door) = client_line();
        self.known().lines.insert(server.to_owned(), door.to_hub.clone());
        tokio::spawn(carry(self.door.clone(), server.to_owned(), door));
        Some(hub)
    }
}

/// Until the hub hangs up. Messages leave in their order; nobody waits for anybody else's answer.
async fn carry(door: Arc<Door>, server: String, line: ClientLine) {
    let ClientLine { mut from_hub, to_hub } = line;
    while let Some(message) = from_hub.recv().await {
        let id = message.get("id").filter(|_| message.get("method").is_some()).cloned();
        let question = json!({ "server_name": server, "message": message });
        let asked = door.ask(MCP_MESSAGE, &question);
        tokio::spawn(answer(asked, id, to_hub.clone()));
    }
}

/// What is only told gets an answer, too, which means nothing.
async fn answer(asked: Asked, id: Option<Value>, to_hub: mpsc::Sender<Value>) {
    let answer = asked.answer::<Value>(ANSWER_WITHIN).await;
    let Some(id) = id else { return };
    let mut reply = match answer {
        Ok(mut answer) if answer["mcp_response"].is_object() => answer["mcp_response"].take(),
        Ok(_) => failure("The host's answer has no mcp_response."),
        Err(error) => failure(&error.message),
    };
    reply["jsonrpc"] = "2.0".into();
    reply["id"] = id;
    let _ = to_hub.send(reply).await;
}

fn failure(message: &str) -> Value {
    json!({ "error": { "code": RpcError::INTERNAL, "message": message } })
}
