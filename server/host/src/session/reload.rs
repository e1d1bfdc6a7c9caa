//! Settings that change while the session runs: read again, and taken over before the next act.

use std::sync::Arc;

use extend::{PermissionLimits, Settings};
use policy::{Entry, Mode, Source};
use protocol::event::{ConfigUpdated, Severity};

use super::Session;
use super::bypass::Bypass;
use super::choice;
use super::languages::Languages;
use super::rules::RuleFiles;
use super::setup::{self, Found};

impl Session {
    /// Looks whether a settings file has changed; a look costs microseconds.
    pub(super) async fn look_at_settings(&mut self) {
        let changed = self.watch.changed();
        if !changed.is_empty() && !self.ask_about_settings(&changed) {
            self.read_settings_again().await;
        }
    }

    pub(super) async fn read_settings_again(&mut self) {
        let (host, cwd) = (self.host.clone(), self.state.cwd().to_owned());
        let (limits, shelter) = (self.limits.clone(), self.shelter.clone());
        let found = tokio::task::spawn_blocking(move || {
            let found = setup::find(&host, &cwd, &limits);
            shelter.renew(&host, &found.settings);
            let agents = setup::load_agents(&host, &cwd, &found, &limits);
            (found, agents)
        });
        match found.await {
            Ok((found, agents)) => {
                self.renew_agents(agents);
                let prompting = found.settings.prompting.clone();
                let skills = found.settings.skills.clone();
                let plugins = super::skills::of_plugins(&found.settings);
                self.take_over(found);
                self.brief_again(prompting).await;
                self.renew_skills(skills, plugins).await;
            }
            Err(error) => tracing::error!(%error, "settings could not be read again"),
        }
    }

    fn take_over(&mut self, found: Found) {
        let Found { settings, standing, question, problem, watch } = found;
        self.watch = watch;
        let was_trusted = std::mem::replace(&mut self.trusted, standing.is_trusted());
        if self.trusted && !was_trusted {
            self.look_at_git();
        }
        let roots = setup::roots(self.state.cwd(), &self.given_roots, &settings);
        let forbidden = forbidden_mode(self.state.permissions().mode, &settings.limits);
        self.state.update_permissions(|permissions| {
            let of_session = |entry: &&Entry| {
                matches!(entry.source, Source::CommandLine | Source::Session | Source::Turn)
            };
            let since = permissions.rules.iter().filter(of_session);
            let plan = permissions.rules.plan().map(ToOwned::to_owned);
            permissions.rules = setup::rules(&settings, since);
            permissions.rules.set_plan(plan);
            permissions.roots = roots;
            if forbidden.is_some() {
                permissions.mode = Mode::Default;
            }
        });
        self.tell_agents_the_mode();
        self.forbidden = settings.limits;
        self.rule_files = RuleFiles::of(&settings);
        self.bypass = Bypass::of(&self.host, &settings).still(self.bypass.wanted);
        self.config.saves = settings.save_before_commands.unwrap_or_default();
        self.config.in_terminal = settings.commands_in_terminal.unwrap_or_default();
        self.attachments.share_focus(settings.share_editor_focus.unwrap_or_default());
        self.config.options.renew(&settings.model_options);
        let models_told = self.choose_models_again(&settings);
        self.renew_hooks(&settings);
        self.renew_helper_commands(&settings);
        self.helpers.renew(settings.helpers);
        self.renew_servers(&settings);
        if !self.languages.are_those_of(&settings) {
            self.languages = Arc::new(Languages::new(&self.state, &settings, &self.shelter));
        }
        let problems = settings.problems.iter().map(ToString::to_string);
        let told: Vec<String> = problems.chain(problem).chain(models_told).collect();
        let before = std::mem::replace(&mut self.told, told.clone());
        for problem in told.into_iter().filter(|problem| !before.contains(problem)) {
            self.notice_later(Severity::Warning, problem);
        }
        self.notice_later(Severity::Info, "The settings have changed and were read again.");
        if let Some(reason) = forbidden {
            self.notice_later(Severity::Warning, reason);
            let config = self.wire_config();
            self.emit(ConfigUpdated { config });
        }
        self.welcome();
        self.withdraw(&super::ask::request_id(&self.id, "trust"));
        self.trust_question = question;
        self.ask_trust();
    }
}

impl Session {
    /// The settings may permit other models now. One that may not be used any more is not asked
    /// again: whoever prompts is told to choose another.
    fn choose_models_again(&mut self, settings: &Settings) -> Vec<String> {
        let env = choice::model_env(&self.host, settings);
        let mut told = Vec::new();
        match model::provider_for(&env, Some(&self.config.model)) {
            Ok((provider, _)) => self.config.provider = provider,
            Err(model::ConfigError::Refused(why)) => {
                told.push(why.to_string());
                self.config.provider = model::Provider::refused(why, &self.config.model);
            }
            // It worked so far; what else is wrong shows when it is asked.
            Err(_) => {}
        }
        let (fast, problem) = choice::fast_model(&env, settings);
        let (fallbacks, problems) = choice::fallback_models(&env, settings, &self.limits);
        self.config.fast = fast;
        self.config.fallbacks = fallbacks;
        self.config.model_env = env;
        told.extend(problem.into_iter().chain(problems));
        told
    }
}

/// Why a mode cannot be had.
pub(super) fn forbidden_mode(mode: Mode, limits: &PermissionLimits) -> Option<String> {
    let off = match mode {
        Mode::BypassPermissions => limits.no_bypass,
        Mode::Auto => limits.no_auto,
        _ => false,
    };
    off.then(|| format!("The settings do not allow the mode {mode}."))
}
