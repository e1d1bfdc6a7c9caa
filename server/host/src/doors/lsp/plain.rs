//! Editors without our extension: progress is work-done progress, and the answer is a message.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use protocol::EventBody;
use protocol::event::{StopReason, ToolEnded};
use protocol::session::{SessionCancel, SessionCancelParams};
use protocol::snapshot::Role;
use protocol::tool::{ContentPart, ToolStatus};
use serde_json::{Value, json};

use crate::core::{ChatWriter, CoreHandle, Door, RpcError, request};
use crate::session::INLINE_EDIT;

/// Stops what a progress token stands for.
pub(super) async fn cancel(
    core: &CoreHandle,
    door: &Arc<Door>,
    token: &str,
) -> Result<(), RpcError> {
    let Some(rest) = token.strip_prefix(TOKEN) else { return Ok(()) };
    let (session, edit) = match rest.split_once('/') {
        Some((session, edit)) => (session, Some(edit.to_owned())),
        None => (rest, None),
    };
    let session_id = session.to_owned();
    let (turn_id, tool_call_id, task_id) = (None, edit, None);
    let params = SessionCancelParams { session_id, turn_id, tool_call_id, task_id };
    request::<SessionCancel>(core, door, &params).await.map(|_| ())
}

/// Answers longer than this are cut in a message box; the log has all of it.
const MESSAGE_CAP: usize = 2_000;
const INFO: u8 = 3;
const ERROR: u8 = 1;

/// Tells a plain client what happens in its sessions.
#[derive(Default)]
pub(super) struct Translator {
    /// The answer so far, by session.
    answers: HashMap<String, String>,
    /// Inline edits under way.
    edits: HashSet<String>,
    /// Where the answer of a running turn is written, by session, and the message that asked.
    chats: HashMap<String, (String, Arc<ChatWriter>)>,
    /// Titles of the calls of those turns.
    calls: HashMap<String, String>,
}

impl Translator {
    pub(super) fn tell(&mut self, door: &Arc<Door>, event: &protocol::Event) {
        let session = &event.session_id;
        if self.write(door, session, &event.body) {
            return;
        }
        match &event.body {
            EventBody::TurnStarted(started) => {
                if let Some(writer) = door.chats().writer(session, &started.message_id) {
                    self.chats.insert(session.clone(), (started.message_id.clone(), writer));
                }
                self.answers.insert(session.clone(), String::new());
                begin(door, &token(session), "Bowline");
            }
            EventBody::ToolStarted(started) if started.name == INLINE_EDIT => {
                self.edits.insert(started.tool_call_id.clone());
                begin(door, &edit_token(session, &started.tool_call_id), &started.title);
            }
            EventBody::ToolEnded(ended) if self.edits.remove(&ended.tool_call_id) => {
                let token = edit_token(session, &ended.tool_call_id);
                progress(door, &token, json!({ "kind": "end" }));
                tell_edit(door, ended);
            }
            EventBody::MessageStarted(started) if started.role == Role::Assistant => {
                self.answers.insert(session.clone(), String::new());
            }
            EventBody::MessageDelta(delta) => {
                self.answers.entry(session.clone()).or_default().push_str(&delta.text);
            }
            EventBody::MessageEnded(ended) => {
                if let (Some(text), Role::Assistant) = (&ended.text, &ended.role) {
                    self.answers.entry(session.clone()).or_default().push_str(text);
                }
            }
            EventBody::ToolUpdated(update) => {
                if let Some(title) = &update.title {
                    progress(door, &token(session), json!({ "kind": "report", "message": title }));
                }
            }
            EventBody::Notice(notice) => message(door, INFO, &notice.text),
            EventBody::CommandOutput(output) => message(door, INFO, &output.text),
            EventBody::TurnEnded(ended) => {
                progress(door, &token(session), json!({ "kind": "end" }));
                let answer = self.answers.remove(session).unwrap_or_default();
                match &ended.error {
                    Some(error) => message(door, ERROR, &error.message),
                    None if ended.stop_reason == StopReason::Cancelled => {
                        message(door, INFO, "Stopped.");
                    }
                    None => message(door, INFO, &answer),
                }
            }
            _ => {}
        }
    }
}

impl Translator {
    /// What belongs into a chat document goes there; `true` when nothing else is to be done.
    fn write(&mut self, door: &Arc<Door>, session: &str, body: &EventBody) -> bool {
        if let EventBody::CommandOutput(output) = body {
            let writer = door.chats().writer(session, &output.message_id);
            door.chats().done(&output.message_id);
            return writer.is_some_and(|writer| {
                writer.push(&output.text);
                writer.end();
                true
            });
        }
        let Some((message, writer)) = self.chats.get(session) else { return false };
        match body {
            EventBody::MessageStarted(started) if started.role == Role::Assistant => {
                writer.begin();
            }
            EventBody::MessageDelta(delta) => writer.push(&delta.text),
            EventBody::ToolStarted(call) if call.name != INLINE_EDIT => {
                self.calls.insert(call.tool_call_id.clone(), call.title.clone());
                return false;
            }
            EventBody::ToolUpdated(update) => {
                if let (Some(call), Some(title)) =
                    (self.calls.get_mut(&update.tool_call_id), &update.title)
                {
                    call.clone_from(title);
                }
                return false;
            }
            EventBody::ToolEnded(ended) => match self.calls.remove(&ended.tool_call_id) {
                Some(title) => writer.paragraph(&format!("- {title} ({})", ended.status)),
                None => return false,
            },
            EventBody::Notice(notice) => writer.paragraph(&notice.text),
            EventBody::TurnEnded(ended) => {
                progress(door, &token(session), json!({ "kind": "end" }));
                match &ended.error {
                    Some(error) => writer.paragraph(&error.message),
                    None if ended.stop_reason == StopReason::Cancelled => {
                        writer.paragraph("Stopped.");
                    }
                    None => {}
                }
                writer.end();
                door.chats().done(message);
                self.answers.remove(session);
                self.calls.clear();
                self.chats.remove(session);
            }
            _ => return false,
        }
        true
    }
}

/// A change that landed is seen in the text; whatever else became of an edit is said.
fn tell_edit(door: &Door, ended: &ToolEnded) {
    let text = ended.content.iter().find_map(|part| match part {
        ContentPart::Text(part) => Some(part.text.as_str()),
        _ => None,
    });
    let kind = match ended.status {
        ToolStatus::Completed if ended.diff.is_some() => return,
        ToolStatus::Completed | ToolStatus::Cancelled => INFO,
        _ => ERROR,
    };
    message(door, kind, text.unwrap_or_default());
}

const TOKEN: &str = "bowline/";

fn token(session: &str) -> String {
    format!("{TOKEN}{session}")
}

fn edit_token(session: &str, edit: &str) -> String {
    format!("{TOKEN}{session}/{edit}")
}

fn begin(door: &Arc<Door>, token: &str, title: &str) {
    if !door.profile().work_done_progress {
        return;
    }
    let created = door.ask("window/workDoneProgress/create", &json!({ "token": token }));
    // Nothing depends on the answer, but leaving it unread would withdraw the request.
    tokio::spawn(async move {
        let _ = created.answer::<Value>(Duration::from_secs(10)).await;
    });
    progress(door, token, json!({ "kind": "begin", "title": title, "cancellable": true }));
}

fn progress(door: &Door, token: &str, value: Value) {
    if door.profile().work_done_progress {
        door.notify("$/progress", &json!({ "token": token, "value": value }));
    }
}

fn message(door: &Door, kind: u8, text: &str) {
    door.notify("window/logMessage", &json!({ "type": kind, "message": text }));
    let mut shown = text.to_owned();
    if shown.len() > MESSAGE_CAP {
        shown.truncate(shown.floor_char_boundary(MESSAGE_CAP));
        shown.push('…');
    }
    door.notify("window/showMessage", &json!({ "type": kind, "message": shown }));
}
