//! The client of an agent: gives it its task, passes on what it does, brings its mail, and knows when
//! it is done.

use std::path::PathBuf;
use std::sync::Arc;

use agent::StreamEvent;
use protocol::EventBody;
use protocol::event::{Notice, Severity, StopReason, TurnEnded};
use protocol::snapshot::Role;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{AgentNews, Family, Member, Told};
use crate::core::{Door, Outgoing, Reply};
use crate::session::{Msg, Said, Speaker, Verbatim};
use crate::store;

/// What an agent came to.
pub(super) struct Heard {
    /// The text of its last message.
    pub(super) answer: String,
    pub(super) calls: u64,
    pub(super) tokens: u64,
    ended: Option<TurnEnded>,
    begun: bool,
    /// It broke down.
    lost: bool,
}

pub(super) struct Driver {
    /// Dropping it closes the agent's session.
    pub(super) inbox: Closing,
    pub(super) door: Arc<Door>,
    pub(super) family: Arc<Family>,
    pub(super) member: Arc<Member>,
    pub(super) mail: mpsc::Receiver<String>,
    pub(super) cancel: CancellationToken,
    /// Where what it does is written down for who looks.
    pub(super) output: Option<PathBuf>,
    pub(super) heard: Heard,
}

/// Ends a session when nobody drives it any more.
pub(super) struct Closing(pub(super) mpsc::Sender<Msg>);

impl Drop for Closing {
    fn drop(&mut self) {
        let inbox = self.0.clone();
        if inbox.try_send(Msg::Close { reply: None }).is_err() && !inbox.is_closed() {
            tokio::spawn(async move { inbox.send(Msg::Close { reply: None }).await });
        }
    }
}

impl Driver {
    /// Until there is nothing left for the agent to do.
    pub(super) async fn run(mut self, task: String) -> Heard {
        let mut stopping = false;
        let skills = self.preload().await;
        self.tell(Told { text: task, skills }).await;
        self.catch_up().await;
        // Without a turn there is nothing to wait for: its journal cannot be written.
        self.heard.lost = !self.heard.begun;
        while !self.heard.lost {
            if self.heard.ended.is_some() && self.is_done(stopping).await {
                break;
            }
            tokio::select! {
                batch = self.door.outbox.take() => {
                    for message in batch {
                        self.on_message(message).await;
                    }
                }
                Some(mail) = self.mail.recv() => self.say(mail).await,
                () = self.cancel.cancelled(), if !stopping => {
                    stopping = true;
                    self.stop().await;
                }
                () = self.inbox.0.closed() => self.heard.lost = true,
            }
        }
        self.close().await;
        self.heard
    }

    async fn say(&mut self, text: String) {
        self.tell(Told { text, ..Told::default() }).await;
    }

    async fn tell(&self, told: Told) {
        let _ = self.inbox.0.send(Msg::Told(Box::new(told))).await;
    }

    /// For the user, in the agent's name.
    pub(super) async fn warn(&self, text: &str) {
        let text = format!("{}: {text}", self.member.called);
        self.show(EventBody::Notice(Notice { severity: Severity::Warning, text })).await;
    }

    async fn stop(&self) {
        let params = protocol::session::SessionCancelParams {
            session_id: String::new(),
            turn_id: None,
            tool_call_id: None,
            task_id: None,
        };
        let _ = self.inbox.0.send(Msg::Cancel { params, reply: Reply::new(|_| ()) }).await;
    }

    /// A turn has ended: whether another one has begun since, or has to. Whatever was said to the
    /// agent before is dealt with when it answers this.
    async fn is_done(&mut self, stopping: bool) -> bool {
        self.catch_up().await;
        if self.heard.ended.is_none() {
            return false;
        }
        // Whoever writes from here on is told that it has ended.
        self.mail.close();
        match self.mail.try_recv() {
            Ok(mail) if !stopping => {
                self.heard.ended = None;
                self.say(mail).await;
                false
            }
            _ => true,
        }
    }

    /// Everything that was said to it so far is dealt with, and what it showed is known.
    async fn catch_up(&mut self) {
        self.ask(|reply| Msg::Config { set: None, reply }).await;
        if self.door.outbox.waiting() > 0 {
            for message in self.door.outbox.take().await {
                self.on_message(message).await;
            }
        }
    }

    /// Its journal is complete when this returns.
    async fn close(&mut self) {
        self.ask(|reply| Msg::Close { reply: Some(reply) }).await;
        self.door.close();
    }

    /// Waits until the agent's session has dealt with this.
    async fn ask(&self, msg: impl FnOnce(Reply) -> Msg) {
        let (done, is_done) = oneshot::channel::<()>();
        let reply = Reply::new(move |_| drop(done));
        let _ = self.inbox.0.send(msg(reply)).await;
        let _ = is_done.await;
    }

    async fn on_message(&mut self, message: Outgoing) {
        let event = match message {
            Outgoing::Event(event) => event,
            Outgoing::Verbatim(words) => return self.pass_on(&words).await,
            _ => return,
        };
        let mut body = event.body.clone();
        match &mut body {
            EventBody::TurnStarted(_) => {
                self.heard.begun = true;
                self.heard.ended = None;
            }
            EventBody::TurnEnded(ended) => {
                self.heard.tokens += ended.usage.input_tokens
                    + ended.usage.output_tokens
                    + ended.usage.cache_read_tokens
                    + ended.usage.cache_write_tokens;
                self.heard.ended = Some(ended.clone());
                self.paid().await;
            }
            EventBody::MessageStarted(started) if started.role == Role::Assistant => {
                self.heard.answer.clear();
            }
            EventBody::MessageRetracted(_) => self.heard.answer.clear(),
            EventBody::MessageDelta(delta) => self.heard.answer.push_str(&delta.text),
            EventBody::UsageUpdated(_) => self.paid().await,
            EventBody::ToolStarted(started) => {
                self.heard.calls += 1;
                started.tool_call_id = self.member.outer(&started.tool_call_id);
                started.parent_tool_call_id = Some(self.member.call.clone());
                self.show(body).await;
            }
            EventBody::ToolUpdated(update) => {
                update.tool_call_id = self.member.outer(&update.tool_call_id);
                if let Some(title) = update.title.clone() {
                    self.write_down(format!("{title}\n")).await;
                }
                self.show(body).await;
            }
            EventBody::ToolEnded(ended) => {
                ended.tool_call_id = self.member.outer(&ended.tool_call_id);
                self.show(body).await;
            }
            EventBody::Notice(notice) if notice.severity != Severity::Info => {
                let text = format!("{}: {}", self.member.called, notice.text);
                let notice = Notice { severity: notice.severity.clone(), text };
                self.show(EventBody::Notice(notice)).await;
            }
            _ => {}
        }
    }

    /// In the agent's name, and with its calls as the root's clients know them.
    async fn pass_on(&self, words: &Verbatim) {
        let agent::Record::Agent { agent, description, .. } = &self.member.record else { return };
        let by = words.by.clone().unwrap_or_else(|| Speaker {
            id: self.member.id.clone(),
            agent: agent.clone(),
            description: description.clone(),
            call: self.member.call.clone(),
        });
        let mut said = words.said.clone();
        match &mut said {
            Said::Heard(StreamEvent::ToolStarted { id, .. }) => *id = self.member.outer(id),
            Said::Called(told) => told.id = self.member.outer(&told.id),
            _ => {}
        }
        let words = Arc::new(Verbatim { by: Some(by), said });
        self.family.tell(AgentNews::Verbatim(words)).await;
    }

    async fn show(&self, body: EventBody) {
        self.family.tell(AgentNews::Event(Box::new(body))).await;
    }

    async fn paid(&self) {
        self.family.tell(AgentNews::Spent { call: self.member.call.clone() }).await;
    }

    async fn write_down(&self, text: String) {
        let Some(path) = self.output.clone() else { return };
        let written = tokio::task::spawn_blocking(move || store::append(&path, &text)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "what an agent does could not be written down");
        }
    }
}

impl Heard {
    pub(super) fn nothing() -> Self {
        let (begun, lost) = (false, false);
        Self { answer: String::new(), calls: 0, tokens: 0, ended: None, begun, lost }
    }

    /// What it says, or why it has nothing to say; and whether that is a failure.
    pub(super) fn outcome(&self) -> (String, &'static str) {
        let answer = self.answer.trim();
        let with = |why: &str| match answer.is_empty() {
            true => why.to_owned(),
            false => format!("{why} It said last:\n{answer}"),
        };
        let Some(ended) = self.ended.as_ref().filter(|_| !self.lost) else {
            return (with("The agent broke down."), "failed");
        };
        match (&ended.error, &ended.stop_reason) {
            (_, StopReason::Cancelled) => (with("The agent was stopped."), "stopped"),
            (Some(error), _) => (with(&format!("The agent failed: {}", error.message)), "failed"),
            (None, StopReason::EndTurn | StopReason::MaxTokens) if answer.is_empty() => {
                ("The agent ended without saying anything.".to_owned(), "completed")
            }
            (None, StopReason::EndTurn | StopReason::MaxTokens) => (answer.to_owned(), "completed"),
            (None, reason) => (with(&format!("The agent ended early ({reason}).")), "failed"),
        }
    }
}
