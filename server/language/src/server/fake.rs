//! Servers that do what a test tells them: the same conversation, without a process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use text::{PositionEncoding, Text};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::frame::{Frames, encode};
use super::{Connection, Launch};
use crate::ServerConfig;

/// A server for `.py` files.
pub(crate) fn config(name: &str) -> ServerConfig {
    ServerConfig {
        name: name.into(),
        command: "fake".into(),
        args: Vec::new(),
        env: BTreeMap::new(),
        extensions: BTreeMap::from([(".py".into(), "python".into())]),
        initialization_options: Value::Null,
        settings: Value::Null,
        startup_timeout: Duration::from_secs(60),
        diagnostics: true,
    }
}

/// What a server does next.
pub(crate) enum Act {
    Say(Value),
    Bytes(Vec<u8>),
    /// Ends, as if it had crashed.
    Close,
}

/// Answers one message.
pub(crate) trait Behave: Send {
    fn hear(&mut self, message: &Value) -> Vec<Act>;
}

impl<F: FnMut(&Value) -> Vec<Act> + Send> Behave for F {
    fn hear(&mut self, message: &Value) -> Vec<Act> {
        self(message)
    }
}

/// Starts a new behaviour each time; it gets the number of the start, from zero.
pub(crate) fn launch<B: Behave + 'static>(
    make: impl Fn(usize) -> B + Send + Sync + 'static,
) -> Launch {
    let starts = Mutex::new(0);
    Arc::new(move || {
        let mut starts = starts.lock().unwrap();
        let behaviour = make(*starts);
        *starts += 1;
        let (ours, theirs) = tokio::io::duplex(1024);
        tokio::spawn(live(theirs, behaviour));
        let (output, input) = tokio::io::split(ours);
        Ok(Connection { input: Box::new(input), output: Box::new(output), process: None })
    })
}

async fn live(mut pipe: DuplexStream, mut behaviour: impl Behave) {
    let mut frames = Frames::default();
    let mut chunk = [0; 512];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        frames.push(&chunk[..count]);
        while let Some(body) = frames.next().unwrap() {
            let message = serde_json::from_slice(&body).unwrap();
            for act in behaviour.hear(&message) {
                let bytes = match act {
                    Act::Say(message) => encode(&message),
                    Act::Bytes(bytes) => bytes,
                    Act::Close => return,
                };
                if pipe.write_all(&bytes).await.is_err() {
                    return;
                }
            }
        }
    }
}

pub(crate) fn result(request: &Value, result: Value) -> Act {
    Act::Say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
}

/// The documents a server has been told about.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) documents: HashMap<String, (i64, Text)>,
}

impl Told {
    /// Takes a notification; the address of the document when it has a new text.
    pub(crate) fn hear(&mut self, message: &Value, encoding: PositionEncoding) -> Option<String> {
        let document = &message["params"]["textDocument"];
        let uri = document["uri"].as_str()?.to_owned();
        let version = document["version"].as_i64().unwrap_or_default();
        match message["method"].as_str()? {
            "textDocument/didOpen" => {
                let text = Text::from(document["text"].as_str().unwrap());
                assert!(self.documents.insert(uri.clone(), (version, text)).is_none());
                Some(uri)
            }
            "textDocument/didClose" => {
                assert!(self.documents.remove(&uri).is_some());
                None
            }
            "textDocument/didChange" => {
                let (before, text) = self.documents.get_mut(&uri).unwrap();
                assert!(version > *before);
                *before = version;
                for change in message["params"]["contentChanges"].as_array().unwrap() {
                    *text = changed(text, change, encoding);
                }
                Some(uri)
            }
            _ => None,
        }
    }
}

fn changed(text: &Text, change: &Value, encoding: PositionEncoding) -> Text {
    let inserted = change["text"].as_str().unwrap();
    let Some(range) = change.get("range") else { return Text::from(inserted) };
    let offset = |end: &str| {
        let number = |name: &str| u32::try_from(range[end][name].as_u64().unwrap()).unwrap();
        let position = text::Position { line: number("line"), column: number("character") };
        text.offset(position, encoding).unwrap()
    };
    let whole = text.to_string();
    Text::from(format!("{}{inserted}{}", &whole[..offset("start")], &whole[offset("end")..]))
}

/// A diagnostic whose message is the text it was found in, so that a test can tell.
pub(crate) fn about(text: &Text) -> Value {
    let start = json!({ "line": 0, "character": 0 });
    json!([{ "range": { "start": start, "end": start }, "message": text.to_string() }])
}

pub(crate) fn published(uri: &str, version: Option<i64>, text: &Text) -> Value {
    let mut params = json!({ "uri": uri, "diagnostics": about(text) });
    if let Some(version) = version {
        params["version"] = json!(version);
    }
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}
