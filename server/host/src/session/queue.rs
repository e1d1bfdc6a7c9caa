//! Prompts that wait for the running turn to end.

use agent::Block;
use protocol::event::QueueUpdated;
use protocol::session::{
    Disposition, QueueOp, QueuedPrompt, SessionPromptResult, SessionQueueParams, SessionQueueResult,
};

use super::Session;
use super::prompt_media::Prompt;
use crate::core::{Reply, RpcError};

/// More than this is not a queue but a mistake.
const MAX_QUEUED: usize = 100;

#[derive(Clone)]
pub(super) struct Queued {
    pub(super) message_id: String,
    pub(super) content: Vec<Block>,
    /// As the client sent it, to be shown and edited, but without the bytes of what is attached.
    pub(super) shown: Vec<protocol::prompt::Block>,
    /// The transcript has it already: it was to go along with a turn that ended too soon.
    pub(super) announced: bool,
}

impl Session {
    pub(super) fn enqueue(&mut self, prompt: Queued, reply: Reply) {
        if self.queue.len() >= MAX_QUEUED {
            let message = format!("{MAX_QUEUED} prompts are waiting already; wait or remove some.");
            return reply.err(RpcError::new(RpcError::OVERLOADED, message));
        }
        let message_id = prompt.message_id.clone();
        let disposition = Disposition::Queued;
        self.queue.push_back(prompt);
        self.accept(SessionPromptResult { message_id, turn_id: None, disposition }, reply);
        self.show_queue();
    }

    pub(super) async fn start_next(&mut self) {
        if let Some(prompt) = self.queue.pop_front() {
            self.show_queue();
            self.start_turn(prompt, None).await;
        }
    }

    pub(super) async fn on_queue(&mut self, params: SessionQueueParams, reply: Reply) {
        if params.op != QueueOp::List
            && let Err(error) = self.change_queue(params).await
        {
            return reply.err(error);
        }
        reply.ok(&SessionQueueResult { queue: self.queued() });
    }

    async fn change_queue(&mut self, params: SessionQueueParams) -> Result<(), RpcError> {
        let missing = |field: &str| {
            RpcError::new(RpcError::INVALID_PARAMS, format!("This operation needs `{field}`."))
        };
        let message_id = params.message_id.ok_or_else(|| missing("messageId"))?;
        let at = self.queue.iter().position(|queued| queued.message_id == message_id);
        let at =
            at.ok_or_else(|| RpcError::failed(format!("{message_id} is not in the queue.")))?;
        match params.op {
            QueueOp::Remove => {
                self.queue.remove(at);
            }
            QueueOp::Replace => {
                let blocks = params.content.ok_or_else(|| missing("content"))?;
                let prompt = self.read_prompt(blocks).await;
                let prompt =
                    prompt.map_err(|problem| RpcError::new(RpcError::INVALID_PARAMS, problem))?;
                let Prompt { content, shown, .. } = prompt;
                self.queue[at] = Queued { message_id, content, shown, announced: false };
            }
            QueueOp::Move => {
                let to = params.to.ok_or_else(|| missing("to"))? as usize;
                if let Some(prompt) = self.queue.remove(at) {
                    self.queue.insert(to.min(self.queue.len()), prompt);
                }
            }
            op => {
                let message = format!("There is no queue operation {op:?}.");
                return Err(RpcError::new(RpcError::INVALID_PARAMS, message));
            }
        }
        self.show_queue();
        Ok(())
    }

    fn queued(&self) -> Vec<QueuedPrompt> {
        let prompts = self.queue.iter().map(|queued| QueuedPrompt {
            message_id: queued.message_id.clone(),
            content: queued.shown.clone(),
        });
        prompts.collect()
    }

    pub(super) fn show_queue(&mut self) {
        let queue = self.queued();
        self.emit(QueueUpdated { queue });
    }
}
