//! The session comes to be: a new one, one that goes on, or a copy of one.

use std::sync::Arc;

use protocol::negotiation::ClientCapabilities;
use protocol::session::{
    SessionAttach, SessionAttachParams, SessionFork, SessionForkParams, SessionList,
    SessionListParams, SessionNew, SessionNewParams,
};
use protocol::snapshot::Snapshot;

use super::messages::ids;
use super::shared::Shared;
use super::{Asks, Job};
use crate::core::{self, CoreHandle, Event, Profile, RpcError, request};
use crate::doors::headless::{ForkAt, Resume};

/// The error is a sentence for the user.
pub(super) async fn open(shared: &Arc<Shared>, job: Job) -> Result<(), String> {
    shared.door.set_profile(profile(&job));
    shared.door.offer_servers(shared.servers.clone());
    let core = core::spawn(shared.host.clone(), job.limits.clone());
    core.send(Event::DoorOpened(shared.door.clone())).await;
    let opening = Opening { core: &core, shared };
    let session = opening.session(job).await.map_err(|error| error.message)?;
    shared.opened(core, session);
    Ok(())
}

fn profile(job: &Job) -> Profile {
    let asks = job.wishes.asks == Asks::Host;
    let agent = ClientCapabilities {
        version: protocol::VERSION,
        permission: Some(asks),
        ask: Some(asks),
        suggestion: Some(job.suggestions),
        ..ClientCapabilities::default()
    };
    Profile { agent, verbatim: true, ..Profile::default() }
}

struct Opening<'a> {
    core: &'a CoreHandle,
    shared: &'a Shared,
}

impl Opening<'_> {
    async fn session(&self, job: Job) -> Result<String, RpcError> {
        let cwd = job.cwd.display().to_string();
        let before = match job.resume {
            Resume::New => {
                let params = SessionNewParams {
                    cwd,
                    ephemeral: Some(job.ephemeral),
                    session_id: job.session_id,
                    title: job.title,
                    ..SessionNewParams::default()
                };
                return Ok(self.ask::<SessionNew>(&params).await?.session_id);
            }
            Resume::Id(id) => id,
            Resume::Latest => self.latest(&cwd).await?,
        };
        match job.fork {
            None => self.attach(before, cwd).await.map(|(id, _)| id),
            Some(at) => {
                let at_message = match at {
                    ForkAt::End => None,
                    ForkAt::Message(message) => {
                        Some(self.message_of(&before, &cwd, message).await?)
                    }
                };
                let params = SessionForkParams { session_id: before, at_message };
                let copy = self.ask::<SessionFork>(&params).await?.session_id;
                self.attach(copy, cwd).await.map(|(id, _)| id)
            }
        }
    }

    async fn ask<R: protocol::Request>(&self, params: &R::Params) -> Result<R::Result, RpcError> {
        request::<R>(self.core, &self.shared.door, params).await
    }

    async fn latest(&self, cwd: &str) -> Result<String, RpcError> {
        let params =
            SessionListParams { cwd: Some(cwd.to_owned()), ..SessionListParams::default() };
        let listed = self.ask::<SessionList>(&params).await?;
        let latest = listed.sessions.into_iter().next();
        latest.map(|session| session.session_id).ok_or_else(|| {
            RpcError::failed(
                "There is no session in this folder to continue; leave out --continue.",
            )
        })
    }

    async fn attach(
        &self,
        session_id: String,
        cwd: String,
    ) -> Result<(String, Option<Snapshot>), RpcError> {
        let params = SessionAttachParams { session_id, since: None, cwd: Some(cwd) };
        let attached = self.ask::<SessionAttach>(&params).await?;
        Ok((attached.session_id, attached.snapshot))
    }

    /// A host names messages by the ids of their lines. Those of answers are made from ours, so the
    /// message is found by making them again.
    async fn message_of(
        &self,
        session: &str,
        cwd: &str,
        wanted: String,
    ) -> Result<String, RpcError> {
        let (_, snapshot) = self.attach(session.to_owned(), cwd.to_owned()).await?;
        let messages = snapshot.map(|snapshot| snapshot.messages).unwrap_or_default();
        let mut known = messages.into_iter().map(|message| message.message_id);
        let found = known.find(|id| *id == wanted || ids::is_of(&wanted, id));
        let detach = protocol::session::SessionRef { session_id: session.to_owned() };
        let _ = self.ask::<protocol::session::SessionClose>(&detach).await;
        found.ok_or_else(|| {
            RpcError::failed(format!("There is no message {wanted} in the session."))
        })
    }
}
