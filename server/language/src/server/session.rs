//! The conversation with one running server, as a state machine without IO.

mod ask;
mod calm;
mod diagnose;
mod job;
mod outgoing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use workspace::DocumentUri;

use super::asked;
use super::capabilities::{Capabilities, initialize};
use super::opened::Opened;
use crate::ServerConfig;
use ask::Ask;
use calm::Calm;
use diagnose::Waiter;
pub(crate) use job::{Failure, Job, Reply, Step, Want};
use outgoing::Outgoing;

/// So many requests may wait for answers; more jobs stay in their queue.
const MOST_PENDING: usize = 64;
/// A server that leaves this much unread has hung.
const MOST_UNREAD: usize = 128 * 1024 * 1024;
/// How often a server may say that it is not ready for a question.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);
/// The protocol's numbers for "ask again": the text changed under it, or it is busy.
const ASK_AGAIN: [i64; 2] = [-32801, -32802];

pub(super) struct Session {
    config: Arc<ServerConfig>,
    root: DocumentUri,
    phase: Phase,
    /// Jobs that came before the server was ready.
    early: Vec<Job>,
    opened: Opened,
    calm: Calm,
    pending: HashMap<i64, Sent>,
    /// Requests to be made again, and when.
    later: Vec<(Instant, Sent)>,
    waiters: Vec<Waiter>,
    outgoing: Outgoing,
    last_id: i64,
}

enum Phase {
    /// `initialize` has not been answered.
    Starting {
        until: Instant,
    },
    Ready(Capabilities),
    /// It has been told to end.
    Leaving {
        answered: bool,
    },
    /// The conversation cannot go on; the end of a sentence about the server.
    Broken(String),
}

/// A request of ours that waits for its answer.
struct Sent {
    /// Until when it is waited for.
    until: Option<Instant>,
    /// How often it has been made before.
    tries: u32,
    what: Pending,
}

enum Pending {
    Initialize,
    Shutdown,
    Ask(Ask),
    /// Its findings in this version of a document.
    Report {
        path: PathBuf,
        version: i32,
    },
    /// Any question, asked after this version was sent.
    Barrier {
        path: PathBuf,
        version: i32,
    },
}

impl Session {
    pub(super) fn new(config: Arc<ServerConfig>, root: DocumentUri, now: Instant) -> Session {
        let params = initialize(&config, &root);
        let mut session = Session {
            phase: Phase::Starting { until: now + config.startup_timeout },
            config,
            root,
            early: Vec::new(),
            opened: Opened::default(),
            calm: Calm::default(),
            pending: HashMap::new(),
            later: Vec::new(),
            waiters: Vec::new(),
            outgoing: Outgoing::default(),
            last_id: 0,
        };
        session.request("initialize", params, Pending::Initialize, None);
        session
    }

    /// What is to be written to the server.
    pub(super) fn outgoing(&self) -> &[u8] {
        self.outgoing.rest()
    }

    /// So many bytes of it were written.
    pub(super) fn sent(&mut self, count: usize) {
        self.outgoing.sent(count);
    }

    /// Why the conversation is over, as the end of a sentence about the server.
    pub(super) fn broken(&self) -> Option<&str> {
        match &self.phase {
            Phase::Broken(why) => Some(why),
            _ if self.outgoing.rest().len() > MOST_UNREAD => Some("does not read what it is sent"),
            _ => None,
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready(_))
    }

    pub(super) fn has_room(&self) -> bool {
        let waiting = self.early.len() + self.pending.len() + self.later.len();
        waiting + self.waiters.len() < MOST_PENDING
    }

    /// The documents the server has open.
    pub(super) fn open_paths(&self) -> BTreeSet<PathBuf> {
        self.opened.paths()
    }

    /// Asks the server to end. It may go once [`Session::may_exit`].
    pub(super) fn leave(&mut self) {
        self.phase = Phase::Leaving { answered: false };
        self.request("shutdown", Value::Null, Pending::Shutdown, None);
    }

    pub(super) fn may_exit(&self) -> bool {
        matches!(self.phase, Phase::Leaving { answered: true })
    }

    /// The last thing that is said.
    pub(super) fn exit(&mut self) {
        self.notify("exit", Value::Null);
    }

    /// Answers everybody who still waits.
    pub(super) fn refuse_all(&mut self, failure: &Failure) {
        self.early.drain(..).for_each(|job| job.refuse(failure.clone()));
        let pending = self.pending.drain().map(|(_, sent)| sent);
        for sent in pending.chain(self.later.drain(..).map(|(_, sent)| sent)) {
            if let Pending::Ask(ask) = sent.what {
                ask.refuse(failure.clone());
            }
        }
        for waiter in self.waiters.drain(..) {
            waiter.refuse(failure.clone());
        }
    }

    /// A job, now or as soon as the server is ready.
    pub(super) fn take(&mut self, job: Job, now: Instant) {
        match &self.phase {
            Phase::Ready(_) => match job.want {
                Want::Ask { step, texts, reply } => self.ask(step, &texts, reply, job.until),
                Want::Findings { path, text, reply } => {
                    self.diagnose(path, &text, reply, job.until, now);
                }
            },
            Phase::Starting { .. } => self.early.push(job),
            Phase::Leaving { .. } | Phase::Broken(_) => job.refuse(self.gone()),
        }
        self.settle(now);
    }

    fn gone(&self) -> Failure {
        Failure::Crashed(format!("The language server `{}` has ended.", self.config.name))
    }

    fn too_slow(&self) -> Failure {
        let name = &self.config.name;
        Failure::Sentence(format!(
            "The language server `{name}` did not answer in time; ask again later."
        ))
    }

    /// When something happens even if nothing is heard.
    pub(super) fn wake(&self) -> Option<Instant> {
        let starting = match self.phase {
            Phase::Starting { until } => Some(until),
            _ => None,
        };
        let early = self.early.iter().map(|job| job.until);
        let pending = self.pending.values().filter_map(|sent| sent.until);
        let later = self.later.iter().map(|(at, _)| *at);
        early.chain(pending).chain(later).chain(self.diagnosis_wakes()).chain(starting).min()
    }

    /// Does what the time asks for.
    pub(super) fn tick(&mut self, now: Instant) {
        if matches!(self.phase, Phase::Starting { until } if now >= until) {
            let seconds = self.config.startup_timeout.as_secs_f32();
            self.phase = Phase::Broken(format!("did not answer within {seconds} s of its start"));
        }
        for job in std::mem::take(&mut self.early) {
            if now >= job.until { job.refuse(self.too_slow()) } else { self.early.push(job) }
        }
        let over = self.pending.iter().filter(|(_, sent)| sent.is_over(now));
        let over: Vec<_> = over.map(|(id, _)| *id).collect();
        for id in over {
            let Some(sent) = self.pending.remove(&id) else { continue };
            self.notify("$/cancelRequest", json!({ "id": id }));
            self.give_up(sent.what);
        }
        let later = std::mem::take(&mut self.later).into_iter();
        let due = |(at, sent): &(Instant, Sent)| now >= *at || sent.is_over(now);
        let (due, later): (Vec<_>, Vec<_>) = later.partition(due);
        self.later = later;
        for (_, sent) in due {
            if sent.is_over(now) { self.give_up(sent.what) } else { self.ask_again(sent) }
        }
        self.settle(now);
    }

    fn give_up(&mut self, pending: Pending) {
        match pending {
            Pending::Ask(ask) => ask.refuse(self.too_slow()),
            Pending::Report { path, version } => self.no_report(&path, version),
            Pending::Barrier { .. } | Pending::Initialize | Pending::Shutdown => {}
        }
    }

    /// Something the server said.
    pub(super) fn hear(&mut self, message: Value, now: Instant) {
        let Value::Object(mut message) = message else { return };
        let params = message.remove("params").unwrap_or_default();
        match (message.remove("method"), message.remove("id")) {
            (Some(Value::String(method)), Some(id)) => {
                self.answer_request(&method, &params, id, now);
            }
            (Some(Value::String(method)), None) => self.hear_notification(&method, params, now),
            (None, Some(id)) => {
                let result = match message.remove("error") {
                    Some(error) if !error.is_null() => Err(error),
                    _ => Ok(message.remove("result").unwrap_or_default()),
                };
                if let Some(sent) = id.as_i64().and_then(|id| self.pending.remove(&id)) {
                    self.hear_answer(sent, result, now);
                }
            }
            _ => {}
        }
        self.settle(now);
    }

    fn answer_request(&mut self, method: &str, params: &Value, id: Value, now: Instant) {
        let mut response = asked::answer(method, params, &self.config.settings, &self.root);
        response["jsonrpc"] = json!("2.0");
        response["id"] = id;
        self.outgoing.push(&response);
        if method == "workspace/diagnostic/refresh" {
            self.refresh_reports(now);
        }
    }

    fn hear_notification(&mut self, method: &str, params: Value, now: Instant) {
        match method {
            "textDocument/publishDiagnostics" => self.hear_published(params, now),
            "$/progress" | "experimental/serverStatus" => self.hear_work(method, &params, now),
            "window/logMessage" | "window/showMessage" => {
                let text = params.get("message").and_then(Value::as_str).unwrap_or_default();
                tracing::debug!(server = self.config.name, "{text}");
            }
            _ => {}
        }
    }

    fn hear_answer(&mut self, sent: Sent, result: Result<Value, Value>, now: Instant) {
        let code = result.as_ref().err().and_then(|error| error.get("code")?.as_i64());
        let busy = code.is_some_and(|code| ASK_AGAIN.contains(&code));
        let again = matches!(sent.what, Pending::Ask(_) | Pending::Report { .. });
        if busy && again && sent.tries < TRIES {
            let sent = Sent { tries: sent.tries + 1, ..sent };
            self.later.push((now + PAUSE, sent));
            return;
        }
        match (sent.what, result) {
            (Pending::Initialize, Ok(result)) => match Capabilities::read(&result) {
                Ok(capabilities) => self.get_ready(capabilities, now),
                Err(why) => self.phase = Phase::Broken(why),
            },
            (Pending::Initialize, Err(error)) => {
                self.phase = Phase::Broken(format!("refuses to start ({})", words(&error)));
            }
            (Pending::Shutdown, _) => self.phase = Phase::Leaving { answered: true },
            (Pending::Ask(ask), result) => self.finish(ask, result),
            (Pending::Report { path, version }, Ok(report)) => {
                self.hear_report(&path, version, report);
            }
            (Pending::Report { path, version }, Err(error)) => {
                tracing::debug!(server = self.config.name, %error, "no report");
                self.no_report(&path, version);
            }
            (Pending::Barrier { path, version }, _) => self.pass_barrier(&path, version, now),
        }
    }

    fn get_ready(&mut self, capabilities: Capabilities, now: Instant) {
        self.phase = Phase::Ready(capabilities);
        self.notify("initialized", json!({}));
        if !self.config.settings.is_null() {
            let settings = self.config.settings.clone();
            self.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
        }
        for job in std::mem::take(&mut self.early) {
            self.take(job, now);
        }
    }

    fn request(&mut self, method: &str, params: Value, what: Pending, until: Option<Instant>) {
        self.repeat(method, params, Sent { until, tries: 0, what });
    }

    fn repeat(&mut self, method: &str, params: Value, sent: Sent) {
        self.last_id += 1;
        self.outgoing.request(self.last_id, method, params);
        self.pending.insert(self.last_id, sent);
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.outgoing.notify(method, params);
    }
}

impl Sent {
    fn is_over(&self, now: Instant) -> bool {
        let unwanted = matches!(&self.what, Pending::Ask(ask) if ask.is_unwanted());
        unwanted || self.until.is_some_and(|until| now >= until)
    }
}

/// What an error of the protocol says, at a length that fits a sentence.
fn words(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).unwrap_or("without a reason");
    message.trim().trim_end_matches('.').chars().take(500).collect()
}
