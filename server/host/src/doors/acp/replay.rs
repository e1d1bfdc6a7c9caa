//! What was said so far, as updates: for `session/load`.

use protocol::snapshot::{ContextUsage, Role, Snapshot, SnapshotBlock};

use super::content;
use super::schema::{ContentChunk, MessageId, SessionInfoUpdate, SessionUpdate};
use super::updates::{plan, tool_call, usage};

/// In the order in which it happened.
pub(super) fn updates(snapshot: &Snapshot) -> Vec<SessionUpdate> {
    let mut updates = Vec::new();
    for message in &snapshot.messages {
        let chunk = |text: &str| {
            ContentChunk::new(content::text(text)).message_id(MessageId::new(&*message.message_id))
        };
        for block in &message.blocks {
            updates.extend(match block {
                SnapshotBlock::Text(said) if message.role == Role::User => {
                    Some(SessionUpdate::UserMessageChunk(chunk(&said.text)))
                }
                SnapshotBlock::Text(said) => {
                    Some(SessionUpdate::AgentMessageChunk(chunk(&said.text)))
                }
                SnapshotBlock::Thought(thought) => {
                    Some(SessionUpdate::AgentThoughtChunk(chunk(&thought.text)))
                }
                SnapshotBlock::ToolCall(call) => Some(SessionUpdate::ToolCall(tool_call(&call.call))),
                SnapshotBlock::Summary(summary) => {
                    Some(SessionUpdate::AgentMessageChunk(chunk(&summary.text)))
                }
                SnapshotBlock::Attachment(_) | SnapshotBlock::Unknown(_) => None,
            });
        }
    }
    if !snapshot.todos.is_empty() {
        updates.push(plan(&snapshot.todos));
    }
    if let Some(title) = &snapshot.title {
        let info = SessionInfoUpdate::new().title(title.clone());
        updates.push(SessionUpdate::SessionInfoUpdate(info));
    }
    let ContextUsage { used, window, cost_usd } = snapshot.usage;
    updates.push(usage(used, window, cost_usd));
    updates
}
