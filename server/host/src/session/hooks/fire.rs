//! Events of the session itself, and what hooks may make of them: another model, other settings, the
//! end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agent::ModelErrorKind;
use agent::turn::Ending;
use extend::hooks::HookEvent;
use extend::{MemoryFile, MemoryScope};
use protocol::event::Severity;
use protocol::session::ConfigChange;
use serde_json::{Value, json};

use super::{Heard, Hooks, Then};
use crate::core::{Reply, RpcError};
use crate::session::Session;

/// What hooks at the end of a session have together, unless one says that it needs more.
const END_BUDGET: Duration = Duration::from_millis(1500);
const LONGEST_END: Duration = Duration::from_secs(60);
/// A session that waits for its user so long says so.
const IDLE: Duration = Duration::from_secs(60);

/// A change of the model that hooks have yet to speak about.
pub(in crate::session) struct ModelSwitch {
    pub(in crate::session) set: ConfigChange,
    pub(in crate::session) reply: Reply,
}

impl Hooks {
    /// The agent that this session is.
    pub(super) fn agent_type(&self) -> Option<String> {
        self.0.around.now().agent.map(|(_, agent)| agent)
    }

    /// How long the hooks of a session's end may take together.
    fn end_budget(&self) -> Duration {
        let set = self.set();
        let hooks = set.by_event.get(&HookEvent::SessionEnd);
        let longest = hooks.into_iter().flatten().filter_map(|hook| hook.own_timeout).max();
        let named = self.0.around.host.var("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS");
        let named = named.and_then(|value| value.to_str()?.trim().parse().ok());
        let named = named.map(Duration::from_millis);
        let budget = named.unwrap_or_else(|| END_BUDGET.max(longest.unwrap_or(END_BUDGET)));
        budget.min(LONGEST_END)
    }

    /// The session ends: whoever wants to hear of it has a moment.
    pub(in crate::session) async fn end(&self, reason: &str) {
        let fields = || json!({ "reason": reason });
        let told = self.run(HookEvent::SessionEnd, Some(reason), fields);
        if tokio::time::timeout(self.end_budget(), told).await.is_err() {
            tracing::warn!("hooks at the end of the session took too long");
        }
    }
}

impl Session {
    /// The conversation ends, and the session goes on.
    pub(in crate::session) fn fire_end(&self, reason: &'static str) {
        self.fire(HookEvent::SessionEnd, Some(reason), || json!({ "reason": reason }));
    }

    /// A turn ended because the model failed.
    pub(in crate::session) fn fire_failure(&self, ending: &Ending) {
        let Some(error) = ending.error.as_ref() else { return };
        let kind = match error.kind {
            ModelErrorKind::RateLimited => "rate_limit",
            ModelErrorKind::Overloaded => "overloaded",
            ModelErrorKind::Authentication => "authentication_failed",
            ModelErrorKind::Forbidden | ModelErrorKind::SpendLimit => "billing_error",
            ModelErrorKind::UnknownModel => "model_not_found",
            ModelErrorKind::Server
            | ModelErrorKind::Network
            | ModelErrorKind::TimedOut
            | ModelErrorKind::BrokenStream => "server_error",
            ModelErrorKind::InvalidRequest
            | ModelErrorKind::PromptTooLong
            | ModelErrorKind::RequestTooLarge
            | ModelErrorKind::MediaTooLarge => "invalid_request",
        };
        self.fire(HookEvent::StopFailure, Some(kind), || {
            json!({
                "error": kind,
                "error_details": error.message,
                "last_assistant_message": self.last_answer(),
            })
        });
    }

    /// The user should look this way.
    pub(in crate::session) fn fire_notification(&self, kind: &'static str, message: &str) {
        self.fire(
            HookEvent::Notification,
            Some(kind),
            || json!({ "message": message, "title": "Bowline", "notification_type": kind }),
        );
    }

    /// Says later, when nothing has happened until then, that the session waits.
    pub(in crate::session) fn watch_idleness(&self) {
        if !self.hooks.any(HookEvent::Notification) {
            return;
        }
        let (own, seq) = (self.own.clone(), self.seq);
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            let news = super::HookNews::Idle { seq };
            let _ = own.send(crate::session::Msg::Hook(Box::new(news))).await;
        });
    }

    pub(super) fn on_idle(&self, seq: u64) {
        // Hooks that are shown count events, too; what counts is that nobody said anything.
        if self.running.is_none() && self.seq <= seq.saturating_add(4) {
            self.fire_notification("idle_prompt", "The session waits for you.");
        }
    }

    /// Files that tell the model what to do were read.
    pub(in crate::session) fn fire_instructions(&self, files: &[MemoryFile], reason: &'static str) {
        if !self.hooks.any(HookEvent::InstructionsLoaded) {
            return;
        }
        for file in files {
            let reason = if file.imported_by.is_some() { "include" } else { reason };
            self.fire(HookEvent::InstructionsLoaded, Some(reason), || {
                let whose = match file.scope {
                    MemoryScope::Managed => "Managed",
                    MemoryScope::User => "User",
                    MemoryScope::Project => "Project",
                    MemoryScope::Local => "Local",
                };
                let mut fields = json!({
                    "file_path": file.path.display().to_string(),
                    "memory_type": whose,
                    "load_reason": reason,
                });
                if let Some(parent) = &file.imported_by {
                    fields["parent_file_path"] = json!(parent.display().to_string());
                }
                fields
            });
        }
    }

    /// All that holds from the beginning.
    pub(in crate::session) fn fire_all_instructions(&self, reason: &'static str) {
        if self.hooks.any(HookEvent::InstructionsLoaded) {
            let files: Vec<MemoryFile> = self.briefing.memory_files().collect();
            self.fire_instructions(&files, reason);
        }
    }

    /// Another folder is open to the session.
    pub(in crate::session) fn fire_directory(&self, folder: &Path, source: &'static str) {
        self.fire(
            HookEvent::DirectoryAdded,
            Some(source),
            || json!({ "directory": folder.display().to_string(), "source": source }),
        );
    }

    /// Commands run in another folder than before.
    pub(in crate::session) fn fire_folder(&mut self) {
        if !self.hooks.any(HookEvent::CwdChanged) {
            return;
        }
        let now = self.state.shell_cwd();
        let before = std::mem::replace(&mut self.shell_folder, now.clone());
        if before != now {
            self.fire(HookEvent::CwdChanged, None, || {
                json!({
                    "old_cwd": before.display().to_string(),
                    "new_cwd": now.display().to_string(),
                })
            });
        }
    }

    fn switch_fields(&self, to: &str) -> Value {
        json!({
            "from_model": self.config.model,
            "to_model": to,
            "requested_model": to,
            "source": "user",
            "context_tokens": self.used(),
        })
    }

    /// Hooks may say no to another model. The error hands the change back: nobody wants to hear of
    /// it.
    pub(in crate::session) fn ask_switch(
        &mut self,
        set: ConfigChange,
        reply: Reply,
    ) -> Result<(), Box<ModelSwitch>> {
        let switch = Box::new(ModelSwitch { set, reply });
        let Some(to) = switch.set.model.clone().filter(|to| *to != self.config.model) else {
            return Err(switch);
        };
        let fields = || self.switch_fields(&to);
        let then = Then::Model(switch);
        match self.ask_hooks(HookEvent::PreModelSwitch, None, fields, then) {
            Ok(hooking) => {
                self.prompt_checks.switching = Some(hooking);
                Ok(())
            }
            Err(Then::Model(switch)) => Err(switch),
            Err(_) => Ok(()),
        }
    }

    pub(super) async fn on_switch_heard(&mut self, switch: ModelSwitch, heard: &Heard) {
        self.prompt_checks.switching = None;
        if let Some(reason) = heard.no() {
            let message = format!("A hook did not let the model change: {reason}");
            self.notice(Severity::Warning, message.clone());
            return switch.reply.err(RpcError::failed(message));
        }
        self.configure_now(switch);
    }

    /// The model is another one now.
    pub(in crate::session) fn fire_switched(&self, from: &str) {
        let to = self.config.model.clone();
        self.fire(HookEvent::PostModelSwitch, None, || {
            let mut fields = self.switch_fields(&to);
            fields["from_model"] = json!(from);
            fields
        });
    }

    /// Settings files have changed. True: hooks are asked whether that counts.
    pub(in crate::session) fn ask_about_settings(&mut self, changed: &[PathBuf]) -> bool {
        if !self.hooks.any(HookEvent::ConfigChange) {
            return false;
        }
        let (mut asked, mut managed) = (None, false);
        for file in changed {
            let source = self.host.locations.source_of(file, self.state.cwd());
            let fields = || json!({ "source": source, "file_path": file.display().to_string() });
            if source == "policy_settings" {
                managed = true;
                self.fire(HookEvent::ConfigChange, Some(source), fields);
            } else if asked.is_none() {
                let then = Then::Settings;
                asked = self.ask_hooks(HookEvent::ConfigChange, Some(source), fields, then).ok();
            }
        }
        // What the administrator says counts whatever anybody thinks of it.
        let waits = asked.is_some() && !managed;
        self.prompt_checks.settings = asked.filter(|_| waits);
        waits
    }

    pub(super) async fn on_settings_heard(&mut self, _: HookEvent, heard: &Heard) {
        if self.prompt_checks.settings.take().is_none() {
            return;
        }
        match heard.no() {
            Some(reason) => {
                let text =
                    format!("Settings have changed, but a hook keeps the old ones: {reason}");
                self.notice(Severity::Warning, text);
            }
            None => self.read_settings_again().await,
        }
    }
}
