//! What a person watching gets to see of a turn while the model speaks.

use agent::models;
use agent::turn::Shown;
use protocol::event::{
    MessageDelta, MessageEnded, MessageRetracted, MessageStarted, ThoughtDelta, ThoughtEnded,
    ThoughtStarted, ToolEnded, ToolInputDelta, ToolStarted, UsageUpdated,
};
use protocol::snapshot::Role;
use protocol::tool::{ContentPart, ToolStatus};

use super::{Said, Session, events};

impl Session {
    pub(super) fn show(&mut self, shown: Shown) {
        let role = Role::Assistant;
        match shown {
            Shown::MessageStarted { message_id } => {
                let (text, attachments, parent_tool_call_id) = (None, None, None);
                self.emit(MessageStarted {
                    message_id,
                    role,
                    text,
                    attachments,
                    parent_tool_call_id,
                });
            }
            Shown::MessageDelta { message_id, text } => {
                if !self.hold_words(&text) {
                    self.emit(MessageDelta { message_id, role, text });
                }
            }
            Shown::MessageEnded { message_id } => {
                if !self.show_whole(&message_id) {
                    self.emit(MessageEnded { message_id, role, text: None });
                }
            }
            Shown::ThoughtStarted { message_id } => self.emit(ThoughtStarted { message_id }),
            Shown::ThoughtDelta { message_id, text } => {
                self.emit(ThoughtDelta { message_id, text });
            }
            Shown::ThoughtEnded { message_id } => {
                self.emit(ThoughtEnded { message_id, text: None });
            }
            Shown::ToolStarted { id, name } => {
                let kind = events::tool_kind(self.registry.kind(&name));
                let (tool_call_id, title) = (id, name.clone());
                let (input, parent_tool_call_id) = (None, None);
                self.emit(ToolStarted {
                    tool_call_id,
                    name,
                    title,
                    kind,
                    input,
                    parent_tool_call_id,
                });
            }
            Shown::ToolInput { id, json } => {
                self.emit(ToolInputDelta { tool_call_id: id, text: json });
            }
            Shown::ToolEnded { id } => self.announce_call(&id),
            Shown::ToolDropped { id, cancelled, message } => {
                self.tell_dropped(&id, &message);
                let status = if cancelled { ToolStatus::Cancelled } else { ToolStatus::Failed };
                let content = vec![ContentPart::text(message)];
                let (diff, duration_ms) = (None, None);
                self.emit(ToolEnded { tool_call_id: id, status, content, diff, duration_ms });
            }
            Shown::Retracted { message_id } => {
                self.forget_words();
                self.verbatim(|| Said::Retracted { message_id: message_id.clone() });
                self.emit(MessageRetracted { message_id });
            }
            Shown::Usage { answer, cost_usd } => {
                let limits = models::limits(self.asked_model());
                let cost_usd = self.conversation.cost_usd() + cost_usd;
                self.emit(UsageUpdated { used: answer.context(), window: limits.window, cost_usd });
                self.touch_status_line();
            }
        }
    }
}
