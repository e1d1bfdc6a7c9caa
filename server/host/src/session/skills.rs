//! Skills and commands of users, as a session has them: which there are, what the model and the
//! clients are told of them, and what becomes of one that is called.
//!
//! The files are looked at before each prompt, and when the model calls one. What changed is told to
//! the clients with `commands.updated`, and to the model with a note: the list in its system prompt
//! stays as it was, for the provider's cache.

mod expand;
mod gate;
mod offered;
mod prompts;
mod terms;
mod told;
mod used;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::skills::Awake;
use extend::{Given, Settings, Skill, SkillQuery, SkillRoot, SkillSettings, SkillShown, Skills};
use protocol::event::Severity;
use tools::{ForeignTool, Permissions, Registry};

use super::setup::Limits;
use super::{Session, briefing, trust};
use crate::context::HostContext;

pub use expand::{Expansion, Ready};
pub use offered::PromptOffer;
use prompts::Expanding;
pub use prompts::Held;
pub use terms::Lent;
use terms::Terms;

/// What a session knows of skills.
#[derive(Default)]
pub(super) struct SkillBook {
    skills: Skills,
    settings: SkillSettings,
    /// What plugins bring.
    plugins: Vec<SkillRoot>,
    /// The names that the model was told.
    told: Vec<String>,
    /// What holds for the turns of prompts that wait, by their ids.
    terms: HashMap<String, Terms>,
    /// A prompt whose commands run.
    expanding: Option<Expanding>,
    /// The tools that run what a skill's text has done by itself, where the agent that reads it has
    /// fewer.
    runs_with: Option<Arc<Registry>>,
    /// Clients were told of the commands there are.
    pub(super) announced: bool,
    /// The model is told of these only.
    only: Option<Vec<String>>,
}

/// Where to look; owned, because looking waits for the disk.
#[derive(Clone)]
struct Whereabouts {
    host: Arc<HostContext>,
    given: Given,
    vouched: bool,
    cwd: PathBuf,
    added: Vec<PathBuf>,
    permissions: Permissions,
    plugins: Vec<SkillRoot>,
    bundled: bool,
}

impl Whereabouts {
    fn with_query<T>(&self, look: impl FnOnce(&SkillQuery<'_>) -> T) -> T {
        let locations = &self.host.locations;
        let standing = |folder: &Path| trust::standing(locations, folder, self.vouched).0;
        let added: Vec<_> =
            self.added.iter().map(|folder| (folder.clone(), standing(folder))).collect();
        look(&SkillQuery {
            locations,
            given: &self.given,
            cwd: &self.cwd,
            standing: &standing(&self.cwd),
            added: &added,
            more: &self.plugins,
            bundled: self.bundled,
            may_read: &|path, reach| briefing::may_read(&self.permissions, path, reach),
        })
    }
}

/// Where the plugins that are switched on keep theirs.
pub(super) fn of_plugins(settings: &Settings) -> Vec<SkillRoot> {
    let root = |plugin: &extend::plugins::Plugin| SkillRoot {
        folder: plugin.root.clone(),
        skills: plugin.skills.clone(),
        commands: plugin.commands.clone(),
        label: plugin.manifest.name.clone(),
        data: Some(plugin.data.clone()),
    };
    settings.plugins.loaded.iter().map(root).collect()
}

/// Our own skills are switched off by a setting or a variable.
fn wants_bundled(host: &HostContext, settings: &SkillSettings) -> bool {
    let off = ["BOWLINE_DISABLE_BUNDLED_SKILLS", "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS"];
    !settings.no_bundled && !off.iter().any(|name| host.is_set(name))
}

impl SkillBook {
    /// What a session begins with. May wait for the disk.
    pub(super) fn load(
        host: &Arc<HostContext>,
        cwd: &Path,
        limits: &Limits,
        added: &[PathBuf],
        permissions: &Permissions,
        settings: &Settings,
    ) -> SkillBook {
        let plugins = of_plugins(settings);
        let settings = &settings.skills;
        let whereabouts = Whereabouts {
            host: host.clone(),
            given: limits.given.clone(),
            vouched: limits.trust_workspace,
            cwd: cwd.to_owned(),
            added: added.to_vec(),
            permissions: permissions.clone(),
            plugins: plugins.clone(),
            bundled: wants_bundled(host, settings),
        };
        let skills = whereabouts.with_query(|query| Skills::load(query, Awake::default()));
        let (settings, only) = (settings.clone(), limits.skills.clone());
        SkillBook { skills, settings, plugins, only, ..SkillBook::default() }
    }

    /// What is wrong in their files.
    pub(super) fn problems(&self) -> impl Iterator<Item = String> + '_ {
        self.skills.problems.iter().map(ToString::to_string)
    }

    fn shown(&self, skill: &Skill) -> SkillShown {
        self.settings.shown(&skill.name, skill.source)
    }

    /// All that are not switched off.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Skill> {
        self.skills.iter().filter(|skill| self.shown(skill) != SkillShown::Off)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.iter().map(|skill| skill.name.clone()).collect()
    }

    /// The plugins that are switched on, with their folders.
    pub(super) fn plugins(&self) -> Vec<(String, PathBuf)> {
        self.plugins.iter().map(|root| (root.label.clone(), root.folder.clone())).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<&Skill> {
        self.skills.find(name).filter(|skill| self.shown(skill) != SkillShown::Off)
    }

    /// By its name, or by what follows a plugin's.
    fn is_wanted(&self, name: &str) -> bool {
        let is = |wanted: &String| {
            name == wanted || name.strip_suffix(wanted.as_str()).is_some_and(|it| it.ends_with(':'))
        };
        self.only.as_ref().is_none_or(|only| only.iter().any(is))
    }

    /// Whether the model may call it.
    pub(super) fn is_for_model(&self, skill: &Skill) -> bool {
        self.is_wanted(&skill.name)
            && !skill.head.not_for_model
            && self.skills.is_awake(skill)
            && self.shown(skill) < SkillShown::UserOnly
    }
}

impl Session {
    /// The session is to have fewer tools; skills are made ready with all of them, and an agent that
    /// leads hands them on.
    pub(super) fn keep_all_tools(&mut self, tools: Arc<Registry>) {
        self.skills.runs_with.get_or_insert(tools);
    }

    /// Others bring these, in place of those they brought.
    pub(super) fn renew_all_tools(&mut self, foreign: &[Arc<dyn ForeignTool>]) {
        if let Some(all) = &mut self.skills.runs_with {
            *all = Arc::new(all.with_foreign(foreign.to_vec(), false));
        }
    }

    /// Also those that the agent which leads does without.
    pub(super) fn all_tools(&self) -> Arc<Registry> {
        self.skills.runs_with.clone().unwrap_or_else(|| self.registry.clone())
    }

    fn whereabouts(&self) -> Whereabouts {
        Whereabouts {
            host: self.host.clone(),
            given: self.limits.given.clone(),
            vouched: self.limits.trust_workspace,
            cwd: self.state.cwd().to_owned(),
            added: self.given_roots.clone(),
            permissions: self.state.permissions(),
            plugins: self.skills.plugins.clone(),
            bundled: wants_bundled(&self.host, &self.skills.settings),
        }
    }

    /// Before a prompt: whether a skill has changed. A look costs microseconds.
    pub(super) async fn look_at_skills(&mut self) {
        if self.skills.skills.is_stale() {
            self.read_skills_again().await;
        }
    }

    /// Other settings count, with all that follows from them.
    pub(super) async fn renew_skills(&mut self, settings: SkillSettings, plugins: Vec<SkillRoot>) {
        self.skills.settings = settings;
        self.skills.plugins = plugins;
        self.read_skills_again().await;
    }

    /// Reads all of them, as other files, folders or settings want it.
    pub(super) async fn read_skills_again(&mut self) {
        let (whereabouts, awake) = (self.whereabouts(), self.skills.skills.awake());
        let loaded = tokio::task::spawn_blocking(move || {
            whereabouts.with_query(|query| Skills::load(query, awake))
        });
        match loaded.await {
            Ok(skills) => {
                let before = std::mem::replace(&mut self.skills.skills, skills);
                let new = self.skills.skills.problems.iter();
                let new = new.filter(|problem| !before.problems.contains(problem));
                for problem in new.map(ToString::to_string).collect::<Vec<_>>() {
                    self.notice(Severity::Warning, problem);
                }
                self.advertise();
                self.tell_model_of_changes().await;
            }
            Err(error) => tracing::error!(%error, "skills could not be read again"),
        }
    }

    /// A call is about these files: skills of the folders around them, and those that wait for such
    /// files, come up.
    pub(super) async fn touch_skills(&mut self, paths: &[PathBuf]) {
        let cwd = self.state.cwd();
        if paths.iter().all(|path| self.skills.skills.knows(cwd, path)) {
            return;
        }
        // Taken out, because the question waits for the disk; it comes back in every case.
        let (whereabouts, paths) = (self.whereabouts(), paths.to_vec());
        let mut skills = std::mem::take(&mut self.skills.skills);
        let touched = tokio::task::spawn_blocking(move || {
            let mut new = Vec::new();
            whereabouts.with_query(|query| {
                for path in paths.iter().filter_map(|path| workspace::real_path(path).ok()) {
                    new.extend(skills.touch(&path, query));
                }
            });
            (skills, new)
        });
        match touched.await {
            Ok((skills, new)) => {
                self.skills.skills = skills;
                if !new.is_empty() {
                    self.advertise();
                    self.tell_model_of_changes().await;
                }
            }
            Err(error) => tracing::error!(%error, "skills could not be looked for"),
        }
    }
}
