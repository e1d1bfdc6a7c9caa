//! An editor that only measures: a client of a `serve` child, as cheap as it can be.

use std::io::{BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::contenders::Contender;
use crate::process::Guard;
use crate::stage::Stage;

const DEADLINE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Guard,
    pub started: Instant,
    pipe: Pipe,
    heard: Receiver<Heard>,
    last_id: u64,
}

type Pipe = Arc<Mutex<ChildStdin>>;

enum Heard {
    Response { id: u64, result: Result<Value, String> },
    TurnEnded,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct EventKind<'a> {
    #[serde(rename = "type", borrow)]
    kind: &'a str,
}

impl Client {
    /// `None` for a contender that is no server.
    pub fn start(
        stage: &Stage,
        contender: &Contender,
        model: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(arguments) = contender.serve() else { return Ok(None) };
        let mut command = stage.command(&contender.program, &arguments, model);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn().with_context(|| format!("{command:?} does not start"))?;
        let stdin = child.stdin.take().context("a pipe to the server")?;
        let stdout = child.stdout.take().context("a pipe from the server")?;
        let pipe = Arc::new(Mutex::new(stdin));
        let (tell, heard) = channel();
        let answers = pipe.clone();
        std::thread::spawn(move || {
            // The end of the pipe, or of the row: either way there is nothing more to tell.
            let _ = listen(stdout, &answers, &tell);
        });
        let child = Guard(child);
        let mut client = Self { child, started, pipe, heard, last_id: 0 };
        client.initialize(stage)?;
        Ok(Some(client))
    }

    fn initialize(&mut self, stage: &Stage) -> anyhow::Result<()> {
        let params = json!({
            "processId": std::process::id(),
            "rootUri": format!("file://{}", stage.project().display()),
            "capabilities": {
                "general": {"positionEncodings": ["utf-8"]},
                "experimental": {"agent": {"version": 1, "permission": true}},
            },
        });
        self.request("initialize", &params)?;
        self.notify("initialized", &json!({}))
    }

    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    pub fn notify(&mut self, method: &str, params: &Value) -> anyhow::Result<()> {
        send(&self.pipe, &json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    pub fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        send(&self.pipe, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            match self.heard.recv_timeout(DEADLINE).context("no answer came")? {
                Heard::Response { id: answered, result } if answered == id => {
                    return result.map_err(anyhow::Error::msg);
                }
                Heard::Response { .. } | Heard::TurnEnded => {}
            }
        }
    }

    pub fn new_session(&mut self, stage: &Stage) -> anyhow::Result<String> {
        let made = self.request("agent/session/new", &json!({"cwd": stage.project()}))?;
        let id = made["sessionId"].as_str().context("a session id")?;
        Ok(id.to_owned())
    }

    pub fn prompt(&mut self, session: &str, text: &str) -> anyhow::Result<()> {
        let content = json!([{"type": "text", "text": text}]);
        let params = json!({"sessionId": session, "content": content});
        self.request("agent/session/prompt", &params)?;
        Ok(())
    }

    pub fn turn_ended(&mut self) -> anyhow::Result<()> {
        loop {
            if let Heard::TurnEnded = self.heard.recv_timeout(DEADLINE).context("no end came")? {
                return Ok(());
            }
        }
    }
}

fn send(pipe: &Pipe, message: &Value) -> anyhow::Result<()> {
    let body = message.to_string();
    let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
    pipe.write_all(frame.as_bytes())?;
    Ok(())
}

/// One frame after the other. The floor reads with this too.
pub fn read_frame(input: &mut impl std::io::BufRead, body: &mut Vec<u8>) -> anyhow::Result<bool> {
    let mut length = None;
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(value) = header.strip_prefix("Content-Length: ") {
                    length = Some(value.parse()?);
                }
            }
        }
    }
    let Some(length) = length else { bail!("a frame without its length") };
    body.resize(length, 0);
    input.read_exact(body)?;
    Ok(true)
}

fn listen(stdout: ChildStdout, pipe: &Pipe, tell: &Sender<Heard>) -> anyhow::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, stdout);
    let mut body = Vec::new();
    while read_frame(&mut input, &mut body)? {
        let message: Message<'_> = serde_json::from_slice(&body)?;
        match (message.method, message.id) {
            (None, Some(id)) => {
                let result = match (message.result, message.error) {
                    (_, Some(error)) => Err(error.get().to_owned()),
                    (result, None) => {
                        Ok(serde_json::from_str(result.map_or("null", RawValue::get))?)
                    }
                };
                tell.send(Heard::Response { id: id.get().parse()?, result })?;
            }
            (Some(_), Some(id)) => {
                send(pipe, &json!({"jsonrpc": "2.0", "id": id, "result": null}))?;
            }
            (Some("agent/event"), None) => {
                let kind = message
                    .params
                    .and_then(|params| serde_json::from_str::<EventKind<'_>>(params.get()).ok());
                if kind.is_some_and(|event| event.kind == "turn.ended") {
                    tell.send(Heard::TurnEnded)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
