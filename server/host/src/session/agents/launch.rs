//! An agent made ready: which model, which tools, which mode, which words. The session says so; the
//! call that wants the agent then runs it.

use std::path::PathBuf;
use std::sync::Arc;

use agent::{Effort, Record};
use extend::hooks::WrittenBy;
use extend::{AgentDefinition, AgentSource, HookSetting};
use policy::Source;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools::{AgentWish, Reserved, TaskKind, Tasks as _};

use super::kin::{Kin, Mind};
use super::request::AgentRequest;
use super::{Family, Member, Ran, is_fork, tools_of};
use crate::context::HostContext;
use crate::core::CoreHandle;
use crate::session::briefing::AgentPrompt;
use crate::session::hooks::Hooks;
use crate::session::tasks::SessionTasks;
use crate::session::{Limits, PromptWish, Session, Wish};

/// Everything that starts one agent.
pub struct Launch {
    pub(super) host: Arc<HostContext>,
    pub(super) core: CoreHandle,
    pub(super) family: Arc<Family>,
    pub(super) tasks: SessionTasks,
    pub(super) reserved: Reserved,
    pub(super) ran: Ran,
    pub(super) place: Place,
    pub(super) limits: Limits,
    pub(super) kin: Kin,
    pub(super) prompt: String,
    pub(super) background: bool,
    /// Of the session that starts it.
    pub(super) hooks: Hooks,
}

/// Where an agent works, and where its journal is.
pub(super) struct Place {
    pub(super) cwd: PathBuf,
    /// In a worktree of its own.
    pub(super) worktree: bool,
    pub(super) journal: Option<PathBuf>,
    /// The conversation it begins with, for a fork.
    pub(super) copies: Option<PathBuf>,
    /// The journal is there, and the conversation goes on.
    pub(super) goes_on: bool,
}

impl Launch {
    pub(super) fn id(&self) -> &str {
        &self.ran.id
    }
}

impl Session {
    /// The error is a sentence for the model.
    pub(in crate::session) fn launch(
        &self,
        call: &str,
        request: AgentRequest,
    ) -> Result<Launch, String> {
        let reserved = self.tasks.reserve(TaskKind::Agent)?;
        let (wish, went) = match request {
            AgentRequest::Start(wish) => (wish, None),
            AgentRequest::GoOn { ran, mail } => (again(&ran, mail), Some(ran)),
        };
        let known = &self.agents.known;
        let agent = known.find(&wish.agent).ok_or_else(|| {
            format!("The agent {:?} is not there any more, so it cannot go on.", wish.agent)
        })?;
        let reserved = match &went {
            Some(ran) => Reserved {
                output: reserved.output.with_file_name(format!("{}.output", ran.id)),
                id: ran.id.clone(),
            },
            None => reserved,
        };
        let is_agent = self.agents.member.is_some();
        let background = !is_agent && (agent.background || wish.background.unwrap_or(true));
        let depth = went.as_ref().map_or(self.agents.depth() + 1, |ran| ran.depth);
        let ran = Ran {
            id: reserved.id.clone(),
            name: wish.name.clone(),
            agent: agent.name.clone(),
            description: wish.description.clone(),
            state: super::family::RUNNING,
            depth,
            mailbox: None,
            inbox: None,
            cancel: CancellationToken::new(),
        };
        let journal = self.agents.family.journal_of(&ran.id);
        let goes_on = went.is_some();
        let copies = match is_fork(agent) && !goes_on {
            true => Some(self.forkable()?),
            false => None,
        };
        // A fork is where its parent is, and whoever goes on is where it was.
        let worktree = (wish.worktree || agent.worktree) && !goes_on && !is_fork(agent);
        let mut kin = self.kin(agent, &ran, call, background, &wish);
        if worktree {
            // The servers of this session know nothing of the files there.
            kin.languages = None;
        }
        Ok(Launch {
            host: self.host.clone(),
            core: self.core.clone(),
            family: self.agents.family.clone(),
            tasks: self.tasks.clone(),
            reserved,
            place: Place { cwd: self.state.cwd().to_owned(), worktree, journal, copies, goes_on },
            limits: self.agent_limits(agent, &wish)?,
            kin,
            prompt: wish.prompt,
            background,
            hooks: self.hooks.clone(),
            ran,
        })
    }

    /// A fork begins with what is written down.
    fn forkable(&self) -> Result<PathBuf, String> {
        let stored = self.journal.path().filter(|_| !self.journal.is_new());
        let stored = stored.map(ToOwned::to_owned);
        stored.ok_or_else(|| "Nothing of this session is stored, so it has no forks.".to_owned())
    }

    fn kin(
        &self,
        agent: &AgentDefinition,
        ran: &Ran,
        call: &str,
        background: bool,
        wish: &AgentWish,
    ) -> Kin {
        let agents = &self.agents;
        let turn = match &agents.member {
            Some(member) => member.turn.clone(),
            None => self.running.as_ref().map(|it| it.turn.id().to_owned()).unwrap_or_default(),
        };
        let record = Record::Agent {
            agent: agent.name.clone(),
            name: ran.name.clone(),
            description: ran.description.clone(),
            call: call.to_owned(),
            depth: ran.depth,
        };
        let member = Member {
            id: ran.id.clone(),
            called: ran.name.clone().unwrap_or_else(|| agent.name.clone()),
            call: call.to_owned(),
            turn,
            depth: ran.depth,
            is_fork: is_fork(agent),
            may_start: agent
                .tools
                .may_start()
                .map(|it| it.into_iter().map(str::to_owned).collect()),
            modes: self.modes_for(agent),
            skills: agent.skills.clone(),
            color: agent.color.clone(),
            past: self.past(),
            record,
        };
        let may_start_others = ran.depth < agents.family.deepest();
        let (registry, mind) = match is_fork(agent) {
            true => (self.registry.clone(), Mind::Same(Box::new(self.config.clone()))),
            false => {
                // Whoever leads hands on what it does without; an agent has no more than its own.
                let from = match &agents.member {
                    Some(_) => self.registry.clone(),
                    None => self.all_tools(),
                };
                let own = tools_of::of(&from, agent, background, may_start_others);
                (Arc::new(own), self.mind(agent, wish))
            }
        };
        Kin {
            family: agents.family.clone(),
            known: agents.known.clone(),
            member: Arc::new(member),
            registry,
            all_tools: self.all_tools(),
            rules: self.agent_rules(),
            servers: self.inheritance(agent),
            compact_window: agent.compact_window,
            open_skills: self.state.open_skills(),
            languages: Some(self.languages.clone()),
            mind,
            agent: agent.name.clone(),
            hooks: self.hooks_of(agent),
        }
    }

    /// The hooks in its head. One that cannot be read was told when its file was.
    fn hooks_of(&self, agent: &AgentDefinition) -> Vec<HookSetting> {
        let Some(hooks) = &agent.hooks else { return Vec::new() };
        let by = WrittenBy {
            source: match agent.source {
                AgentSource::Managed => Source::Managed,
                AgentSource::Project => Source::Project,
                _ => Source::User,
            },
            of: format!("the agent {}", agent.name),
            file: agent.file.clone().unwrap_or_default(),
            is_agent: true,
        };
        extend::hooks::written(hooks, &by).unwrap_or_else(|problem| {
            tracing::warn!(problem, "an agent's hooks are not used");
            Vec::new()
        })
    }

    fn mind(&self, agent: &AgentDefinition, wish: &AgentWish) -> Mind {
        let prompt =
            AgentPrompt { text: agent.prompt.clone(), omit_instructions: agent.omit_instructions };
        let memory = self.notes_of(agent);
        let inherits = self.named_model(agent, wish).is_none();
        let model = inherits.then(|| Box::new(self.config.clone()));
        Mind::Own { prompt, memory, model }
    }

    /// The environment goes first, then the call, then the agent. `None`: the same as this session.
    fn named_model(&self, agent: &AgentDefinition, wish: &AgentWish) -> Option<String> {
        let said = |name: &str| self.host.model_env.get(name).map(str::to_owned);
        let named = said("BOWLINE_SUBAGENT_MODEL").or_else(|| said("CLAUDE_CODE_SUBAGENT_MODEL"));
        let named = named.or_else(|| wish.model.clone()).or_else(|| agent.model.clone());
        named.filter(|model| !model.trim().is_empty() && model != "inherit")
    }

    fn agent_limits(&self, agent: &AgentDefinition, wish: &AgentWish) -> Result<Limits, String> {
        let effort = match &wish.effort {
            None => agent.effort,
            Some(word) => Some(Effort::parse(word).ok_or_else(|| {
                let names = Effort::ALL.map(Effort::name).join(", ");
                format!("There is no effort {word:?}; there are {names}.")
            })?),
        };
        let chosen = self.config.options.wish();
        let left = |budget: f64| (budget - self.spent().cost_usd()).max(0.0);
        Ok(Limits {
            max_turns: agent.max_turns.or(self.limits.max_turns),
            max_budget_usd: self.limits.max_budget_usd.map(left),
            task_budget: None,
            schema: None,
            prompt: PromptWish::default(),
            model: self.named_model(agent, wish),
            wish: Wish { effort: effort.or(chosen.effort), ..chosen },
            mode: None,
            agent: None,
            is_agent: true,
            roots: self.given_roots.clone(),
            trust_workspace: self.trusted,
            waits_for_servers: false,
            strict_settings: false,
            ..self.limits.clone()
        })
    }

    /// The same, but whoever makes a plan writes it.
    fn agent_rules(&self) -> policy::Rules {
        let mut rules = self.state.permissions().rules;
        rules.set_plan(None);
        rules
    }
}

/// The wish that an agent which goes on stands for.
fn again(ran: &Ran, mail: String) -> AgentWish {
    AgentWish {
        agent: ran.agent.clone(),
        description: ran.description.clone(),
        prompt: mail,
        name: ran.name.clone(),
        background: Some(true),
        ..AgentWish::default()
    }
}

/// A mailbox, and where it is read.
pub(super) fn mailbox() -> (mpsc::Sender<String>, mpsc::Receiver<String>) {
    mpsc::channel(super::mail::MAILBOX)
}
