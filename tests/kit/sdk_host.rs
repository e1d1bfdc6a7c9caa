//! A program that drives the binary with lines of JSON, as the agent SDKs do: raw, so that a proof sees
//! every line.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin};
use tokio::sync::mpsc;

use crate::binary::{Finished, finished};
use crate::client::within;

pub struct SdkHost {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::UnboundedReceiver<Value>,
    /// Every line so far, in order.
    pub seen: Vec<Value>,
    requests: u64,
}

impl SdkHost {
    /// The child's three streams are pipes.
    pub(crate) fn new(mut child: Child) -> Self {
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut stdout = stdout.lines();
            while let Ok(Some(line)) = stdout.next_line().await {
                assert!(line.len() < 1024 * 1024, "a line of {} bytes", line.len());
                let line = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
                let _ = sender.send(line);
            }
        });
        Self { child, stdin, lines, seen: Vec::new(), requests: 0 }
    }

    pub fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub async fn say(&mut self, line: Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        stdin.flush().await.unwrap();
    }

    pub async fn prompt(&mut self, text: &str) {
        let message = json!({ "role": "user", "content": text });
        self.say(json!({ "type": "user", "message": message, "parent_tool_use_id": null })).await;
    }

    /// The next line of that kind; those before it are in `seen`.
    pub async fn until(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = within(what, self.lines.recv()).await;
            let line = line.unwrap_or_else(|| panic!("no {what}; {:#?}", self.seen));
            self.seen.push(line.clone());
            if is(&line) {
                return line;
            }
        }
    }

    pub async fn result(&mut self) -> Value {
        self.until("a result", |line| line["type"] == "result").await
    }

    /// The next request of ours for the host.
    pub async fn asked(&mut self, subtype: &str) -> Value {
        let is = |line: &Value| {
            line["type"] == "control_request" && line["request"]["subtype"] == subtype
        };
        self.until(subtype, is).await
    }

    pub async fn answer(&mut self, asked: &Value, answer: Value) {
        let response =
            json!({ "subtype": "success", "request_id": asked["request_id"], "response": answer });
        self.say(json!({ "type": "control_response", "response": response })).await;
    }

    /// Sends a request and waits for what is answered: the envelope's `response`.
    pub async fn request(&mut self, request: Value) -> Value {
        self.requests += 1;
        let id = format!("req_{}", self.requests);
        self.say(json!({ "type": "control_request", "request_id": id, "request": request })).await;
        let is = |line: &Value| {
            line["type"] == "control_response" && line["response"]["request_id"] == id.as_str()
        };
        self.until("an answer", is).await["response"].take()
    }

    pub async fn initialize(&mut self, more: Value) -> Value {
        let mut request = json!({ "subtype": "initialize", "hooks": null });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let response = self.request(request).await;
        assert_eq!(response["subtype"], "success", "{response:#}");
        response["response"].clone()
    }

    /// What kind of lines there were, in order: `system/init`, `assistant`, …
    pub fn kinds(&self) -> Vec<String> {
        let kind = |line: &Value| {
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            match &line["type"] {
                kind if kind == "system" => format!("system/{}", word(&line["subtype"])),
                kind if kind == "control_request" => {
                    format!("ask/{}", word(&line["request"]["subtype"]))
                }
                kind => word(kind),
            }
        };
        self.seen.iter().map(kind).collect()
    }

    pub fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.seen.iter().filter(|line| line["type"] == kind).collect()
    }

    /// Says nothing more, and waits for the end.
    pub async fn end(mut self) -> (Finished, Vec<Value>) {
        drop(self.stdin.take());
        let done = finished(self.child).await;
        while let Some(line) = self.lines.recv().await {
            self.seen.push(line);
        }
        (done, self.seen)
    }
}
