//! The gate for what a skill's text has done by itself: commands whose output it wants, files it
//! names. The rules decide as for any call, but nobody is asked: what is not allowed does not happen.

use agent::turn::ToolCall;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tools::{Amended, Answer, EndedCall, Gate, Guards, Judgement, Problem, Proposal};

use super::terms::Lent;
use crate::session::gate::write_down;
use crate::session::hooks::AfterCalls;
use crate::session::{CallNews, Msg};

pub(super) struct SkillGate {
    pub(super) turn: String,
    pub(super) own: mpsc::Sender<Msg>,
    /// The user's hooks look at these calls, too.
    pub(super) guards: Guards,
    pub(super) after: AfterCalls,
}

impl SkillGate {
    /// What a skill brings along holds for the turn, and for the agent that the turn starts.
    pub(super) async fn lend(&self, id: &str, terms: Lent, done: oneshot::Sender<()>) {
        let news = CallNews::SkillLent { terms: Box::new(terms), done };
        let _ = self.own.send(Msg::Call { id: id.to_owned(), news }).await;
    }

    async fn tell(&self, call: &ToolCall, news: CallNews) {
        let _ = self.own.send(Msg::Call { id: call.id.clone(), news }).await;
    }
}

impl Gate for SkillGate {
    fn planned<'a>(&'a self, _: &'a Proposal<'_>) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn guards(&self) -> &Guards {
        &self.guards
    }

    fn judge<'a>(&'a self, _: &'a Proposal<'_>) -> BoxFuture<'a, Judgement> {
        let why = "Commands of a skill are not judged by a model.".to_owned();
        std::future::ready(Judgement::Unclear { why }).boxed()
    }

    fn tell_user<'a>(&'a self, call: &'a ToolCall, text: String) -> BoxFuture<'a, ()> {
        self.tell(call, CallNews::Notice(text)).boxed()
    }

    fn ask<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Answer> {
        let reason = format!(
            "{} A skill's own commands are not asked about; allow them with a rule, or with \
             `allowed-tools` in its head.",
            proposal.decision.reason
        );
        std::future::ready(Answer::Deny { reason, feedback: None }).boxed()
    }

    fn record<'a>(
        &'a self,
        call: &'a ToolCall,
        allowed: bool,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        async move {
            let written = write_down(&self.own, &self.turn, call, allowed, reason).await;
            written.map_err(|error| Problem(format!("It could not be written down ({error}).")))
        }
        .boxed()
    }

    fn running<'a>(&'a self, _: &'a ToolCall) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn hears_results(&self) -> bool {
        self.after.wanted()
    }

    fn ended<'a>(&'a self, ended: EndedCall<'a>) -> BoxFuture<'a, Amended> {
        self.after.ended(ended).boxed()
    }
}
