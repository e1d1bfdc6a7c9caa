//! What all hooks of a session share: who is at work, where, and how the session is reached.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use extend::hooks::HookEvent;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tools::SessionState;

use crate::context::HostContext;
use crate::session::Msg;
use crate::session::shelter::Shelter;
use crate::session::tasks::SessionTasks;

pub(super) struct Around {
    pub(super) session: String,
    /// Where the session is written down, if it is.
    pub(super) transcript: Option<PathBuf>,
    pub(super) state: Arc<SessionState>,
    pub(super) shelter: Arc<Shelter>,
    pub(super) host: Arc<HostContext>,
    pub(super) own: mpsc::Sender<Msg>,
    pub(super) tasks: SessionTasks,
    pub(super) now: RwLock<Now>,
}

/// What changes along the way.
#[derive(Clone, Default)]
pub(in crate::session) struct Now {
    pub(in crate::session) prompt: Option<String>,
    pub(in crate::session) effort: Option<String>,
    /// The agent that this session is: its id, and which agent.
    pub(in crate::session) agent: Option<(String, String)>,
    /// The session that people know, where this one is an agent.
    pub(in crate::session) root: Option<String>,
}

impl Around {
    pub(super) fn now(&self) -> Now {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut Now)) {
        change(&mut self.now.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// What every hook is told, and what this event adds.
    pub(super) fn input(&self, event: HookEvent, fields: Value) -> Value {
        let now = self.now();
        let transcript = self.transcript.as_ref().map(|path| path.display().to_string());
        let mut input = Map::new();
        let mut put = |name: &str, value: Value| drop(input.insert(name.to_owned(), value));
        put("session_id", json!(now.root.as_ref().unwrap_or(&self.session)));
        put("transcript_path", json!(transcript.unwrap_or_default()));
        put("cwd", json!(self.state.cwd().display().to_string()));
        put("permission_mode", json!(self.state.permissions().mode.name()));
        put("hook_event_name", json!(event.name()));
        if let Some(prompt) = now.prompt {
            put("prompt_id", json!(prompt));
        }
        if let Some(effort) = now.effort {
            put("effort", json!({ "level": effort }));
        }
        if let Some((id, agent)) = now.agent {
            put("agent_id", json!(id));
            put("agent_type", json!(agent));
        }
        if let Value::Object(fields) = fields {
            input.extend(fields);
        }
        Value::Object(input)
    }

    /// The environment of a command: the user's own without keys, and where it is.
    pub(super) fn env(
        &self,
        more: Vec<(OsString, OsString)>,
        env_file: Option<&Path>,
    ) -> Vec<(OsString, OsString)> {
        let cwd = self.state.cwd().as_os_str().to_owned();
        let now = self.now();
        let mut own: Vec<(OsString, OsString)> = vec![
            ("CLAUDE_PROJECT_DIR".into(), cwd.clone()),
            ("BOWLINE_PROJECT_DIR".into(), cwd),
            ("CLAUDECODE".into(), "1".into()),
            ("CLAUDE_CODE_SESSION_ID".into(), self.session.clone().into()),
            ("CLAUDE_PID".into(), std::process::id().to_string().into()),
        ];
        own.extend(now.effort.map(|effort| ("CLAUDE_EFFORT".into(), effort.into())));
        own.extend(env_file.map(|file| ("CLAUDE_ENV_FILE".into(), file.as_os_str().to_owned())));
        own.extend(more);
        let mut env = self.state.env().to_vec();
        env.retain(|(name, _)| own.iter().all(|(ours, _)| name != ours));
        env.extend(own);
        env
    }

    pub(super) fn filled(&self, text: &str) -> String {
        text.replace("${CLAUDE_PROJECT_DIR}", &self.state.cwd().display().to_string())
    }
}
