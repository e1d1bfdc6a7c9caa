//! The pipeline's gate, as a session keeps it: shows, asks and writes down by messages to itself.

use std::path::PathBuf;

use agent::Record;
use agent::turn::ToolCall;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tools::{Amended, Answer, EndedCall, Gate, Guards, Judgement, Problem, Proposal};

use super::ask::{Asker, Keeps, permission_request};
use super::hooks::AfterCalls;
use super::{CallNews, Msg, Session};

pub(super) struct SessionGate {
    pub(super) session_id: String,
    pub(super) turn_id: String,
    pub(super) own: mpsc::Sender<Msg>,
    pub(super) cancel: CancellationToken,
    /// Which rules may be kept.
    pub(super) keeps: Keeps,
    /// The mode auto can be chosen.
    pub(super) auto: bool,
    pub(super) home: Option<PathBuf>,
    pub(super) cwd: String,
    pub(super) guards: Guards,
    /// Those who look at results.
    pub(super) after: AfterCalls,
}

impl Session {
    /// The gate of a call, or of all calls of a turn.
    pub(super) fn gate(&self, turn_id: String, cancel: CancellationToken) -> SessionGate {
        SessionGate {
            session_id: self.id.clone(),
            turn_id,
            own: self.own.clone(),
            cancel,
            keeps: self.keeps(),
            auto: self.auto_is_there(),
            home: self.host.home(),
            cwd: self.state.cwd().display().to_string(),
            guards: self.guards.clone(),
            after: AfterCalls(self.hooks.clone()),
        }
    }
}

/// Has a decision written down, in the words of the error if it cannot be.
pub(super) async fn write_down(
    own: &mpsc::Sender<Msg>,
    turn: &str,
    call: &ToolCall,
    allowed: bool,
    reason: &str,
) -> Result<(), String> {
    let record = Record::Permission {
        turn: turn.to_owned(),
        call: call.id.clone(),
        tool: call.name.clone(),
        input: call.input.clone(),
        allowed,
        reason: reason.to_owned(),
    };
    let (done, written) = oneshot::channel();
    let news = CallNews::Record { record: Box::new(record), done };
    let _ = own.send(Msg::Call { id: call.id.clone(), news }).await;
    written.await.unwrap_or_else(|_| Err("the session ended".to_owned()))
}

impl SessionGate {
    async fn tell(&self, call: &ToolCall, news: CallNews) {
        // The session outlives its calls; if it is gone, nobody cares any more.
        let _ = self.own.send(Msg::Call { id: call.id.clone(), news }).await;
    }
}

impl Gate for SessionGate {
    fn planned<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, ()> {
        let title = proposal.title.to_owned();
        let locations = proposal.locations.to_owned();
        self.tell(proposal.call, CallNews::Planned { title, locations }).boxed()
    }

    fn guards(&self) -> &Guards {
        &self.guards
    }

    fn judge<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Judgement> {
        async move {
            let call = proposal.call;
            if policy::auto::is_safe_tool(&call.name) {
                let reason = "It touches nothing but the session.".to_owned();
                return Judgement::Allow { reason };
            }
            let (reply, court) = oneshot::channel();
            self.tell(call, CallNews::Judge { reply }).await;
            match court.await {
                Ok(Ok(court)) => {
                    let judged = court.judge(proposal, &self.cwd).await;
                    let judgement = judged.judgement.clone();
                    self.tell(call, CallNews::Judged(Box::new(judged))).await;
                    judgement
                }
                Ok(Err(why)) => Judgement::Unclear { why },
                Err(_) => Judgement::Unclear { why: "The session ended.".to_owned() },
            }
        }
        .boxed()
    }

    fn tell_user<'a>(&'a self, call: &'a ToolCall, text: String) -> BoxFuture<'a, ()> {
        self.tell(call, CallNews::Notice(text)).boxed()
    }

    fn ask<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Answer> {
        let (session_id, turn_id) = (&self.session_id, &self.turn_id);
        let (keeps, auto, home) = (self.keeps, self.auto, self.home.as_deref());
        let asker = Asker { session_id, turn_id, keeps, auto, home };
        let params = permission_request(&asker, proposal);
        let request_id = params.request_id.clone();
        async move {
            let (answer, answered) = oneshot::channel();
            self.tell(proposal.call, CallNews::Ask { params: Box::new(params), answer }).await;
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    self.tell(proposal.call, CallNews::Withdraw { request_id }).await;
                    Answer::Cancelled
                }
                answer = answered => answer.unwrap_or(Answer::Cancelled),
            }
        }
        .boxed()
    }

    fn record<'a>(
        &'a self,
        call: &'a ToolCall,
        allowed: bool,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        async move {
            let written = write_down(&self.own, &self.turn_id, call, allowed, reason).await;
            written.map_err(|error| {
                Problem(format!(
                    "The permission could not be written to the journal ({error}), so the call did \
                     not run."
                ))
            })
        }
        .boxed()
    }

    fn running<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ()> {
        self.tell(call, CallNews::Running).boxed()
    }

    fn hears_results(&self) -> bool {
        self.after.wanted()
    }

    fn ended<'a>(&'a self, ended: EndedCall<'a>) -> BoxFuture<'a, Amended> {
        self.after.ended(ended).boxed()
    }
}
