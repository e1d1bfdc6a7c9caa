//! What a client received before the server was killed.

use std::collections::BTreeMap;

use protocol::Event;
use protocol::event::EventBody;
use protocol::review::{Hunk, HunkState};
use protocol::snapshot::Role;
use protocol::tool::{ContentPart, ToolStatus};

/// A call that ended, as it was shown.
#[derive(Clone, Debug)]
pub(super) struct EndedCall {
    pub(super) status: ToolStatus,
    pub(super) text: String,
}

/// Everything that was shown of one session, over all lives of the server.
#[derive(Default)]
pub(super) struct Seen {
    /// Prompts that were acknowledged.
    pub(super) prompts: Vec<String>,
    /// Texts of the model that ended, each with the id of its message.
    pub(super) messages: Vec<(String, String)>,
    pub(super) thoughts: Vec<(String, String)>,
    /// Answers that were taken back.
    pub(super) retracted: Vec<String>,
    /// Calls that ended, by their ids.
    pub(super) calls: BTreeMap<String, EndedCall>,
    /// Calls whose whole input was shown.
    pub(super) started: Vec<String>,
    /// Hunks that wait for review, by their ids.
    pub(super) hunks: BTreeMap<String, Hunk>,
    /// The new texts of all hunks that were ever announced.
    pub(super) announced: Vec<String>,
    growing: BTreeMap<String, String>,
    thinking: BTreeMap<String, String>,
}

impl Seen {
    pub(super) fn take(&mut self, event: &Event) {
        match &event.body {
            EventBody::MessageStarted(started) if started.role == Role::Assistant => {
                self.growing.insert(started.message_id.clone(), String::new());
            }
            EventBody::MessageDelta(delta) => {
                if let Some(text) = self.growing.get_mut(&delta.message_id) {
                    text.push_str(&delta.text);
                }
            }
            EventBody::MessageEnded(ended) => {
                if let Some(text) = self.growing.remove(&ended.message_id) {
                    self.messages.push((ended.message_id.clone(), text));
                }
            }
            EventBody::ThoughtStarted(started) => {
                self.thinking.insert(started.message_id.clone(), String::new());
            }
            EventBody::ThoughtDelta(delta) => {
                if let Some(text) = self.thinking.get_mut(&delta.message_id) {
                    text.push_str(&delta.text);
                }
            }
            EventBody::ThoughtEnded(ended) => {
                if let Some(text) = self.thinking.remove(&ended.message_id) {
                    self.thoughts.push((ended.message_id.clone(), text));
                }
            }
            EventBody::MessageRetracted(retracted) => self.retract(&retracted.message_id),
            EventBody::ToolUpdated(update) if update.input.is_some() => {
                self.started.push(update.tool_call_id.clone());
            }
            EventBody::ToolEnded(ended) => {
                let text = text_of(&ended.content);
                let call = EndedCall { status: ended.status.clone(), text };
                self.calls.insert(ended.tool_call_id.clone(), call);
            }
            EventBody::HunkAdded(added) => {
                self.announced.push(added.hunk.new_text.clone());
                self.hunk(&added.hunk);
            }
            EventBody::HunkUpdated(updated) => self.hunk(&updated.hunk),
            EventBody::HunkResolved(resolved) => self.hunk(&resolved.hunk),
            _ => {}
        }
    }

    fn retract(&mut self, message: &str) {
        self.messages.retain(|(id, _)| id != message);
        self.thoughts.retain(|(id, _)| id != message);
        self.retracted.push(message.to_owned());
    }

    fn hunk(&mut self, hunk: &Hunk) {
        match hunk.state {
            HunkState::Pending => self.hunks.insert(hunk.id.clone(), hunk.clone()),
            _ => self.hunks.remove(&hunk.id),
        };
    }

    /// The server is gone: what was half said stays half said.
    pub(super) fn cut(&mut self) {
        self.growing.clear();
        self.thinking.clear();
    }
}

pub(super) fn text_of(content: &[ContentPart]) -> String {
    let text = content.iter().filter_map(|part| match part {
        ContentPart::Text(part) => Some(part.text.as_str()),
        ContentPart::Output(part) => Some(part.text.as_str()),
        _ => None,
    });
    text.collect::<Vec<_>>().join("\n").trim().to_owned()
}
