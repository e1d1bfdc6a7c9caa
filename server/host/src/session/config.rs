//! The settings of one session: which model, how hard it thinks, what it may do.

use std::sync::Arc;

use agent::models::{Model, ThinkingSupport};
use agent::{Effort, Record, Thinking, TitleOrigin};
use extend::SaveBeforeCommands;
use model::Provider;
use policy::Mode;
use protocol::event::{ConfigUpdated, SessionUpdated, Severity};
use protocol::session::{
    Config, ConfigChange, ContextKind, ContextShare, SessionConfigResult, SessionContextResult,
};

use super::toolbox::Searching;
use super::{Session, reload};
use crate::core::{Reply, RpcError};
use crate::store::JournalError;

pub(super) struct SessionConfig {
    pub(super) provider: Provider,
    pub(super) model: String,
    /// For quick work: what `fastModel` names, or the same model.
    pub(super) fast: Option<(Provider, String)>,
    /// Those that stand in when the model is overloaded, in order.
    pub(super) fallbacks: Vec<(Provider, String)>,
    pub(super) effort: Option<Effort>,
    pub(super) thinking: Option<protocol::session::Thinking>,
    /// What happens to unsaved changes of ours before a command runs.
    pub(super) saves: SaveBeforeCommands,
    /// JSON, made once: the same bytes in every request.
    pub(super) system: Arc<str>,
    pub(super) tools: Arc<str>,
    pub(super) searching: Searching,
}

/// Answers longer than this are rare, and a larger limit reserves tokens nobody uses.
const MAX_TOKENS: u32 = 32_000;

impl SessionConfig {
    pub(super) fn quick(&self) -> (Provider, String) {
        self.fast.clone().unwrap_or_else(|| (self.provider.clone(), self.model.clone()))
    }

    pub(super) fn provider_of(&self, model: &str) -> &Provider {
        let fallback = self.fallbacks.iter().find(|(_, id)| id == model);
        match fallback {
            Some((provider, _)) if model != self.model => provider,
            _ => &self.provider,
        }
    }

    pub(super) fn max_tokens(&self, limits: &Model) -> u32 {
        limits.max_output.min(MAX_TOKENS)
    }

    pub(super) fn thinking(&self, limits: &Model) -> Thinking {
        use protocol::session::Thinking as Wanted;
        match (limits.thinking, &self.thinking) {
            (ThinkingSupport::Adaptive, Some(Wanted::Disabled)) => Thinking::Disabled,
            (ThinkingSupport::Adaptive, _) => Thinking::Adaptive,
            (ThinkingSupport::Budget, Some(Wanted::Adaptive)) => Thinking::Budget(16_000),
            _ => Thinking::Default,
        }
    }

    pub(super) fn effort(&self, limits: &Model) -> Option<Effort> {
        self.effort.filter(|_| limits.effort)
    }
}

impl Session {
    pub(super) fn wire_config(&self) -> Config {
        Config {
            mode: self.state.permissions().mode.name().into(),
            model: self.config.model.clone(),
            effort: self.config.effort.map(|effort| effort.name().into()),
            thinking: self.config.thinking.clone(),
            output_style: self.briefing.style_name().map(str::to_owned),
        }
    }

    pub(super) async fn on_config(&mut self, set: Option<ConfigChange>, reply: Reply) {
        if let Some(Err(problem)) = set.map(|set| self.configure(set)) {
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem));
        }
        reply.ok(&SessionConfigResult { config: self.wire_config() });
    }

    /// Changes settings of the session, for everybody who listens and for its next life.
    pub(super) fn configure(&mut self, set: ConfigChange) -> Result<(), String> {
        self.change_config(set)?;
        let config = self.wire_config();
        self.emit(ConfigUpdated { config });
        if let Err(error) = self.journal_config() {
            self.notice(Severity::Warning, format!("The setting was not saved: {error}"));
        }
        Ok(())
    }

    /// All of a change or nothing: everything is checked before anything is set.
    fn change_config(&mut self, set: ConfigChange) -> Result<(), String> {
        let mode = set.mode.map(|mode| mode.as_str().parse::<Mode>()).transpose();
        let mode = mode.map_err(|error| error.to_string())?;
        let forbidden = mode.and_then(|mode| reload::forbidden_mode(mode, &self.forbidden));
        if let Some(problem) = forbidden {
            return Err(problem);
        }
        let mode = match mode {
            Some(mode) => self.chosen_mode(mode)?,
            None => None,
        };
        let effort = match set.effort {
            Some(effort) => Some(Effort::parse(effort.as_str()).ok_or_else(|| {
                format!("There is no effort {effort}; there are low, medium, high, xhigh, max.")
            })?),
            None => self.config.effort,
        };
        if mode == Some(Mode::Auto) && self.auto.is_off() {
            return Err("The settings do without the mode auto; choose another.".to_owned());
        }
        let model = set.model.map(|name| model::provider_for(&self.host.model_env, Some(&name)));
        let model = model.transpose().map_err(|error| error.to_string())?;
        if let Some(style) = set.output_style {
            self.briefing.choose_style(&style)?;
            self.rebuild_system();
        }
        if let Some((provider, id)) = model {
            self.config.provider = provider;
            self.config.model = id;
            self.rebuild_system();
            self.rebuild_tools();
        }
        if let Some(mode) = mode {
            self.set_mode(mode);
        }
        self.ask_bypass();
        self.config.effort = effort;
        if set.thinking.is_some() {
            self.config.thinking = set.thinking;
        }
        Ok(())
    }

    /// The mode counts from here on.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        let before = self.state.permissions().mode;
        if mode == Mode::Plan && before != Mode::Plan {
            self.planning.before = Some(before);
        }
        self.state.update_permissions(|permissions| permissions.mode = mode);
        if let Some(text) = self.on_mode(before, mode) {
            self.notice(Severity::Info, text);
        }
    }

    pub(super) fn journal_config(&mut self) -> Result<(), JournalError> {
        if self.journal.is_new() {
            return Ok(());
        }
        let record = Record::Config {
            model: Some(self.config.model.clone()),
            mode: Some(self.state.permissions().mode.name().to_owned()),
        };
        self.journal(&record)
    }

    pub(super) async fn on_rename(&mut self, title: String, reply: Reply) {
        match self.rename(&title).await {
            Ok(()) => reply.ok(&protocol::Empty {}),
            Err(problem) => reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem)),
        }
    }

    pub(super) async fn rename(&mut self, title: &str) -> Result<(), String> {
        let title = title.trim().to_owned();
        if title.is_empty() {
            return Err("A title cannot be empty.".to_owned());
        }
        self.name(title, TitleOrigin::User).await.map_err(|error| error.to_string())
    }

    /// Calls the session so, unless it has a better name already.
    pub(super) async fn name(
        &mut self,
        title: String,
        origin: TitleOrigin,
    ) -> Result<(), JournalError> {
        if !self.title.offer(title.as_str(), origin) {
            return Ok(());
        }
        // A session that was never used has no file yet; the title goes in with its first prompt.
        if !self.journal.is_new() {
            self.journal_durably(&Record::Title { title: title.clone(), origin }).await?;
        }
        self.emit(SessionUpdated { title: Some(title), status: None });
        Ok(())
    }

    /// How the window is filled. Counted by the provider where it counted, estimated elsewhere.
    pub(super) fn context_usage(&self) -> SessionContextResult {
        let estimate = |json: &str| json.len() as u64 / 4;
        let window = agent::models::limits(&self.config.model).window;
        let memory = self.briefing.instructions().iter().map(|file| estimate(&file.text)).sum();
        let system = estimate(&self.config.system).saturating_sub(memory);
        let tools = estimate(&self.config.tools);
        let pieces = self.conversation.pieces(&self.config.model);
        let messages: u64 = pieces.iter().map(|piece| estimate(piece.json())).sum();
        let used = self.used().max(system + memory + tools + messages);
        // What a summary needs, and the room in which it begins.
        let free = window.saturating_sub(used);
        let reserved = window.saturating_sub(self.window().compact_at()).min(free);
        let share = |kind, tokens| ContextShare { kind, tokens };
        let breakdown = vec![
            share(ContextKind::System, system),
            share(ContextKind::Memory, memory),
            share(ContextKind::Tools, tools),
            share(ContextKind::Messages, used - system - memory - tools),
            share(ContextKind::Reserved, reserved),
            share(ContextKind::Free, free - reserved),
        ];
        SessionContextResult { window, used, breakdown }
    }
}
