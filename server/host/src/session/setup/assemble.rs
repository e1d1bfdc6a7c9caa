//! The session as a value: what was read, what starts empty, and the ids it goes on from.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::sync::Arc;

use agent::{Conversation, PromptQueue};
use extend::Settings;
use policy::Mode;
use protocol::event::Severity;
use protocol::session::SessionStatus;
use tokio::sync::{mpsc, watch};
use tools::SessionState;

use super::Limits;
use super::prepare::{Found, Prepared};
use crate::context::{Clock, HostContext};
use crate::core::CoreHandle;
use crate::session::agents::{Family, SessionAgents};
use crate::session::attachments::Attachments;
use crate::session::auto::Auto;
use crate::session::compact::Compaction;
use crate::session::event_log::EventLog;
use crate::session::git_state::GitState;
use crate::session::helpers::Helpers;
use crate::session::hooks::{Display, HookSeat, HookSources, Hooks, PromptChecks, Watched};
use crate::session::inline::Inlines;
use crate::session::languages::Languages;
use crate::session::plan::Planning;
use crate::session::prompt_cache::PromptCache;
use crate::session::rules::RuleFiles;
use crate::session::servers::Servers;
use crate::session::shell::Shells;
use crate::session::shelter::Shelter;
use crate::session::status_line::HelperCommands;
use crate::session::tasks::{Folder, SessionTasks};
use crate::session::{Facts, Msg, Session};

impl Prepared {
    #[expect(clippy::too_many_lines, reason = "one field of a session after the other")]
    pub(super) fn into_session(
        mut self,
        id: String,
        host: Arc<HostContext>,
        core: CoreHandle,
        (own, inbox, facts): (mpsc::Sender<Msg>, mpsc::Receiver<Msg>, watch::Sender<Facts>),
        mut limits: Limits,
    ) -> Session {
        let Found { settings, standing, question, watch, .. } = self.found;
        let env = environment(&host, &settings);
        limits.max_turns = limits.max_turns.or(settings.max_turns);
        if limits.mirrored && !limits.is_agent {
            self.journal.mirror();
        }
        facts.send_modify(|facts| {
            facts.cwd.clone_from(&self.cwd);
            facts.roots.clone_from(&self.given_roots);
        });
        let state = SessionState::new(self.cwd, env, self.permissions, self.todos);
        let state = state.with_secrets(host.secrets.clone());
        let state = state.with_past(self.board, &self.tools_loaded);
        let state = Arc::new(state.with_search_service(self.search_service));
        let shelter = Arc::new(Shelter::new(&host, state.clone(), &settings, own.clone()));
        let languages = Languages::new(&state, &settings, &shelter);
        let servers = Servers::new(&host, &id, &settings, &shelter, &own, self.mcp_servers);
        let folder = Folder::beside(self.journal.path());
        let agents = SessionAgents {
            known: Arc::new(self.agents),
            family: Family::new(&host, &id, own.clone(), self.journal.path()),
            member: None,
            lead: None,
        };
        let tasks = SessionTasks::new(&id, own.clone(), host.clock, folder, state.clone());
        let hooks = Hooks::new(&HookSeat {
            session: &id,
            transcript: self.journal.path(),
            state: &state,
            shelter: &shelter,
            host: &host,
            own: &own,
            tasks: &tasks,
        });
        let mut session = Session {
            counter: last_number(&self.conversation, &self.prompts.queue),
            seq: first_seq(&self.conversation, host.clock),
            id,
            title: self.title,
            branch: self.branch,
            host,
            core,
            inbox,
            own,
            config: self.config,
            briefing: self.briefing,
            git: GitState::default(),
            attachments: Attachments::new(
                self.conversation.entries().is_empty(),
                settings.share_editor_focus.unwrap_or_default(),
            ),
            registry: Arc::new(self.registry),
            guards: tools::Guards::default(),
            hooks,
            hook_sources: HookSources::default(),
            prompt_checks: PromptChecks::default(),
            watched: Watched::default(),
            display: Display::default(),
            helper_commands: HelperCommands::default(),
            shells: Shells::default(),
            start_source: "startup",
            end_reason: "other",
            shell_folder: state.shell_cwd(),
            auto: Auto::default(),
            planning: Planning::default(),
            skills: self.skills,
            state,
            languages: Arc::new(languages),
            servers,
            agents,
            tasks: tasks.owner(),
            shelter,
            trusted: standing.is_trusted(),
            forbidden: settings.limits,
            bypass: self.bypass,
            trust_question: question,
            watch,
            told: settings.problems.iter().map(ToString::to_string).collect(),
            given_roots: self.given_roots,
            rule_files: RuleFiles::of(&settings),
            limits,
            conversation: self.conversation,
            journal: self.journal,
            doors: Vec::new(),
            log: EventLog::default(),
            running: None,
            compacting: None,
            compaction: Compaction::new(settings.compact, self.asked_at),
            prompt_cache: PromptCache::default(),
            inlines: Inlines::default(),
            helpers: Helpers::new(settings.helpers, self.session_memory),
            prompts: self.prompts,
            asks: BTreeMap::new(),
            questions: BTreeMap::new(),
            denials: VecDeque::new(),
            status: SessionStatus::Idle,
            facts,
            notices: self.notices,
        };
        session.settle_in(&settings, self.lead.as_deref());
        session
    }
}

impl Session {
    /// What only a session that is put together can do.
    fn settle_in(&mut self, settings: &Settings, lead: Option<&str>) {
        self.renew_hooks(settings);
        self.renew_helper_commands(settings);
        if let Err(problem) = self.lead_as(lead) {
            self.notice_later(Severity::Warning, problem);
        }
        self.look_at_git();
        self.advertise();
        let mode = self.state.permissions().mode;
        self.tell_agents_the_mode();
        self.mark_plan_file(mode);
        if let Some(text) = self.on_mode(Mode::Default, mode) {
            self.notice_later(Severity::Info, text);
        }
    }
}

/// What commands find in their environment: the user's own variables without keys, and what the
/// settings add.
fn environment(host: &HostContext, settings: &Settings) -> Vec<(OsString, OsString)> {
    let mut env = policy::scrub(host.env.iter().cloned());
    for (name, value) in &settings.env {
        env.retain(|(key, _)| key != name.as_str());
        env.push((name.into(), value.into()));
    }
    let hidden = &settings.sandbox.credential_variables;
    env.retain(|(key, _)| hidden.iter().all(|name| key != name.as_str()));
    env
}

/// Events of a session that is loaded again are numbered beyond any it had before, so that a
/// client's `since` from another life is never mistaken for one of this.
fn first_seq(conversation: &Conversation, clock: Clock) -> u64 {
    if conversation.entries().is_empty() { 0 } else { clock.millis() }
}

/// The highest number in the ids so far (`msg_ab12_7`, `turn_ab12_8.1`), and one for a turn that
/// left no message.
fn last_number(conversation: &Conversation, queue: &PromptQueue) -> u64 {
    let ids = conversation.entries().iter().filter_map(|entry| entry.id.as_deref());
    // What waits has a name too, and a second prompt of that name would take its place.
    let ids = ids.chain(conversation.all_turns()).chain(queue.ids());
    let number = |id: &str| id.rsplit('_').next()?.split('.').next()?.parse::<u64>().ok();
    ids.filter_map(number).max().map_or(0, |last| last.saturating_add(1))
}
