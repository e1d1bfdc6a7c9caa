//! What an agent's session has from the one that started it, and how it becomes an agent.

use std::path::PathBuf;
use std::sync::Arc;

use extend::{AgentDefinition, AgentMemory, HelperSettings, HookSetting};
use policy::Rules;
use tools::Registry;

use super::{Family, Member, SessionAgents};
use crate::session::Session;
use crate::session::auto_memory::{AutoMemory, OwnNotes};
use crate::session::briefing::AgentPrompt;
use crate::session::config::SessionConfig;
use crate::session::git_state::GitState;
use crate::session::helpers::{Helpers, SessionMemory};
use crate::session::languages::Languages;
use crate::session::servers::Inheritance;

pub struct Kin {
    pub(super) family: Arc<Family>,
    pub(super) known: Arc<extend::Agents>,
    pub(super) member: Arc<Member>,
    pub(super) registry: Arc<Registry>,
    /// What its skills are made ready with.
    pub(super) all_tools: Arc<Registry>,
    pub(super) rules: Rules,
    pub(super) servers: Inheritance,
    /// Folders of skills that are in use, whose files it may read.
    pub(super) open_skills: Vec<PathBuf>,
    /// How much of the window it uses, where its file says so.
    pub(super) compact_window: Option<u64>,
    /// The same language servers, where it works in the same folder.
    pub(super) languages: Option<Arc<Languages>>,
    pub(super) mind: Mind,
    /// Which agent it is, for hooks, and the hooks in its head.
    pub(super) agent: String,
    pub(super) hooks: Vec<HookSetting>,
}

/// Who it is for the model.
pub(super) enum Mind {
    /// An agent with words of its own, and with the model of its parent where nobody named another.
    Own { prompt: AgentPrompt, memory: Option<PathBuf>, model: Option<Box<SessionConfig>> },
    /// A copy of its parent, to the last byte.
    Same(Box<SessionConfig>),
}

/// Nobody sees what they would say.
const NO_HELPERS: HelperSettings = HelperSettings {
    suggestion: Some(false),
    title: Some(false),
    tool_summaries: Some(false),
    magic_docs: Some(false),
    away_summary: Some(false),
    session_memory: Some(false),
};

impl Session {
    pub(in crate::session) fn join_family(&mut self, kin: Kin) {
        let Kin { family, known, member, registry, rules, servers, .. } = kin;
        let (languages, mind, agent, hooks) = (kin.languages, kin.mind, kin.agent, kin.hooks);
        let (id, root) = (member.id.clone(), family.root().to_owned());
        self.hooks.note(|now| {
            now.agent = Some((id, agent));
            now.root = Some(root);
        });
        self.add_hooks(hooks);
        self.agents = SessionAgents { known, family, member: Some(member), lead: None };
        self.state.update_permissions(|permissions| permissions.rules = rules);
        self.follow_mode();
        self.compaction.use_window(kin.compact_window);
        self.keep_all_tools(kin.all_tools);
        kin.open_skills.into_iter().for_each(|folder| self.state.open_skill(folder));
        if let Some(languages) = languages {
            self.languages = languages;
        }
        // What there is to decide and to know about the folder, the root's user was told.
        self.trust_question = None;
        self.bypass.wanted = false;
        self.notices.clear();
        self.helpers = Helpers::new(NO_HELPERS, SessionMemory::default());
        self.inherit_servers(servers);
        match mind {
            Mind::Same(config) => {
                self.registry = registry;
                self.config = *config;
                self.git = GitState::default();
            }
            Mind::Own { prompt, memory, model } => {
                self.registry = Arc::new(registry.with_agents(&self.agents.listed()));
                if let Some(parent) = model {
                    self.config.provider = parent.provider;
                    self.config.model = parent.model;
                    self.config.fallbacks = parent.fallbacks;
                }
                if prompt.omit_instructions {
                    self.git = GitState::default();
                }
                self.briefing.agent = Some(prompt);
                self.keep_own_notes(memory);
                self.rebuild_system();
                self.rebuild_tools();
            }
        }
    }

    /// Where an agent keeps its notes. What lies in a folder that nobody trusts is not shown to the
    /// model, and a link could lead out of the project to where nobody may write.
    pub(super) fn notes_of(&self, agent: &AgentDefinition) -> Option<PathBuf> {
        let folder = agent.memory_folder(&self.host.locations, self.state.cwd())?;
        if agent.memory == Some(AgentMemory::User) {
            return Some(folder);
        }
        let inside = workspace::real_path(&folder).ok()?.starts_with(self.state.cwd());
        (self.trusted && inside).then_some(folder)
    }

    /// The notes of an agent are its own, not those of the project.
    pub(super) fn keep_own_notes(&mut self, folder: Option<PathBuf>) {
        let permissions = self.state.permissions();
        let notes = folder.as_ref();
        let notes = notes.and_then(|folder| AutoMemory::at(&self.host, folder, &permissions));
        self.briefing.auto_memory = notes;
        self.briefing.own_notes = Some(OwnNotes { folder });
        let folder = self.briefing.notes_folder();
        self.state.update_permissions(|permissions| permissions.rules.set_notes(folder));
    }

    /// Rules that the user granted while this agent is at work.
    pub(in crate::session) fn on_granted(&self, rules: Vec<policy::Entry>) {
        self.state.update_permissions(|permissions| permissions.rules.extend(rules));
    }
}
