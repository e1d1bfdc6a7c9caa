//! The settings of one session: which model, how hard it thinks, what it may do.

use std::sync::{Arc, Mutex, PoisonError};

use agent::models::Model;
use agent::{Record, Thinking, TitleOrigin, tokens};
use extend::SaveBeforeCommands;
use model::Provider;
use policy::Mode;
use protocol::event::{ConfigUpdated, SessionUpdated, Severity};
use protocol::session::{Config, ConfigChange, SessionConfigResult};

use super::hooks::fire::ModelSwitch;
use super::options::Options;
use super::toolbox::Searching;
use super::{Session, reload};
use crate::core::{Reply, RpcError};
use crate::store::JournalError;

#[derive(Clone)]
pub(super) struct SessionConfig {
    pub(super) provider: Provider,
    pub(super) model: String,
    /// For quick work: what `fastModel` names, or the same model.
    pub(super) fast: Option<(Provider, String)>,
    /// Another one for the turn that runs: a skill wants it.
    pub(super) borrowed: Option<(Provider, String)>,
    /// Those that stand in when the model is overloaded, in order.
    pub(super) fallbacks: Vec<(Provider, String)>,
    /// How hard it works, and whether it thinks.
    pub(super) options: Options,
    /// What providers are made from.
    pub(super) model_env: model::Env,
    /// What happens to unsaved changes of ours before a command runs.
    pub(super) saves: SaveBeforeCommands,
    /// Commands run in the client's terminal, where it has one.
    pub(super) in_terminal: bool,
    /// JSON, made once: the same bytes in every request.
    pub(super) system: Arc<str>,
    pub(super) tools: Arc<str>,
    pub(super) measured: Measured,
    pub(super) searching: Searching,
}

/// About how many tokens system prompt and tools take: counted once for as long as they stay, since
/// every request asks, several times.
#[derive(Clone, Default)]
pub(super) struct Measured(Arc<Mutex<Option<Count>>>);

struct Count {
    system: Arc<str>,
    tools: Arc<str>,
    tokens: u64,
}

impl Measured {
    pub(super) fn tokens(&self, system: &Arc<str>, tools: &Arc<str>) -> u64 {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            |count: &&Count| Arc::ptr_eq(&count.system, system) && Arc::ptr_eq(&count.tools, tools);
        if let Some(count) = last.as_ref().filter(same) {
            return count.tokens;
        }
        let tokens = tokens::of_text(system) + tokens::of_text(tools);
        *last = Some(Count { system: system.clone(), tools: tools.clone(), tokens });
        tokens
    }
}

/// Answers longer than this are rare, and a larger limit reserves tokens nobody uses.
const MAX_TOKENS: u32 = 32_000;

impl SessionConfig {
    pub(super) fn quick(&self) -> (Provider, String) {
        self.fast.clone().unwrap_or_else(|| (self.provider.clone(), self.model.clone()))
    }

    pub(super) fn provider_of(&self, model: &str) -> &Provider {
        let others = self.borrowed.iter().chain(&self.fallbacks);
        let fallback = others.into_iter().find(|(_, id)| id == model);
        match fallback {
            Some((provider, _)) if model != self.model => provider,
            _ => &self.provider,
        }
    }

    /// A budget for thinking comes on top: it must not eat the answer.
    pub(super) fn max_tokens(&self, limits: &Model) -> u32 {
        let thoughts = match self.options.thinking(limits) {
            Thinking::Budget(tokens) => tokens,
            _ => 0,
        };
        limits.max_output.min(MAX_TOKENS.saturating_add(thoughts))
    }
}

impl Session {
    pub(super) fn wire_config(&self) -> Config {
        let mut config = Config {
            mode: self.state.permissions().mode.name().into(),
            model: self.config.model.clone(),
            effort: None,
            thinking: None,
            max_thinking_tokens: None,
            output_style: self.briefing.style_name().map(str::to_owned),
        };
        self.config.options.show(&mut config);
        config
    }

    pub(super) async fn on_config(&mut self, set: Option<ConfigChange>, reply: Reply) {
        let Some(set) = set else {
            return reply.ok(&SessionConfigResult { config: self.wire_config() });
        };
        if let Err(switch) = self.ask_switch(set, reply) {
            self.configure_now(*switch);
        }
    }

    /// Whoever may say no to it has spoken.
    pub(super) fn configure_now(&mut self, switch: ModelSwitch) {
        let ModelSwitch { set, reply } = switch;
        match self.configure(set) {
            Err(problem) => reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem)),
            Ok(()) => reply.ok(&SessionConfigResult { config: self.wire_config() }),
        }
    }

    /// Changes settings of the session, for everybody who listens and for its next life.
    pub(super) fn configure(&mut self, set: ConfigChange) -> Result<(), String> {
        let before = self.config.model.clone();
        self.change_config(set)?;
        if before != self.config.model {
            self.fire_switched(&before);
        }
        let config = self.wire_config();
        self.emit(ConfigUpdated { config });
        self.touch_status_line();
        if let Err(error) = self.journal_config() {
            self.notice(Severity::Warning, format!("The setting was not saved: {error}"));
        }
        Ok(())
    }

    /// All of a change or nothing: everything is checked before anything is set.
    fn change_config(&mut self, set: ConfigChange) -> Result<(), String> {
        let mut options = self.config.options.clone();
        options.choose(&set)?;
        let read = |mode: protocol::session::Mode| {
            let name = mode.as_str();
            name.parse::<Mode>().map_err(|_| {
                let names = Mode::ALL.map(Mode::name).join(", ");
                format!("There is no mode {name:?}; there are {names}.")
            })
        };
        let mode = set.mode.map(read).transpose()?;
        let forbidden = mode.and_then(|mode| reload::forbidden_mode(mode, &self.forbidden));
        if let Some(problem) = forbidden {
            return Err(problem);
        }
        let mode = match mode {
            Some(mode) => self.chosen_mode(mode)?,
            None => None,
        };
        if mode == Some(Mode::Auto) && self.auto.is_off() {
            return Err("The settings do without the mode auto; choose another.".to_owned());
        }
        let model = set.model.map(|name| model::provider_for(&self.config.model_env, Some(&name)));
        let model = model.transpose().map_err(|error| error.to_string())?;
        if let Some(style) = set.output_style {
            self.briefing.choose_style(&style)?;
            options.output_style = Some(style);
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
        self.config.options = options;
        Ok(())
    }

    /// The mode counts from here on.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        let before = self.state.permissions().mode;
        if mode == Mode::Plan && before != Mode::Plan {
            self.planning.before = Some(before);
        }
        self.state.update_permissions(|permissions| permissions.mode = mode);
        self.tell_agents_the_mode();
        self.mark_plan_file(mode);
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
            chosen: self.config.options.chosen(),
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
}
