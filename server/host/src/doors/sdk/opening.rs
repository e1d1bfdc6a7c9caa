//! The session comes to be: a new one, one that goes on, or a copy of one.

use std::sync::Arc;

use protocol::negotiation::ClientCapabilities;
use protocol::session::{
    SessionAttach, SessionAttachParams, SessionFork, SessionForkParams, SessionList,
    SessionListParams, SessionNew, SessionNewParams,
};
use protocol::snapshot::{Role, Snapshot, SnapshotMessage};

use super::messages::{ids, mirror};
use super::shared::Shared;
use super::{Asks, Job};
use crate::core::{self, CoreHandle, Event, Profile, RpcError, request};
use crate::doors::headless::{ForkAt, Resume};
use crate::store;

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
    let asks = &job.wishes.asks;
    let agent = ClientCapabilities {
        version: protocol::VERSION,
        permission: Some(*asks != Asks::Nobody),
        // A tool decides; it has nothing to say.
        ask: Some(*asks == Asks::Host),
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
            Resume::Id(id) => {
                self.fetch(&id).await?;
                id
            }
            Resume::Latest => self.latest(&cwd).await?,
        };
        match job.fork {
            None => self.attach(before, cwd).await.map(|(id, _)| id),
            Some(at) => {
                let at_message = match at {
                    ForkAt::End => None,
                    ForkAt::Message(message) => {
                        let drops = job.drops_turn.as_deref();
                        Some(self.message_of(&before, &cwd, message, drops).await?)
                    }
                };
                let params = SessionForkParams { session_id: before, at_message };
                let copy = self.ask::<SessionFork>(&params).await?.session_id;
                self.attach(copy, cwd).await.map(|(id, _)| id)
            }
        }
    }

    /// A session that is not here may lie where the host put it.
    async fn fetch(&self, id: &str) -> Result<(), RpcError> {
        let (host, id) = (self.shared.host.clone(), id.to_owned());
        let fetched = tokio::task::spawn_blocking(move || {
            let sessions = host.sessions_dir();
            if store::find(&sessions, &id).is_some() {
                return Ok(());
            }
            match store::transcript(&mirror::projects(&host), &id) {
                Some(file) => store::take_over(&sessions, &file, host.clock.millis()),
                None => Ok(()),
            }
        });
        let fetched = fetched.await.unwrap_or_else(|error| Err(error.to_string()));
        fetched.map_err(RpcError::failed)
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
        drops: Option<&str>,
    ) -> Result<String, RpcError> {
        let (_, snapshot) = self.attach(session.to_owned(), cwd.to_owned()).await?;
        let messages = snapshot.map(|snapshot| snapshot.messages).unwrap_or_default();
        let is_it = |id: &str| *id == wanted || ids::is_of(&wanted, id);
        let found = messages.iter().position(|message| is_it(&message.message_id));
        let detach = protocol::session::SessionRef { session_id: session.to_owned() };
        let _ = self.ask::<protocol::session::SessionClose>(&detach).await;
        let Some(at) = found else {
            let message = format!("There is no message {wanted} in the session.");
            return Err(RpcError::failed(message));
        };
        if let Some(turn) = drops {
            only_drops(&messages[at + 1..], turn).map_err(RpcError::failed)?;
        }
        Ok(messages[at].message_id.clone())
    }
}

/// What is left out is one turn, and the host knows which.
fn only_drops(left_out: &[SnapshotMessage], turn: &str) -> Result<(), String> {
    let rejected = |why: &str| Err(format!("Resume rejected by --resume-drops-turn: {why}"));
    let mut prompts = left_out.iter().filter(|message| message.role == Role::User);
    match (prompts.next(), prompts.next()) {
        (None, _) => rejected("nothing of that turn comes after the message."),
        (Some(first), _) if first.message_id != turn => {
            rejected("another turn comes after the message.")
        }
        (Some(_), Some(_)) => rejected("more was said after that turn, which would be lost."),
        (Some(_), None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_turn_may_go() {
        let said = |id: &str, role: Role| SnapshotMessage {
            message_id: id.to_owned(),
            role,
            at: None,
            blocks: Vec::new(),
        };
        let turn = [said("u2", Role::User), said("a2", Role::Assistant)];
        assert!(only_drops(&turn, "u2").is_ok());
        let more = [&turn[..], &[said("u3", Role::User)]].concat();
        for (left_out, turn) in [(&turn[..], "u1"), (&more[..], "u2"), (&[][..], "u2")] {
            let why = only_drops(left_out, turn).unwrap_err();
            assert!(why.starts_with("Resume rejected by --resume-drops-turn:"), "{why}");
        }
    }
}
