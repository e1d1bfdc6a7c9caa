//! The pipeline's gate, as a session keeps it: shows, asks and writes down by messages to itself.

use agent::Record;
use agent::turn::ToolCall;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tools::{Answer, Gate, Problem, Proposal};

use super::ask::permission_request;
use super::{CallNews, Msg};

pub(super) struct SessionGate {
    session_id: String,
    turn_id: String,
    own: mpsc::Sender<Msg>,
    cancel: CancellationToken,
}

impl SessionGate {
    pub(super) fn new(
        session_id: String,
        turn_id: String,
        own: mpsc::Sender<Msg>,
        cancel: CancellationToken,
    ) -> Self {
        Self { session_id, turn_id, own, cancel }
    }

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

    fn ask<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Answer> {
        let params = permission_request(&self.session_id, &self.turn_id, proposal);
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
        let record = Record::Permission {
            turn: self.turn_id.clone(),
            call: call.id.clone(),
            tool: call.name.clone(),
            input: call.input.clone(),
            allowed,
            reason: reason.to_owned(),
        };
        async move {
            let (done, written) = oneshot::channel();
            self.tell(call, CallNews::Record { record: Box::new(record), done }).await;
            let written = written.await.unwrap_or_else(|_| Err("the session ended".to_owned()));
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
}
