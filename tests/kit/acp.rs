//! A client of the Agent Client Protocol (and, as far as lines go, of MCP), written by hand: it keeps
//! everything it hears in order, has texts of its own that may be unsaved, and answers what it is asked
//! as the test decided.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

use crate::client::within;
use crate::files;

/// What becomes of a question.
#[derive(Clone, Debug)]
pub enum Decision {
    /// The option of this kind, such as `allow_once`.
    Choose(&'static str),
    Dismiss,
    /// The test answers it itself.
    Hold,
}

pub struct AcpClient {
    outgoing: mpsc::UnboundedSender<String>,
    incoming: mpsc::UnboundedReceiver<Value>,
    next_id: i64,
    pub decision: Decision,
    /// What it has open, unsaved or not.
    pub buffers: BTreeMap<PathBuf, String>,
    /// A write also reaches the disk.
    pub saves: bool,
    /// What it does with a text before it keeps it.
    pub formats: fn(&str) -> String,
    pub form: Value,
    /// How commands in its terminals ended, and what they printed.
    pub terminals: Vec<(Option<i32>, String)>,
    /// Nothing that is begun in a terminal ends.
    pub terminals_hang: bool,
    /// Everything that was heard, in order.
    pub log: Vec<Value>,
}

impl AcpClient {
    pub fn over(
        input: impl AsyncRead + Unpin + Send + 'static,
        mut output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Self {
        let (outgoing, mut to_write) = mpsc::unbounded_channel::<String>();
        let (to_read, incoming) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(line) = to_write.recv().await {
                if output.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
                let _ = output.flush().await;
            }
        });
        tokio::spawn(async move {
            let mut lines = BufReader::new(input).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
                if to_read.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            outgoing,
            incoming,
            next_id: 0,
            decision: Decision::Hold,
            buffers: BTreeMap::new(),
            saves: true,
            formats: str::to_owned,
            form: json!({ "action": "decline" }),
            terminals: Vec::new(),
            terminals_hang: false,
            log: Vec::new(),
        }
    }

    fn send(&self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.outgoing.send(format!("{message}\n")).unwrap();
    }

    /// As it is, be it JSON or not.
    pub fn send_line(&self, line: &str) {
        self.outgoing.send(format!("{line}\n")).unwrap();
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// Sends a request and does not wait.
    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(json!({ "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    /// Waits for the answer, and does meanwhile what a client does.
    pub async fn end(&mut self, id: i64) -> Value {
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(known) = self.log.iter().find(|message| is_it(message)) {
            return known.clone();
        }
        self.until(&format!("the answer to {id}"), is_it).await
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.end(id).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The next message that is meant.
    pub async fn until(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let next = within(what, self.incoming.recv()).await;
            let message = next.unwrap_or_else(|| panic!("the agent is gone before {what}"));
            self.log.push(message.clone());
            self.answer(&message);
            if is_it(&message) {
                return message;
            }
        }
    }

    pub async fn until_method(&mut self, method: &str) -> Value {
        self.until(method, |message| message["method"] == method).await
    }

    fn answer(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let path = || PathBuf::from(params["path"].as_str().unwrap());
        match message["method"].as_str() {
            Some("session/request_permission") => {
                match self.decision {
                    Decision::Choose(kind) => self.choose(message, kind),
                    Decision::Dismiss => {
                        self.send(json!({ "id": id, "result": { "outcome": { "outcome": "cancelled" } } }));
                    }
                    Decision::Hold => {}
                }
            }
            Some("fs/read_text_file") => {
                let path = path();
                let text = self.buffers.get(&path).cloned();
                let text = text.or_else(|| path.is_file().then(|| files::read(&path)));
                self.send(match text {
                    Some(text) => json!({ "id": id, "result": { "content": text } }),
                    None => json!({ "id": id, "error": { "code": -32002, "message": "no file" } }),
                });
            }
            Some("fs/write_text_file") => {
                let text = (self.formats)(params["content"].as_str().unwrap());
                if self.saves {
                    files::write(&path(), &text);
                }
                self.buffers.insert(path(), text);
                self.send(json!({ "id": id, "result": {} }));
            }
            Some("terminal/create") => {
                if !self.terminals_hang {
                    self.terminals.push(run(params));
                }
                self.send(json!({ "id": id, "result": { "terminalId": "terminal" } }));
            }
            Some("terminal/wait_for_exit") => {
                if let Some((code, _)) = self.terminals.last() {
                    self.send(json!({ "id": id, "result": { "exitCode": code } }));
                }
            }
            Some("terminal/output") => {
                let output = self.terminals.last().map(|(_, output)| output.clone());
                let result = json!({ "output": output.unwrap_or_default(), "truncated": false });
                self.send(json!({ "id": id, "result": result }));
            }
            Some("terminal/kill" | "terminal/release") => {
                self.send(json!({ "id": id, "result": {} }));
            }
            Some("elicitation/create") => self.send(json!({ "id": id, "result": self.form })),
            Some("session/update" | "$/cancel_request") | None => {}
            // The Model Context Protocol has the same lines, and its own news.
            Some(method) if method.starts_with("notifications/") => {}
            Some(method) => panic!("{method} was not offered"),
        }
    }

    /// Answers a question with its option of this kind.
    pub fn choose(&self, question: &Value, kind: &str) {
        let options = question["params"]["options"].as_array().unwrap();
        let option = options.iter().find(|option| option["kind"] == kind).unwrap();
        let outcome = json!({ "outcome": "selected", "optionId": option["optionId"] });
        self.send(json!({ "id": question["id"], "result": { "outcome": outcome } }));
    }

    /// What it can do: its texts, and forms.
    pub async fn initialize(&mut self) -> Value {
        let capabilities = json!({
            "fs": { "readTextFile": true, "writeTextFile": true },
            "elicitation": { "form": {} },
            "session": { "notices": {}, "compaction": {} },
        });
        self.initialize_with(capabilities).await
    }

    pub async fn initialize_with(&mut self, capabilities: Value) -> Value {
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        self.request("initialize", params).await
    }

    pub async fn session(&mut self, cwd: &Path) -> String {
        let made = self.request("session/new", json!({ "cwd": cwd, "mcpServers": [] })).await;
        made["sessionId"].as_str().unwrap().to_owned()
    }

    pub fn begin_prompt(&mut self, session: &str, text: &str) -> i64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.begin("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }

    /// Why the turn ended.
    pub async fn prompt(&mut self, session: &str, text: &str) -> String {
        let id = self.begin_prompt(session, text);
        let answer = self.end(id).await;
        answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The updates of a kind, in order.
    pub fn updates(&self, kind: &str) -> Vec<Value> {
        let updates = self.log.iter().map(|message| &message["params"]["update"]);
        updates.filter(|update| update["sessionUpdate"] == kind).cloned().collect()
    }

    /// All that the agent said.
    pub fn said(&self) -> String {
        let chunks = self.updates("agent_message_chunk");
        chunks.iter().map(|chunk| chunk["content"]["text"].as_str().unwrap()).collect()
    }

    /// Where in the log a message is.
    pub fn place(&self, is_it: impl Fn(&Value) -> bool) -> usize {
        self.log.iter().position(is_it).unwrap_or_else(|| panic!("{:#?}", self.log))
    }
}

/// What a terminal is asked to run, to its end.
#[expect(
    clippy::disallowed_methods,
    reason = "the terminal is the client's, and so is what runs in it"
)]
fn run(params: &Value) -> (Option<i32>, String) {
    let args = params["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
    let mut command = std::process::Command::new(params["command"].as_str().unwrap());
    let done = command.args(args).current_dir(params["cwd"].as_str().unwrap()).output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
}
