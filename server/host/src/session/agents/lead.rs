//! An agent that leads a session: `--agent NAME`, the setting `agent`, or a client's wish.

use std::sync::Arc;

use agent::Block;
use extend::{AgentDefinition, ToolFilter};
use protocol::event::{CommandsUpdated, Severity};

use tools::ForeignTool;

use crate::session::briefing::AgentPrompt;
use crate::session::{Session, setup, trust};

/// What stays of it once it leads.
pub(in crate::session) struct Lead {
    pub(in crate::session) name: String,
    /// The only agents it may start; `None`: any.
    pub(super) may_start: Option<Vec<String>>,
    tools: ToolFilter,
    /// What a conversation with it begins with.
    initial_prompt: Option<String>,
    skills: Vec<String>,
}

impl Lead {
    fn of(agent: &AgentDefinition) -> Lead {
        let may_start = agent.tools.may_start();
        Lead {
            name: agent.name.clone(),
            may_start: may_start.map(|names| names.into_iter().map(str::to_owned).collect()),
            tools: agent.tools.clone(),
            initial_prompt: agent.initial_prompt.clone(),
            skills: agent.skills.clone(),
        }
    }
}

impl Session {
    /// The first words of a conversation: those that the agent's file puts before the user's, and the
    /// skills it names. One that has commands to run first is called by the model itself.
    pub(in crate::session) fn begin_as_lead(&mut self, said: Vec<Block>) -> Vec<Block> {
        let Some(lead) = self.agents.lead.clone() else { return said };
        if !self.conversation.entries().is_empty() {
            return said;
        }
        let mut content: Vec<Block> = lead.initial_prompt.iter().map(Block::text).collect();
        content.extend(said);
        for name in &lead.skills {
            match self.preloadable(name) {
                Ok(skill) => {
                    let expansion = self.expansion(skill, "");
                    content.extend(match expansion.takes_time() {
                        true => {
                            let note = format!("Call the skill {name} before anything else.");
                            vec![Block::text(tools::reminder(&note))]
                        }
                        false => {
                            let ready = expansion.at_once();
                            ready.folder().into_iter().for_each(|it| self.state.open_skill(it));
                            ready.into_blocks()
                        }
                    });
                }
                Err(problem) => self.notice(Severity::Warning, problem),
            }
        }
        content
    }

    /// The agents there are, and which of them leads. The error is a sentence for the user.
    pub(in crate::session) fn lead_as(&mut self, wanted: Option<&str>) -> Result<(), String> {
        let Some(name) = wanted else {
            self.offer_agents();
            return Ok(());
        };
        let known = self.agents.known.clone();
        let Some(agent) = known.find(name).filter(|agent| !super::is_fork(agent)) else {
            self.offer_agents();
            let names = known.names().join(", ");
            return Err(format!(
                "There is no agent {name:?} to lead the session; there are {names}."
            ));
        };
        self.take_lead(agent);
        Ok(())
    }

    /// Of tools that others bring, those that are for the agent that leads. Its agents may have all.
    pub(in crate::session) fn for_lead(
        &mut self,
        tools: Vec<Arc<dyn ForeignTool>>,
    ) -> Vec<Arc<dyn ForeignTool>> {
        let Some(lead) = self.agents.lead.clone() else { return tools };
        self.renew_all_tools(&tools);
        tools.into_iter().filter(|tool| lead.tools.allows(tool.name())).collect()
    }

    /// Before a prompt: whether an agent's file has changed. A look costs microseconds.
    pub(in crate::session) async fn look_at_agents(&mut self) {
        // An agent at work knows those that there were when it began.
        if self.agents.member.is_some() || !self.agents.known.is_stale() {
            return;
        }
        let (host, cwd) = (self.host.clone(), self.state.cwd().to_owned());
        let (vouched, given) = (self.limits.trust_workspace, self.limits.agents.clone());
        let known = self.agents.known.clone();
        let read = tokio::task::spawn_blocking(move || {
            let standing = trust::standing(&host.locations, &cwd, vouched).0;
            setup::read_agents(&host, &cwd, &standing, given.as_deref(), known.of_plugins())
        });
        match read.await {
            Ok(agents) => {
                let new = agents.problems.iter();
                let new = new.filter(|problem| !self.agents.known.problems.contains(problem));
                for problem in new.map(ToString::to_string).collect::<Vec<_>>() {
                    self.notice(Severity::Warning, problem);
                }
                self.renew_agents(agents);
            }
            Err(error) => tracing::error!(%error, "agents could not be read again"),
        }
    }

    /// The files were read again. The list that the model knows changes only where it must.
    pub(in crate::session) fn renew_agents(&mut self, agents: extend::Agents) {
        let before = std::mem::replace(&mut self.agents.known, Arc::new(agents));
        if before.list != self.agents.known.list {
            self.offer_agents();
            let (commands, agents) = (self.commands(), self.agents.infos());
            self.emit(CommandsUpdated { commands, agents: Some(agents) });
        }
    }

    fn offer_agents(&mut self) {
        self.registry = Arc::new(self.registry.with_agents(&self.agents.listed()));
        let agents = self.agents.infos();
        self.facts.send_modify(|facts| facts.agents = agents);
        self.rebuild_tools();
    }

    fn take_lead(&mut self, agent: &AgentDefinition) {
        self.agents.lead = Some(Arc::new(Lead::of(agent)));
        self.config.options.led_by(&agent.name, agent.effort);
        let turns = self.limits.max_turns.into_iter().chain(agent.max_turns).min();
        self.limits.max_turns = turns;
        self.compaction.use_window(agent.compact_window);
        self.keep_all_tools(self.registry.clone());
        self.registry = Arc::new(self.registry.only(|name| agent.tools.allows(name)));
        self.briefing.agent = Some(AgentPrompt {
            text: agent.prompt.clone(),
            omit_instructions: agent.omit_instructions,
        });
        if agent.memory.is_some() {
            self.keep_own_notes(self.notes_of(agent));
        }
        self.offer_agents();
        self.rebuild_system();
    }
}
