//! A skill that is called: by the user, as a prompt, or by the model, as a tool.

use agent::Block;
use protocol::prompt::Block as PromptBlock;
use protocol::session::Delivery;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::expand::AGENT;
use super::{Expansion, Ready};
use crate::core::{Reply, RpcError};
use crate::session::blocks::plain_text;
use crate::session::hooks::HeldPrompt;
use crate::session::queue::waiting;
use crate::session::{Msg, Session};

/// A prompt that waits for its skill's commands.
pub(super) struct Expanding {
    cancel: CancellationToken,
}

/// What is known of it meanwhile.
pub struct Held {
    pub message_id: String,
    /// As the user wrote it.
    pub shown: Vec<PromptBlock>,
    /// What came with it.
    pub more: Vec<Block>,
    pub delivery: Option<Delivery>,
    pub reply: Reply,
}

impl super::SkillBook {
    /// A prompt waits for what its command stands for. False when another one does.
    pub(in crate::session) fn begin_expanding(&mut self, cancel: CancellationToken) -> bool {
        let free = self.expanding.is_none();
        if free {
            self.expanding = Some(Expanding { cancel });
        }
        free
    }

    pub(in crate::session) fn end_expanding(&mut self) {
        self.expanding = None;
    }
}

impl Session {
    /// The user calls a skill: what the model is to read, at once or when its commands are done. The
    /// error is a sentence for the user.
    pub(in crate::session) fn call_skill(
        &mut self,
        name: &str,
        arguments: &str,
    ) -> Result<Option<Expansion>, String> {
        let Some(skill) = self.skills.find(name).cloned() else { return Ok(None) };
        if skill.head.not_for_user {
            return Err(format!(
                "The skill {name} is for the agent to use; say in words what you want."
            ));
        }
        Ok(Some(self.expansion(skill, arguments)))
    }

    /// Carries the skill out on a task of its own; the prompt is answered when it is ready.
    pub(in crate::session) async fn expand_prompt(&mut self, expansion: Expansion, held: Held) {
        if self.is_expanding() {
            let message = "Another command is still being made ready; wait for it, or stop it.";
            return held.reply.err(RpcError::failed(message));
        }
        if let Err(error) = self.begin_journal().await {
            return held.reply.err(RpcError::failed(error.to_string()));
        }
        self.skills.begin_expanding(expansion.cancel.clone());
        let own = self.own.clone();
        tokio::spawn(async move {
            let written = plain_text(&held.shown);
            let (_, arguments) = written.split_once(char::is_whitespace).unwrap_or_default();
            let ready = expansion.run_for_prompt(&written, arguments.trim()).await;
            let _ =
                own.send(Msg::Expanded { ready: ready.map(Box::new), held: Box::new(held) }).await;
        });
    }

    /// Whether prompts have to wait for one that came before them.
    pub(in crate::session) fn is_expanding(&self) -> bool {
        self.skills.expanding.is_some()
    }

    pub(in crate::session) fn stop_expanding(&mut self) -> bool {
        let expanding = self.skills.expanding.as_ref();
        expanding.map(|expanding| expanding.cancel.cancel()).is_some()
    }

    /// A prompt's skill is ready, or could not be used.
    pub(in crate::session) async fn on_expanded(
        &mut self,
        ready: Result<Box<Ready>, String>,
        held: Held,
    ) {
        self.skills.end_expanding();
        let Held { message_id, shown, more, delivery, reply } = held;
        match ready {
            Ok(ready) => {
                let mut content = self.said_with(&message_id, &shown, *ready);
                content.extend(more);
                let prompt = waiting(message_id, content, &shown);
                // Those that came meanwhile wait behind it.
                let source = "user";
                match self.running.is_none() && self.compacting.is_none() {
                    true if !self.is_checking() => self.start_turn(prompt, Some(reply)).await,
                    _ => self.submit(HeldPrompt { prompt, delivery, reply, source }).await,
                }
            }
            Err(problem) => {
                reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem));
                if self.running.is_none() && !self.prompts.held {
                    self.start_next().await;
                }
            }
        }
    }

    /// What the model reads when the user calls a skill: the user's own words, and the skill unless
    /// it stands there already.
    pub(in crate::session) fn said_with(
        &mut self,
        message_id: &str,
        shown: &[PromptBlock],
        ready: Ready,
    ) -> Vec<Block> {
        let written = shown.first().map(|first| plain_text(std::slice::from_ref(first)));
        let written = written.unwrap_or_default();
        let note = match (self.has_said(&ready.name, &ready.note), &ready.fork) {
            (true, _) => again(&ready.name),
            (false, Some(fork)) if self.registry.kind(AGENT).is_some() => {
                let who = fork.agent.as_deref().map(|agent| format!(" of the type {agent}"));
                let who = who.unwrap_or_default();
                format!(
                    "This skill is for an agent of its own. Start one{who} with the text below as its \
                     prompt, and tell the user what it reports.\n\n{}",
                    ready.note
                )
            }
            (false, _) => ready.note,
        };
        self.skills.terms.insert(message_id.to_owned(), ready.terms);
        let note = Block::text(tools::reminder(&note));
        std::iter::once(Block::text(written)).chain([note]).chain(ready.attached).collect()
    }

    /// The turn of a prompt begins: what its skill brings along holds for it.
    pub(in crate::session) fn begin_terms(&mut self, message_id: &str) {
        if let Some(terms) = self.skills.terms.remove(message_id) {
            self.apply_terms(terms);
        }
    }

    /// The model calls a skill: everything that takes, or why not.
    pub(in crate::session) async fn on_skill_called(
        &mut self,
        name: &str,
        arguments: &str,
        reply: oneshot::Sender<Result<Expansion, String>>,
    ) {
        self.look_at_skills().await;
        let found = self.skills.find(name).cloned();
        let expansion = match found {
            Some(skill) if self.skills.is_for_model(&skill) => Ok(self.expansion(skill, arguments)),
            Some(_) => Err(format!("Only the user may call the skill {name}.")),
            None => {
                let names: Vec<String> = self
                    .skills
                    .iter()
                    .filter(|skill| self.skills.is_for_model(skill))
                    .map(|skill| skill.name.clone())
                    .collect();
                Err(format!("There is no skill {name:?}. There are: {}.", names.join(", ")))
            }
        };
        let _ = reply.send(expansion);
    }

    /// A skill that the model called is ready: it comes with the next message, and the result says
    /// so.
    pub(in crate::session) async fn on_skill_ready(
        &mut self,
        ready: Ready,
        said: oneshot::Sender<String>,
    ) {
        let Ready { name, note, attached, terms, .. } = ready;
        self.apply_terms(terms);
        let sentence = match self.has_said(&name, &note) {
            true => again(&name),
            false => {
                self.on_note(note).await;
                format!("The skill {name} follows. Do what it says.")
            }
        };
        for block in attached {
            if let Block::Text { text, .. } = block {
                let text = text.trim_start_matches("<system-reminder>");
                self.on_note(text.trim_end_matches("</system-reminder>").to_owned()).await;
            }
        }
        let _ = said.send(sentence);
    }
}

fn again(name: &str) -> String {
    format!(
        "The skill {name} was called again; what it says is the same as before. Follow it again."
    )
}
