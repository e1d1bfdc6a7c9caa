//! A typed client: sends, waits, and keeps what nobody has claimed yet.
//!
//! Every message that arrives is checked against the order the protocol promises. What an editor
//! does by itself (edits, its text, progress) is done here; what a person decides waits for the
//! test. Dropping a client with a request unanswered, or an error unread, fails the test.

mod laws;
mod obey;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use host::doors::lsp::Ended;
use protocol::{Event, EventBody, Request};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::editor::Editor;
use crate::frame::{encode, read_frame};
use crate::profile::Profile;
use laws::Laws;

/// Long enough for a loaded machine; nothing that works comes near it.
const DEADLINE: Duration = Duration::from_secs(30);

pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DEADLINE, future).await {
        Ok(done) => done,
        Err(_) => panic!("waited {DEADLINE:?} in vain for {what}"),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
}

/// A request of the server that the test has taken, and must answer.
#[derive(Debug)]
#[must_use]
pub struct Asked {
    id: Value,
    pub method: String,
}

enum Out {
    Bytes(Vec<u8>),
    Pause(Duration),
}

pub struct Client {
    pub editor: Editor,
    pub(crate) root: PathBuf,
    pub(crate) laws: Laws,
    profile: Profile,
    outgoing: mpsc::UnboundedSender<Out>,
    incoming: mpsc::UnboundedReceiver<Value>,
    served: Option<JoinHandle<Ended>>,
    next_id: i64,
    /// What arrived and was not waited for yet, in order.
    responses: BTreeMap<i64, Value>,
    requests: VecDeque<Value>,
    notifications: VecDeque<Value>,
    events: VecDeque<Event>,
    /// Everything that happened, for questions about the past.
    pub log: Vec<Event>,
    unanswered: BTreeMap<String, String>,
    withdrawn: BTreeSet<String>,
    /// Announced, but unknown when it comes to it.
    pub forgets: Vec<&'static str>,
    /// Saves when it is asked to.
    pub saves: bool,
    /// Left to the test, although the editor could do it.
    pub held: Vec<&'static str>,
    /// How often the server said that the code lenses have changed.
    pub lens_refreshes: usize,
    hung_up: bool,
}

impl Client {
    /// Over any pair of pipes. Nothing is said yet.
    pub fn over(
        root: &Path,
        profile: Profile,
        input: impl AsyncRead + Unpin + Send + 'static,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Self {
        let (outgoing, to_write) = mpsc::unbounded_channel();
        let (to_read, incoming) = mpsc::unbounded_channel();
        tokio::spawn(write(to_write, output));
        tokio::spawn(async move {
            let mut input = BufReader::new(input);
            while let Some(message) = read_frame(&mut input).await {
                if to_read.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            editor: Editor::new(profile.encoding()),
            root: root.to_owned(),
            laws: Laws::default(),
            profile,
            outgoing,
            incoming,
            served: None,
            next_id: 1,
            responses: BTreeMap::new(),
            requests: VecDeque::new(),
            notifications: VecDeque::new(),
            events: VecDeque::new(),
            log: Vec::new(),
            unanswered: BTreeMap::new(),
            withdrawn: BTreeSet::new(),
            forgets: Vec::new(),
            saves: false,
            held: Vec::new(),
            lens_refreshes: 0,
            hung_up: false,
        }
    }

    pub(crate) fn serving(mut self, served: JoinHandle<Ended>) -> Self {
        self.served = Some(served);
        self
    }

    /// `initialize` and `initialized`; checks that the encoding is the one to expect.
    pub async fn initialize(&mut self) -> Value {
        let params = self.profile.initialize(&self.root.display().to_string());
        let result = self.call("initialize", params).await.unwrap();
        let encoding = &result["capabilities"]["positionEncoding"];
        assert_eq!(encoding, self.profile.encoding().name(), "{}", self.profile.name);
        self.notify("initialized", json!({}));
        result
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    // Sending.

    pub fn send_bytes(&self, bytes: impl Into<Vec<u8>>) {
        // A server that is gone shows in what the test waits for.
        let _ = self.outgoing.send(Out::Bytes(bytes.into()));
    }

    pub fn send(&self, message: &Value) {
        self.send_bytes(encode(&message.to_string()));
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and leaves the answer for later.
    pub fn start(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub async fn finish(&mut self, id: i64) -> Result<Value, RpcError> {
        while !self.responses.contains_key(&id) {
            self.receive(&format!("the answer to request {id}")).await;
        }
        outcome(self.responses.remove(&id).unwrap())
    }

    /// The next held request of this name, unless a request of ours is answered first.
    pub async fn request_or_answer(&mut self, method: &str, id: i64) -> Option<(Asked, Value)> {
        loop {
            if self.requests.iter().any(|message| message["method"] == method) {
                return Some(self.expect(method).await);
            }
            if self.responses.contains_key(&id) {
                return None;
            }
            self.receive(&format!("{method}, or the answer to request {id}")).await;
        }
    }

    pub async fn call(&mut self, method: &str, params: Value) -> Result<Value, RpcError> {
        let id = self.start(method, params);
        self.finish(id).await
    }

    /// One of our own requests, which must succeed.
    pub async fn request<R: Request>(&mut self, params: R::Params) -> R::Result {
        let result = self.try_request::<R>(params).await;
        result.unwrap_or_else(|error| panic!("{}: {error:?}", R::METHOD))
    }

    pub async fn try_request<R: Request>(
        &mut self,
        params: R::Params,
    ) -> Result<R::Result, RpcError> {
        let result = self.call(R::METHOD, serde_json::to_value(params).unwrap()).await?;
        Ok(serde_json::from_value(result).unwrap())
    }

    // Waiting.

    /// The next event that fits; those before it are passed over, but stay in the log.
    pub async fn next_event(&mut self, what: &str, fits: impl Fn(&Event) -> bool) -> Event {
        loop {
            while let Some(event) = self.events.pop_front() {
                if fits(&event) {
                    return event;
                }
            }
            self.receive(what).await;
        }
    }

    /// The next notification of this name; others stay.
    pub async fn notification(&mut self, method: &str) -> Value {
        loop {
            let at = self.notifications.iter().position(|message| message["method"] == method);
            if let Some(mut message) = at.and_then(|at| self.notifications.remove(at)) {
                return message["params"].take();
            }
            self.receive(method).await;
        }
    }

    /// Everything that was said so far under this name.
    pub fn notifications(&self, method: &str) -> Vec<&Value> {
        let all = self.notifications.iter().filter(|message| message["method"] == method);
        all.map(|message| &message["params"]).collect()
    }

    pub async fn expect_request<R: Request>(&mut self) -> (Asked, R::Params) {
        self.expect(R::METHOD).await
    }

    pub async fn expect<P: DeserializeOwned>(&mut self, method: &str) -> (Asked, P) {
        loop {
            let at = self.requests.iter().position(|message| message["method"] == method);
            if let Some(mut message) = at.and_then(|at| self.requests.remove(at)) {
                let params = serde_json::from_value(message["params"].take()).unwrap();
                return (Asked { id: message["id"].take(), method: method.to_owned() }, params);
            }
            self.receive(method).await;
        }
    }

    /// The method of the oldest request that is left to the test.
    pub async fn first_request(&mut self) -> String {
        while self.requests.is_empty() {
            self.receive("a request").await;
        }
        self.requests[0]["method"].as_str().unwrap().to_owned()
    }

    /// A request of a turn that runs; one that ends instead fails the test at once.
    pub(crate) async fn expect_before_the_end<P: DeserializeOwned>(
        &mut self,
        method: &str,
    ) -> (Asked, P) {
        loop {
            if self.requests.iter().any(|message| message["method"] == method) {
                return self.expect(method).await;
            }
            let ended = |event: &Event| matches!(event.body, EventBody::TurnEnded(_));
            let over = self.events.iter().any(ended);
            assert!(!over, "the turn ended without {method}: {:#?}", self.log);
            self.receive(method).await;
        }
    }

    /// A request of a turn, or `None` when the turn ends without it; the end is then taken.
    pub async fn request_or_end<P: DeserializeOwned>(
        &mut self,
        method: &str,
        session: &str,
    ) -> Option<(Asked, P)> {
        loop {
            if self.requests.iter().any(|message| message["method"] == method) {
                return Some(self.expect(method).await);
            }
            let is_end = |event: &Event| {
                event.session_id == session && matches!(event.body, EventBody::TurnEnded(_))
            };
            if self.events.iter().any(is_end) {
                self.next_event("the end of the turn", is_end).await;
                return None;
            }
            self.receive(method).await;
        }
    }

    /// A permission request that has come already.
    pub fn next_permission(&mut self) -> Option<Asked> {
        let method = "agent/permission/request";
        let at = self.requests.iter().position(|message| message["method"] == method)?;
        let mut message = self.requests.remove(at)?;
        Some(Asked { id: message["id"].take(), method: method.to_owned() })
    }

    /// Whether a request that the test does not want is waiting.
    pub(crate) fn is_asked(&self) -> Option<&Value> {
        self.requests.front()
    }

    pub fn answer(&mut self, asked: Asked, result: Value) {
        self.respond(&asked.id, "result", result);
    }

    /// Does now what was held: applies the edit, and says so in the editor's own order.
    pub fn carry_out(&mut self, asked: Asked, params: &Value) {
        self.apply(&asked.method, &asked.id, &params["edit"]);
    }

    pub fn answer_error(&mut self, asked: Asked, code: i64) {
        self.respond(&asked.id, "error", json!({ "code": code, "message": "no" }));
    }

    /// Whether the server took this request back (`$/cancelRequest`).
    pub async fn was_withdrawn(&mut self, asked: Asked) {
        while !self.withdrawn.contains(&asked.id.to_string()) {
            self.receive("a withdrawn request").await;
        }
    }

    /// The next answer whose id is none of ours.
    pub async fn answer_to(&mut self, id: Value) -> Result<Value, RpcError> {
        loop {
            let fits = |message: &Value| message.get("method").is_none() && message["id"] == id;
            let at = self.notifications.iter().position(fits);
            if let Some(message) = at.and_then(|at| self.notifications.remove(at)) {
                return outcome(message);
            }
            self.receive("an answer to a message that was no request").await;
        }
    }

    /// Waits until the server has closed the pipe.
    pub async fn closed(&mut self) {
        while within("the end of the pipe", self.incoming.recv()).await.is_some() {}
    }

    /// `shutdown` and `exit`; returns how the server saw it end.
    pub async fn leave(mut self) -> Option<Ended> {
        self.call("shutdown", Value::Null).await.unwrap();
        self.notify("exit", Value::Null);
        match self.served.take() {
            Some(served) => Some(within("the server's end", served).await.unwrap()),
            None => None,
        }
    }

    /// Goes away without a word; returns when the server has noticed and closed its sessions.
    pub async fn hang_up(mut self) -> Option<Ended> {
        self.hung_up = true;
        let served = self.served.take();
        drop(self);
        match served {
            Some(served) => Some(within("the server's end", served).await.unwrap()),
            None => None,
        }
    }

    /// Waits for the next message, whatever it is.
    pub async fn wait_for_anything(&mut self, what: &str) {
        self.receive(what).await;
    }

    async fn receive(&mut self, what: &str) {
        let received = tokio::time::timeout(DEADLINE, self.incoming.recv()).await;
        match received {
            Ok(Some(message)) => self.admit(message),
            Ok(None) => panic!("the server closed the pipe before {what}"),
            Err(_) => panic!(
                "waited {DEADLINE:?} in vain for {what}; unclaimed: {:?} {:?}; last events: {:#?}",
                self.requests,
                self.notifications,
                &self.log[self.log.len().saturating_sub(5)..]
            ),
        }
    }

    fn admit(&mut self, message: Value) {
        match (message["method"].as_str(), message.get("id")) {
            (Some("agent/event"), _) => {
                assert!(self.profile.extension, "a plain client got {message}");
                self.happened(serde_json::from_value(message["params"].clone()).unwrap());
            }
            (Some("$/cancelRequest"), None) => self.withdraw(&message["params"]["id"]),
            (Some(method), Some(id)) => {
                let (method, id) = (method.to_owned(), id.clone());
                self.laws.asked(&method, &message["params"]);
                self.unanswered.insert(id.to_string(), method.clone());
                self.on_request(&method, &id, message);
            }
            (None, Some(id)) => match id.as_i64().filter(|id| *id < self.next_id) {
                Some(id) => assert!(self.responses.insert(id, message).is_none(), "answered twice"),
                None => self.notifications.push_back(message),
            },
            _ => self.notifications.push_back(message),
        }
    }

    pub(crate) fn happened(&mut self, event: Event) {
        self.laws.happened(&event);
        self.events.push_back(event.clone());
        self.log.push(event);
    }

    /// The standard wants an answer to a cancelled request as well.
    fn withdraw(&mut self, id: &Value) {
        self.withdrawn.insert(id.to_string());
        self.requests.retain(|message| message["id"] != *id);
        if self.unanswered.contains_key(&id.to_string()) {
            self.respond(id, "error", json!({ "code": -32800, "message": "cancelled" }));
        }
    }

    fn respond(&mut self, id: &Value, field: &str, value: Value) {
        self.unanswered.remove(&id.to_string());
        self.laws.answered();
        let mut message = json!({ "jsonrpc": "2.0", "id": id });
        message[field] = value;
        self.send(&message);
    }
}

fn outcome(mut response: Value) -> Result<Value, RpcError> {
    match response.get("error") {
        Some(error) => Err(serde_json::from_value(error.clone()).unwrap()),
        None => Ok(response.get_mut("result").expect("a result or an error").take()),
    }
}

/// Pauses are part of the order: what an editor says later, it says after the pause.
async fn write(mut queue: mpsc::UnboundedReceiver<Out>, mut output: impl AsyncWrite + Unpin) {
    while let Some(next) = queue.recv().await {
        match next {
            Out::Pause(time) => tokio::time::sleep(time).await,
            Out::Bytes(bytes) => {
                if output.write_all(&bytes).await.is_err() || output.flush().await.is_err() {
                    return;
                }
            }
        }
    }
    // A server that is gone already needs no good-bye.
    let _ = output.shutdown().await;
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() || self.hung_up {
            return;
        }
        while let Ok(message) = self.incoming.try_recv() {
            self.admit(message);
        }
        assert!(self.unanswered.is_empty(), "left unanswered: {:?}", self.unanswered);
        let error = self.responses.values().find(|response| response.get("error").is_some());
        assert!(error.is_none(), "left unread: {error:?}");
    }
}
