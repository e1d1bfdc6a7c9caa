//! The SDK door: lines of JSON over stdin and stdout, as the official agent SDKs speak them.
//!
//! Four parties share one queue. The **reader** takes lines from the host: answers go straight to who
//! waits for them, everything else to the **worker**, which does one thing after the other, so that what
//! the host says first holds first. What the core has to say comes through the door's outbox, and so do
//! the worker's answers; the **teller** turns it all into lines, in that order. The loop here ends when
//! the host is done and nothing is owed to it any more.

mod asks;
mod control;
mod hooks;
mod incoming;
mod initialize;
mod lines;
mod messages;
mod opening;
mod prompt;
mod reader;
mod servers;
mod shared;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};

use super::headless::{ForkAt, Resume};
use crate::context::HostContext;
use crate::core::{Door, Event, Outgoing};
use crate::session::Limits;
use crate::terminal::{Interrupt, Signals};

use lines::Lines;
use messages::Teller;
use shared::{Began, Mark, Shared};

/// What to do.
pub struct Job {
    pub host: Arc<HostContext>,
    pub limits: Limits,
    pub cwd: PathBuf,
    pub resume: Resume,
    pub fork: Option<ForkAt>,
    /// What a copy leaves out must be the turn of this message.
    pub drops_turn: Option<String>,
    pub session_id: Option<String>,
    /// Nothing is stored.
    pub ephemeral: bool,
    /// The only prompt, where the host says nothing.
    pub prompt: Option<String>,
    pub wishes: Wishes,
    /// How long agents in the background are waited for once nothing else goes on.
    pub patience: Duration,
    pub title: Option<String>,
    /// The host wants a guess at what is said next.
    pub suggestions: bool,
}

/// What the host wants to hear.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Every piece of an answer as it comes.
    pub partial: bool,
    pub hook_events: bool,
    /// The host's own messages, once they are accepted.
    pub replay: bool,
    /// What agents say and think, not only what they do.
    pub subagent_text: bool,
    /// Thoughts without their words.
    pub omit_thoughts: bool,
    pub asks: Asks,
    pub states: States,
}

/// Who answers when the policy asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// What would be asked is denied.
    #[default]
    Nobody,
    Host,
    /// A tool of an MCP server, `mcp__server__tool`.
    Tool(String),
}

/// Whether the host hears how the session stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum States {
    #[default]
    Unsaid,
    /// Its SDK does, and keeps it to itself.
    ForTheSdk,
    Said,
}

/// Runs until the host is done; the result is the exit code. The error says why it could not begin.
pub async fn run(
    job: Job,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Unpin,
    signals: &mut Signals,
) -> Result<u8, String> {
    let door = Door::new();
    let (marks, heard) = mpsc::unbounded_channel();
    let began = Began {
        cwd: job.cwd.clone(),
        model: job.limits.model.clone(),
        asks: job.wishes.asks.clone(),
    };
    let shared = Arc::new(Shared::new(job.host.clone(), door, marks, began));
    let (patience, wishes, schema) = (job.patience, job.wishes.clone(), job.limits.schema.clone());
    let (work, todo) = mpsc::channel(reader::WORK);
    let reading =
        job.prompt.is_none().then(|| tokio::spawn(reader::run(input, shared.clone(), work)));
    let working = tokio::spawn(worker::run(job, shared.clone(), todo));
    let teller = Teller::new(shared.clone(), wishes, schema);
    let code = tell(shared.clone(), teller, Lines::new(output), heard, patience, signals).await;
    if let Some(reading) = reading {
        reading.abort();
    }
    shared.close().await;
    working.abort();
    code
}

async fn tell(
    shared: Arc<Shared>,
    mut teller: Teller,
    mut lines: Lines<impl AsyncWrite + Unpin>,
    mut marks: mpsc::UnboundedReceiver<Mark>,
    patience: Duration,
    signals: &mut Signals,
) -> Result<u8, String> {
    loop {
        let batch = tokio::select! {
            biased;
            interrupt = signals.next() => return Ok(interrupted(&shared, interrupt).await),
            Some(mark) = marks.recv() => {
                teller.on_mark(mark);
                Default::default()
            }
            batch = shared.door.outbox.take() => batch,
            () = tokio::time::sleep(patience), if teller.only_waits() => {
                tracing::warn!("agents are still at work in the background; they are stopped now");
                break;
            }
        };
        // A mark is made before what it is about can happen, so it is looked at first.
        while let Ok(mark) = marks.try_recv() {
            teller.on_mark(mark);
        }
        for message in batch {
            on_message(&shared, &mut teller, message);
        }
        teller.settle();
        for line in teller.take() {
            if lines.write(line).await.is_err() {
                // Nobody reads any more: what runs is of no use to anybody.
                return Ok(teller.exit_code());
            }
        }
        if lines.flush().await.is_err() || teller.is_complete() {
            break;
        }
    }
    match teller.take_failure() {
        Some(problem) => Err(problem),
        None => Ok(teller.exit_code()),
    }
}

fn on_message(shared: &Arc<Shared>, teller: &mut Teller, message: Outgoing) {
    match message {
        Outgoing::Event(event) => teller.on_event(event),
        Outgoing::Verbatim(words) => teller.on_verbatim(&words),
        Outgoing::Response { id, result } => teller.on_response(&id, result),
        Outgoing::Request { id, method, params } => {
            if let Some(line) = asks::put(shared, &id, method, &params) {
                teller.on_line(line);
            }
        }
        Outgoing::Notification { method, params } => {
            if let Some(line) = asks::withdraw(shared, method, &params) {
                teller.on_line(line);
            }
        }
    }
}

/// The turn stays unfinished, and whatever it started ends with us.
async fn interrupted(shared: &Shared, interrupt: Interrupt) -> u8 {
    shared.close().await;
    interrupt.exit_code()
}

impl Shared {
    /// Closes the session, so that its journal is complete.
    async fn close(&self) {
        // First the door: nobody carries questions to the host any more, and none must wait for it.
        self.door.close();
        if let Some(core) = self.core() {
            let (done, closed) = oneshot::channel();
            core.send(Event::Shutdown(done)).await;
            let _ = closed.await;
        }
    }
}
