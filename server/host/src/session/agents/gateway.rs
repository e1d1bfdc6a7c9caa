//! How a call reaches the agents of its session.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tools::{AgentReport, AgentView, AgentWish, Agents};

use super::request::AgentRequest;
use super::{Family, Launch, Member, Ran, SessionAgents};
use crate::session::{CallNews, Msg};

const OVER: &str = "The session is over.";

/// One for each call.
pub(in crate::session) struct Gateway {
    pub(super) agents: SessionAgents,
    own: mpsc::Sender<Msg>,
    call: String,
}

impl SessionAgents {
    pub(in crate::session) fn gateway(&self, own: mpsc::Sender<Msg>, call: String) -> Gateway {
        let SessionAgents { known, family, member, lead } = self;
        let agents = SessionAgents {
            known: known.clone(),
            family: family.clone(),
            member: member.clone(),
            lead: lead.clone(),
        };
        Gateway { agents, own, call }
    }
}

impl Gateway {
    pub(super) fn family(&self) -> &Arc<Family> {
        &self.agents.family
    }

    /// The call as the root's clients know it.
    pub(in crate::session) fn outer(&self, call: &str) -> String {
        self.member().map_or_else(|| call.to_owned(), |member| member.outer(call))
    }

    pub(super) fn member(&self) -> Option<&Member> {
        self.agents.member.as_deref()
    }

    async fn prepare(&self, request: AgentRequest) -> Result<Launch, String> {
        let (reply, launch) = oneshot::channel();
        let news = CallNews::Agent { request: Box::new(request), reply };
        let _ = self.own.send(Msg::Call { id: self.call.clone(), news }).await;
        launch.await.map_err(|_| OVER.to_owned())?.map(|launch| *launch)
    }

    async fn stored(&self) -> Vec<Ran> {
        let family = self.family().clone();
        tokio::task::spawn_blocking(move || family.all_stored()).await.unwrap_or_default()
    }

    /// An agent that has ended, as it would go on with this.
    pub(super) async fn resume(&self, who: &str, mail: String) -> Result<Launch, String> {
        let Some(ran) = self.stored().await.into_iter().find(|agent| agent.answers_to(who)) else {
            return Err(format!("There is no agent {who:?}. ListAgents says which there are."));
        };
        self.prepare(AgentRequest::GoOn { ran, mail }).await
    }
}

impl Agents for Gateway {
    fn resolve(&self, name: &str) -> Result<String, String> {
        self.agents.resolve(name)
    }

    fn start(
        &self,
        wish: AgentWish,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<AgentReport, String>> {
        async move { self.prepare(AgentRequest::Start(wish)).await?.start(cancel).await }.boxed()
    }

    fn send(&self, to: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        self.deliver(to, text).boxed()
    }

    fn list(&self) -> BoxFuture<'_, Vec<AgentView>> {
        let view = |ran: Ran| {
            let Ran { id, name, agent, description, state, .. } = ran;
            AgentView { id, name, agent, description, state }
        };
        async move { self.stored().await.into_iter().map(view).collect() }.boxed()
    }
}
