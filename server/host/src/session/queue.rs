//! Prompts that wait for the running turn to end. They are in the journal before they are
//! acknowledged, and there again when the session is opened again.

use std::collections::VecDeque;

use agent::queue::Accepted;
use agent::{PromptQueue, Record, WaitingPrompt};
use protocol::event::QueueUpdated;
use protocol::prompt::Block;
use protocol::session::{
    Disposition, QueueOp, QueuedPrompt, SessionPromptResult, SessionQueueParams, SessionQueueResult,
};

use super::prompt_media::Prompt;
use super::{Session, blocks};
use crate::core::{Reply, RpcError};

/// More than this is not a queue but a mistake.
const MAX_QUEUED: usize = 100;
/// A client that repeats a command does so at once.
const HANDLED: usize = 64;

/// What was said to the session and is not yet part of a turn.
#[derive(Default)]
pub(super) struct Prompts {
    pub(super) queue: PromptQueue,
    /// The queue is from before a restart: nothing of it runs until somebody says something.
    pub(super) held: bool,
    /// The last prompts that were commands: they leave no record.
    handled: VecDeque<String>,
}

impl Prompts {
    /// Those that the journal of a session has. Whatever ran then runs no more.
    pub(super) fn left(mut queue: PromptQueue) -> Self {
        queue.settle();
        let held = !queue.is_empty();
        Self { queue, held, ..Self::default() }
    }

    /// What to tell whoever opens the session again.
    pub(super) fn notice(&self) -> Option<String> {
        let (what, is_sent) = match self.queue.len() {
            0 => return None,
            1 => ("A prompt was".to_owned(), "It is sent"),
            count => (format!("{count} prompts were"), "They are sent"),
        };
        Some(format!(
            "{what} still waiting when this session ended. {is_sent} before the next one you \
             write, unless you take them out of the queue."
        ))
    }
}

fn handled_as(id: &str) -> SessionPromptResult {
    let (turn_id, disposition) = (None, Disposition::Handled);
    SessionPromptResult { message_id: id.to_owned(), turn_id, disposition }
}

fn answer(accepted: &Accepted) -> SessionPromptResult {
    let disposition = match (accepted.began, &accepted.turn) {
        (true, _) => Disposition::Started,
        (false, Some(_)) => Disposition::Steered,
        (false, None) => Disposition::Queued,
    };
    let (message_id, turn_id) = (accepted.id.clone(), accepted.turn.clone());
    SessionPromptResult { message_id, turn_id, disposition }
}

/// A prompt as it waits. What cannot be shown is at least sent.
pub(super) fn waiting(id: String, content: Vec<agent::Block>, shown: &[Block]) -> WaitingPrompt {
    WaitingPrompt::new(id, content, serde_json::to_value(shown).unwrap_or_default())
}

/// As the client sent it.
pub(super) fn shown(prompt: &WaitingPrompt) -> Vec<Block> {
    serde_json::from_value(prompt.shown.clone())
        .unwrap_or_else(|_| vec![Block::text(blocks::agent_text(&prompt.content))])
}

impl Session {
    /// What was answered to a prompt that was sent before, with the same id.
    pub(super) fn answered(&self, id: &str) -> Option<SessionPromptResult> {
        let handled = self.prompts.handled.iter().any(|handled| handled == id);
        self.prompts.queue.accepted(id).map(answer).or_else(|| handled.then(|| handled_as(id)))
    }

    /// Answers a prompt that was a command, and remembers it.
    pub(super) fn accept_handled(&mut self, id: String, reply: Reply) {
        reply.ok(&handled_as(&id));
        self.prompts.handled.push_back(id);
        if self.prompts.handled.len() > HANDLED {
            self.prompts.handled.pop_front();
        }
    }

    /// Answers a prompt that is in the journal.
    pub(super) fn accept(&self, id: &str, reply: Reply) {
        if let Some(result) = self.answered(id) {
            reply.ok(&result);
        }
    }

    pub(super) async fn enqueue(&mut self, prompt: WaitingPrompt, reply: Reply) -> bool {
        if self.prompts.queue.len() >= MAX_QUEUED {
            let message = format!("{MAX_QUEUED} prompts are waiting already; wait or remove some.");
            reply.err(RpcError::new(RpcError::OVERLOADED, message));
            return false;
        }
        if let Err(error) = self.keep_waiting(&prompt, None).await {
            reply.err(error);
            return false;
        }
        self.accept(&prompt.id, reply);
        self.show_queue();
        true
    }

    /// A word into the running turn. Until the turn takes it up it is in the journal as waiting.
    pub(super) async fn steer(&mut self, prompt: WaitingPrompt, reply: Reply) {
        let turn_id = self.running.as_ref().map(|running| running.turn.id().to_owned());
        if let Err(error) = self.keep_waiting(&prompt, turn_id).await {
            return reply.err(error);
        }
        self.show_user_message(prompt.id.clone(), &shown(&prompt));
        self.accept(&prompt.id, reply);
        self.begin_terms(&prompt.id);
        let (message_id, content) = (prompt.id, prompt.content);
        self.feed(agent::turn::Input::Steer { message_id, content }).await;
    }

    /// On the disk before it is acknowledged.
    pub(super) async fn keep_waiting(
        &mut self,
        prompt: &WaitingPrompt,
        turn: Option<String>,
    ) -> Result<(), RpcError> {
        let kept = match self.begin_journal().await {
            Ok(()) => self.journal_durably(&prompt.record(turn)).await,
            Err(error) => Err(error),
        };
        kept.map_err(|error| RpcError::failed(not_kept(&error)))
    }

    pub(super) async fn start_next(&mut self) {
        if let Some(prompt) = self.prompts.queue.first().cloned() {
            self.start_turn(prompt, None).await;
        }
    }

    pub(super) async fn on_queue(&mut self, params: SessionQueueParams, reply: Reply) {
        if params.op == QueueOp::Start {
            reply.ok(&SessionQueueResult { queue: self.queued() });
            return self.go_on_with_queue().await;
        }
        if params.op != QueueOp::List
            && let Err(error) = self.change_queue(params).await
        {
            return reply.err(error);
        }
        reply.ok(&SessionQueueResult { queue: self.queued() });
    }

    /// After a stop the queue waits for the user; this is their word.
    async fn go_on_with_queue(&mut self) {
        self.prompts.held = false;
        let busy = self.compacting.is_some() || self.is_expanding();
        if self.running.is_none() && !busy {
            self.start_next().await;
        }
    }

    async fn change_queue(&mut self, params: SessionQueueParams) -> Result<(), RpcError> {
        let missing = |field: &str| {
            RpcError::new(RpcError::INVALID_PARAMS, format!("This operation needs `{field}`."))
        };
        let id = params.message_id.ok_or_else(|| missing("messageId"))?;
        if !self.prompts.queue.contains(&id) {
            return Err(RpcError::failed(format!("{id} is not in the queue.")));
        }
        let record = match params.op {
            QueueOp::Remove => Record::Unqueued { id },
            QueueOp::Replace => {
                let blocks = params.content.ok_or_else(|| missing("content"))?;
                let prompt = self.read_prompt(blocks).await;
                let Prompt { content, shown, .. } =
                    prompt.map_err(|problem| RpcError::new(RpcError::INVALID_PARAMS, problem))?;
                waiting(id, content, &shown).record(None)
            }
            QueueOp::Move => {
                Record::QueueMoved { id, to: params.to.ok_or_else(|| missing("to"))? as usize }
            }
            op => {
                let message = format!("There is no queue operation {op:?}.");
                return Err(RpcError::new(RpcError::INVALID_PARAMS, message));
            }
        };
        let kept = self.journal_durably(&record).await;
        kept.map_err(|error| RpcError::failed(format!("The queue stays as it is: {error}")))?;
        self.show_queue();
        Ok(())
    }

    fn queued(&self) -> Vec<QueuedPrompt> {
        let prompts = self
            .prompts
            .queue
            .iter()
            .map(|prompt| QueuedPrompt { message_id: prompt.id.clone(), content: shown(prompt) });
        prompts.collect()
    }

    pub(super) fn show_queue(&mut self) {
        let queue = self.queued();
        self.emit(QueueUpdated { queue });
    }
}

pub(super) fn not_kept(error: &crate::store::JournalError) -> String {
    format!("The prompt was not accepted, because it cannot be kept: {error}")
}
