//! A session for somebody who joins late: what was said, what stands open.

use std::collections::HashMap;

use agent::{Block, Message, ResultPart, Role};
use protocol::event::CommandsUpdated;
use protocol::session::{SessionAttachResult, SessionNewResult};
use protocol::snapshot::{
    ContextUsage, Pending, PendingPermission, Snapshot, SnapshotAttachment, SnapshotBlock,
    SnapshotMessage, SnapshotText, SnapshotThought, SnapshotToolCall, Todo, TodoStatus,
};
use protocol::tool::{ToolCallState, ToolStatus};

use super::{Attach, Said, Session, blocks, events};
use crate::core::Receiver;

impl Session {
    /// The answer and the events that follow go through the same outbox, in this order.
    pub(super) fn on_attach(&mut self, attach: Attach) {
        let Attach { door, since, created, reply } = attach;
        if created {
            reply.ok(&SessionNewResult {
                session_id: self.id.clone(),
                seq: self.seq,
                config: self.wire_config(),
                commands: self.commands(),
                agents: self.agents.infos(),
            });
        } else {
            reply.ok(&self.attached(since, Receiver::from(&*door)));
        }
        if !self.doors.iter().any(|known| known.id == door.id) {
            self.doors.push(door);
        }
        self.note_doors();
        self.touch_status_line();
        self.servers_of_doors();
        self.agents.family.listens(self.doors.iter().any(|door| door.is_verbatim()));
        self.verbatim(|| Said::Equipped(Box::new(self.whole_equipment())));
        if !self.prompts.queue.is_empty() {
            self.show_queue();
        }
        if !std::mem::replace(&mut self.skills.announced, true) {
            let commands = self.commands();
            self.emit(CommandsUpdated { commands, agents: None });
        }
        self.welcome();
        self.ask_trust();
        self.ask_bypass();
        self.tell_what_was_missed();
    }

    fn attached(&self, since: Option<u64>, receiver: Receiver) -> SessionAttachResult {
        let missed = since.and_then(|since| self.log.after(since, self.seq, receiver));
        let snapshot = if missed.is_none() { Some(self.snapshot()) } else { None };
        SessionAttachResult {
            session_id: self.id.clone(),
            snapshot,
            events: missed.unwrap_or_default(),
            seq: self.seq,
            config: self.wire_config(),
            commands: self.commands(),
            agents: self.agents.infos(),
            pending: self.pending(),
        }
    }

    fn pending(&self) -> Vec<Pending> {
        let asks = self
            .asks
            .values()
            .map(|ask| Pending::Permission(PendingPermission { request: ask.params.clone() }));
        asks.chain(self.pending_questions()).collect()
    }

    fn snapshot(&self) -> Snapshot {
        let limits = agent::models::limits(&self.config.model);
        Snapshot {
            title: self.title.text().map(str::to_owned),
            messages: self.messages(),
            todos: self.state.todos().iter().map(todo).collect(),
            usage: ContextUsage {
                used: self.conversation.context(),
                window: limits.window,
                cost_usd: self.conversation.cost_usd(),
            },
            turn_id: self.running.as_ref().map(|running| running.turn.id().to_owned()),
        }
    }

    fn messages(&self) -> Vec<SnapshotMessage> {
        let entries = self.conversation.entries();
        let parsed = entries
            .iter()
            .filter_map(|entry| entry.message().ok().map(|message| (entry.id.clone(), message)));
        let parsed: Vec<_> = parsed.collect();
        let results = results(&parsed);
        let shown = parsed.iter().filter_map(|(id, message)| {
            let id = id.clone()?;
            let blocks = self.shown_blocks(message, &results);
            let role = match message.role {
                Role::User => protocol::snapshot::Role::User,
                Role::Assistant => protocol::snapshot::Role::Assistant,
            };
            Some(SnapshotMessage { message_id: id, role, at: None, blocks })
        });
        shown.collect()
    }

    fn shown_blocks(
        &self,
        message: &Message,
        results: &HashMap<&str, (&[ResultPart], bool)>,
    ) -> Vec<SnapshotBlock> {
        let shown = message.content.iter().filter_map(|block| match block {
            // What Bowline tells the model along with a prompt was not said by the user.
            Block::Text { text } if message.role == Role::User && tools::is_reminder(text) => None,
            Block::Text { text } => Some(SnapshotBlock::Text(SnapshotText { text: text.clone() })),
            Block::Thinking { thinking, .. } if !thinking.is_empty() => {
                Some(SnapshotBlock::Thought(SnapshotThought { text: thinking.clone() }))
            }
            Block::ToolUse { id, name, input } => {
                let (content, status) = match results.get(id.as_str()) {
                    Some((content, true)) => {
                        (blocks::content_parts(content, 0), ToolStatus::Failed)
                    }
                    Some((content, false)) => {
                        (blocks::content_parts(content, 0), ToolStatus::Completed)
                    }
                    None => (Vec::new(), ToolStatus::Pending),
                };
                Some(SnapshotBlock::ToolCall(SnapshotToolCall {
                    call: ToolCallState {
                        tool_call_id: id.clone(),
                        name: name.clone(),
                        title: self.registry.title(name, input, self.state.cwd()),
                        kind: events::tool_kind(self.registry.kind(name)),
                        status,
                        input: Some(input.clone()),
                        content,
                        diff: None,
                        locations: None,
                        parent_tool_call_id: None,
                    },
                }))
            }
            block => {
                let block = blocks::attachment(block)?;
                Some(SnapshotBlock::Attachment(SnapshotAttachment { block }))
            }
        });
        shown.collect()
    }
}

fn results(messages: &[(Option<String>, Message)]) -> HashMap<&str, (&[ResultPart], bool)> {
    let blocks = messages.iter().flat_map(|(_, message)| &message.content);
    let results = blocks.filter_map(|block| match block {
        Block::ToolResult { tool_use_id, content, is_error } => {
            Some((tool_use_id.as_str(), (content.as_slice(), *is_error)))
        }
        _ => None,
    });
    results.collect()
}

pub(super) fn todo(todo: &tools::Todo) -> Todo {
    Todo {
        content: todo.content.clone(),
        active_form: Some(todo.active_form.clone()),
        status: match todo.status {
            tools::TodoStatus::Pending => TodoStatus::Pending,
            tools::TodoStatus::InProgress => TodoStatus::InProgress,
            tools::TodoStatus::Completed => TodoStatus::Completed,
        },
    }
}
