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
    /// How long a call may take, where the host says so.
    patience: HashMap<String, Duration>,
    /// What the host has heard from a server already, for the next time that it is greeted.
    manifests: HashMap<String, Manifest>,
}

/// What a server answers to a greeting, and which tools it has.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    greeting: Value,
    tools: Option<Value>,
}

impl Manifest {
    /// `None` where it is not what a server would say.
    pub(super) fn read(manifest: &Value) -> Option<Manifest> {
        let object = |key: &str| manifest.get(key).filter(|value| value.is_object()).cloned();
        Some(Manifest { greeting: object("initializeResult")?, tools: object("toolsListResult") })
    }

    pub(super) fn version(&self) -> Option<&str> {
        self.greeting["protocolVersion"].as_str()
    }

    /// The answer to a message of the beginning; an empty one for what needs none.
    fn answer(&mut self, message: &Value) -> Option<Option<Value>> {
        match message["method"].as_str()? {
            "initialize" => Some(Some(self.greeting.clone())),
            "notifications/initialized" => Some(None),
            "tools/list" => Some(Some(self.tools.take()?)),
            _ => None,
        }
    }
}

impl HostServers {
    pub(super) fn new(door: Arc<Door>) -> Arc<Self> {
        Arc::new(Self { door, known: Mutex::default() })
    }

    /// The host has these, and no others.
    pub(super) fn set(&self, names: impl IntoIterator<Item = String>) {
        self.known().names = names.into_iter().collect();
    }

    /// How long calls of a server may take.
    pub(super) fn set_patience(&self, server: &str, patience: Duration) {
        self.known().patience.insert(server.to_owned(), patience);
    }

    /// The next greeting of this server is answered with what the host heard. False where there is a
    /// connection already.
    pub(super) fn park(&self, server: &str, manifest: Manifest) -> bool {
        let mut known = self.known();
        let connected = known.lines.get(server).is_some_and(|line| !line.is_closed());
        if !connected {
            known.manifests.insert(server.to_owned(), manifest);
        }
        !connected
    }

    /// Whether a server lives in the host.
    pub(super) fn is_one(&self, name: &str) -> bool {
        self.known().names.contains(name)
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
        let mut known = self.known();
        known.lines.insert(server.to_owned(), door.to_hub.clone());
        let manifest = known.manifests.remove(server);
        let patience = known.patience.get(server).copied();
        drop(known);
        tokio::spawn(carry(self.door.clone(), server.to_owned(), door, manifest, patience));
        Some(hub)
    }
}

/// Until the hub hangs up. Messages leave in their order; nobody waits for anybody else's answer.
async fn carry(
    door: Arc<Door>,
    server: String,
    line: ClientLine,
    mut manifest: Option<Manifest>,
    patience: Option<Duration>,
) {
    let ClientLine { mut from_hub, to_hub } = line;
    while let Some(message) = from_hub.recv().await {
        let id = message.get("id").filter(|_| message.get("method").is_some()).cloned();
        if let Some(known) = manifest.as_mut().and_then(|manifest| manifest.answer(&message)) {
            if let (Some(result), Some(id)) = (known, id) {
                let reply = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                let _ = to_hub.send(reply).await;
            }
            continue;
        }
        let within = patience.filter(|_| message["method"] == "tools/call");
        let question = json!({ "server_name": server, "message": message });
        let asked = door.ask(MCP_MESSAGE, &question);
        tokio::spawn(answer(asked, id, to_hub.clone(), within.unwrap_or(ANSWER_WITHIN)));
    }
}

/// What is only told gets an answer, too, which means nothing.
async fn answer(asked: Asked, id: Option<Value>, to_hub: mpsc::Sender<Value>, within: Duration) {
    let answer = asked.answer::<Value>(within).await;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_answers_the_beginning_once() {
        let told = json!({ "initializeResult": { "protocolVersion": "v" },
            "toolsListResult": { "tools": [] } });
        let mut manifest = Manifest::read(&told).unwrap();
        assert_eq!(manifest.version(), Some("v"));
        let said = |method: &str| json!({ "method": method, "id": 1 });
        assert_eq!(
            manifest.answer(&said("initialize")),
            Some(Some(json!({"protocolVersion": "v"})))
        );
        assert_eq!(manifest.answer(&said("notifications/initialized")), Some(None));
        assert_eq!(manifest.answer(&said("tools/list")), Some(Some(json!({ "tools": [] }))));
        assert_eq!(manifest.answer(&said("tools/list")), None, "a second list is asked for");
        assert_eq!(manifest.answer(&said("tools/call")), None);
        assert!(Manifest::read(&json!({ "initializeResult": 5 })).is_none());
    }
}
