//! Skills that an agent's file names: the agent has their text from the beginning.

use agent::Block;
use protocol::event::Severity;
use tokio::sync::oneshot;

use super::drive::Driver;
use crate::core::Reply;
use crate::session::queue::waiting;
use crate::session::{Expansion, Msg, Ready, Session};

/// What an agent is told: words, and skills along with them.
#[derive(Default)]
pub struct Told {
    pub(super) text: String,
    pub(super) skills: Vec<Ready>,
}

impl Driver {
    /// The skills are made ready here, because their commands are written down by the agent's session.
    pub(super) async fn preload(&self) -> Vec<Ready> {
        let (reply, expansions) = oneshot::channel();
        let _ = self.inbox.0.send(Msg::Preload { reply }).await;
        let mut skills = Vec::new();
        for expansion in expansions.await.unwrap_or_default() {
            let ready = tokio::select! {
                ready = expansion.run() => ready,
                () = self.cancel.cancelled() => break,
            };
            match ready {
                Ok(ready) => skills.push(ready),
                Err(problem) => self.warn(&problem).await,
            }
        }
        skills
    }
}

impl Session {
    /// Everything that the skills of this agent take.
    pub(in crate::session) async fn on_preload(&mut self, reply: oneshot::Sender<Vec<Expansion>>) {
        let member = self.agents.member.clone();
        let names = member.map(|member| member.skills.clone()).unwrap_or_default();
        let mut expansions = Vec::new();
        if !names.is_empty() && self.conversation.entries().is_empty() {
            self.look_at_skills().await;
            for name in &names {
                match self.preloadable(name) {
                    Ok(skill) => expansions.push(self.expansion(skill, "")),
                    Err(problem) => self.notice(Severity::Warning, problem),
                }
            }
        }
        if !expansions.is_empty()
            && let Err(error) = self.begin_journal().await
        {
            self.notice(Severity::Error, error.to_string());
            expansions.clear();
        }
        let _ = reply.send(expansions);
    }

    /// What an agent is told by the one it works for, or by another: never a command.
    pub(in crate::session) async fn on_told(&mut self, told: Told) {
        let message_id = self.next_id("told");
        let shown = vec![protocol::prompt::Block::text(told.text.clone())];
        let mut content = vec![Block::text(told.text)];
        for skill in told.skills {
            skill.folder().into_iter().for_each(|folder| self.state.open_skill(folder));
            content.extend(skill.into_blocks());
        }
        let prompt = waiting(message_id, content, &shown);
        match self.running.is_some() {
            true => self.steer(prompt, Reply::new(|_| ())).await,
            false => self.start_turn(prompt, None).await,
        }
    }
}
