//! Editors without our extension: a prompt is a command, progress is work-done progress, and the
//! answer is a message.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use protocol::EventBody;
use protocol::event::StopReason;
use protocol::prompt::Block;
use protocol::session::{
    SessionCancel, SessionCancelParams, SessionNew, SessionNewParams, SessionNewResult,
    SessionPrompt, SessionPromptParams,
};
use protocol::snapshot::Role;
use serde_json::{Value, json};
use workspace::DocumentUri;

use super::types::InitializeParams;
use crate::core::{CoreHandle, Door, RpcError, request};

/// The first folder the editor has open; a session needs one.
pub(super) fn folder(params: &InitializeParams) -> Option<PathBuf> {
    let folders = params.workspace_folders.as_deref().unwrap_or_default();
    let folder = folders.first().map(|folder| folder.uri.as_str().to_owned());
    #[expect(deprecated, reason = "editors still send it, and some send nothing else")]
    let root = || params.root_uri.as_ref().map(|uri| uri.as_str().to_owned());
    DocumentUri::new(&folder.or_else(root)?).to_path()
}

/// Asks on behalf of an editor that has no session of its own.
pub(super) struct Asker {
    door: Arc<Door>,
    core: CoreHandle,
    folder: Mutex<Option<PathBuf>>,
    /// Taken while a session is being made, so that two commands at once make one.
    session: tokio::sync::Mutex<Option<String>>,
}

impl Asker {
    pub(super) fn new(door: Arc<Door>, core: CoreHandle) -> Self {
        Self { door, core, folder: Mutex::default(), session: tokio::sync::Mutex::default() }
    }

    pub(super) fn set_folder(&self, folder: Option<PathBuf>) {
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    /// Returns as soon as the prompt is accepted.
    pub(super) async fn ask(&self, text: &str) -> Result<Value, RpcError> {
        let session_id = self.session().await?;
        let content = vec![Block::text(text)];
        let params =
            SessionPromptParams { session_id, content, delivery: None, client_message_id: None };
        let accepted = request::<SessionPrompt>(&self.core, &self.door, &params).await?;
        serde_json::to_value(accepted)
            .map_err(|error| RpcError::new(RpcError::INTERNAL, error.to_string()))
    }

    pub(super) async fn cancel(&self) -> Result<Value, RpcError> {
        let Some(session_id) = self.session.lock().await.clone() else { return Ok(Value::Null) };
        cancel(&self.core, &self.door, session_id).await.map(|()| Value::Null)
    }

    async fn session(&self) -> Result<String, RpcError> {
        let mut session = self.session.lock().await;
        if let Some(id) = &*session {
            return Ok(id.clone());
        }
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let folder = folder.ok_or_else(|| {
            RpcError::failed("Open a folder first: a session needs one to work in.")
        })?;
        let cwd = folder.display().to_string();
        let params = SessionNewParams { cwd, ..SessionNewParams::default() };
        let made: SessionNewResult = request::<SessionNew>(&self.core, &self.door, &params).await?;
        *session = Some(made.session_id.clone());
        Ok(made.session_id)
    }
}

pub(super) async fn cancel(
    core: &CoreHandle,
    door: &Arc<Door>,
    session_id: String,
) -> Result<(), RpcError> {
    let (turn_id, tool_call_id, task_id) = (None, None, None);
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
}

impl Translator {
    pub(super) fn tell(&mut self, door: &Arc<Door>, event: &protocol::Event) {
        let session = &event.session_id;
        match &event.body {
            EventBody::TurnStarted(_) => {
                self.answers.insert(session.clone(), String::new());
                begin(door, session);
            }
            EventBody::MessageStarted(started) if started.role == Role::Assistant => {
                self.answers.insert(session.clone(), String::new());
            }
            EventBody::MessageDelta(delta) => {
                self.answers.entry(session.clone()).or_default().push_str(&delta.text);
            }
            EventBody::ToolUpdated(update) => {
                if let Some(title) = &update.title {
                    progress(door, session, json!({ "kind": "report", "message": title }));
                }
            }
            EventBody::Notice(notice) => message(door, INFO, &notice.text),
            EventBody::TurnEnded(ended) => {
                progress(door, session, json!({ "kind": "end" }));
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

fn token(session: &str) -> String {
    format!("bowline/{session}")
}

/// The session a progress token belongs to.
pub(super) fn session_of(token: &str) -> Option<&str> {
    token.strip_prefix("bowline/")
}

fn begin(door: &Arc<Door>, session: &str) {
    if !door.profile().work_done_progress {
        return;
    }
    let created = door.ask("window/workDoneProgress/create", &json!({ "token": token(session) }));
    // Nothing depends on the answer, but leaving it unread would withdraw the request.
    tokio::spawn(async move {
        let _ = created.answer::<Value>(Duration::from_secs(10)).await;
    });
    let begin = json!({ "kind": "begin", "title": "Bowline", "cancellable": true });
    progress(door, session, begin);
}

fn progress(door: &Door, session: &str, value: Value) {
    if door.profile().work_done_progress {
        door.notify("$/progress", &json!({ "token": token(session), "value": value }));
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
