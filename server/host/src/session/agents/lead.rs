//! An agent that leads a session: `--agent NAME`, the setting `agent`, or a client's wish.

use std::sync::Arc;

use extend::AgentDefinition;
use protocol::event::CommandsUpdated;

use crate::session::Session;
use crate::session::briefing::AgentPrompt;

impl Session {
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
        self.agents.lead = Some(agent.name.clone());
        self.registry = Arc::new(self.registry.only(|name| agent.tools.allows(name)));
        self.briefing.agent = Some(AgentPrompt {
            text: agent.prompt.clone(),
            omit_instructions: agent.omit_instructions,
        });
        if agent.memory.is_some() {
            let folder = agent.memory_folder(&self.host.locations, self.state.cwd());
            self.keep_own_notes(folder);
        }
        self.offer_agents();
        self.rebuild_system();
    }
}
