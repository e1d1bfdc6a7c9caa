//! Agents: sessions that work for another session.
//!
//! An agent is a session like any other, with a conversation, a journal and calls of its own, whose
//! only client is the one who started it ([`drive`]). All agents of a session are one [`Family`]: the
//! session at its root asks the user in their place, shows what they do, and pays. Their journals lie
//! beside the root's, in `<session>/agents/<id>.jsonl`.

mod asks;
mod drive;
mod family;
mod gateway;
mod kin;
mod launch;
mod lead;
mod mail;
mod mention;
mod mode;
mod news;
mod preload;
mod request;
mod tools_of;
mod work;

use std::sync::Arc;

use extend::{AgentSource, COORDINATOR, FORK};
use policy::Mode;
use protocol::session::AgentInfo;

pub use asks::Bubble;
pub(super) use family::Family;
pub use family::Ran;
pub(super) use gateway::Gateway;
pub use kin::Kin;
pub use launch::Launch;
use lead::Lead;
pub use news::AgentNews;
pub use preload::Told;
pub use request::AgentRequest;

/// What a session knows of agents.
pub(super) struct SessionAgents {
    /// Those that could be started.
    pub(super) known: Arc<extend::Agents>,
    pub(super) family: Arc<Family>,
    /// Who this session is, when it is an agent itself.
    pub(super) member: Option<Arc<Member>>,
    /// The agent that leads the session, where it is not the usual one.
    pub(super) lead: Option<Arc<Lead>>,
}

/// Who an agent is.
pub(super) struct Member {
    pub(super) id: String,
    /// For people: the name it was given, or which agent it is.
    pub(super) called: String,
    /// The call that started it.
    pub(super) call: String,
    /// The turn of the root that it works for, so that what it changes is rewound with that.
    pub(super) turn: String,
    /// One for an agent that the root started.
    pub(super) depth: u32,
    pub(super) is_fork: bool,
    /// The only agents it may start itself; `None`: any.
    pub(super) may_start: Option<Vec<String>>,
    /// The modes that it and those it works for want, the outermost first.
    pub(super) modes: Vec<Mode>,
    /// Skills whose text it gets from the beginning.
    pub(super) skills: Vec<String>,
    pub(super) color: Option<String>,
    /// What the user had said, as far as the mode auto goes by it.
    pub(super) past: agent::classifier::Past,
    /// What its journal says about it.
    pub(super) record: agent::Record,
}

impl super::Session {
    /// The file of the agent that this session is, or is led by.
    pub(super) fn own_definition(&self) -> Option<&extend::AgentDefinition> {
        let is = |member: &Arc<Member>| match &member.record {
            agent::Record::Agent { agent, .. } if !member.is_fork => Some(agent.clone()),
            _ => None,
        };
        let lead = || self.agents.lead.as_ref().map(|lead| lead.name.clone());
        let name = self.agents.member.as_ref().and_then(is).or_else(lead);
        name.and_then(|name| self.agents.known.find(&name))
    }
}

impl Member {
    /// A call of the agent as the root's clients know it: two agents may count theirs alike.
    fn outer(&self, call: &str) -> String {
        format!("{}:{call}", self.id)
    }
}

impl SessionAgents {
    /// The session that people know.
    pub(super) fn root(&self) -> &str {
        self.family.root()
    }

    fn depth(&self) -> u32 {
        self.member.as_ref().map_or(0, |member| member.depth)
    }

    /// The full name of an agent that may be started here, or why not, for the model.
    fn resolve(&self, name: &str) -> Result<String, String> {
        if self.member.as_ref().is_some_and(|member| member.is_fork) {
            return Err("You are a fork: do the work yourself, with your own tools.".to_owned());
        }
        if self.depth() >= self.family.deepest() {
            let deepest = self.family.deepest();
            return Err(format!("Agents start agents {deepest} deep at most; do it yourself."));
        }
        let found = self.known.find(name).filter(|agent| self.may_start(&agent.name));
        found.map(|agent| agent.name.clone()).ok_or_else(|| {
            let names: Vec<&str> = self.startable().map(|agent| agent.name.as_str()).collect();
            format!("There is no agent {name:?} here. There are: {}.", names.join(", "))
        })
    }

    fn may_start(&self, name: &str) -> bool {
        let of_lead = self.lead.as_ref().and_then(|lead| lead.may_start.as_ref());
        let of_member = self.member.as_ref().and_then(|member| member.may_start.as_ref());
        let allowed = of_member.or(of_lead);
        name != COORDINATOR && allowed.is_none_or(|names| names.iter().any(|it| it == name))
    }

    fn startable(&self) -> impl Iterator<Item = &extend::AgentDefinition> {
        self.known.list.iter().filter(|agent| self.may_start(&agent.name))
    }

    /// The same for clients.
    pub(super) fn infos(&self) -> Vec<AgentInfo> {
        let info = |agent: &extend::AgentDefinition| AgentInfo {
            name: agent.name.clone(),
            description: agent.description.clone(),
        };
        self.startable().map(info).collect()
    }

    /// What the model reads about the agents there are: a line for each.
    pub(super) fn listed(&self) -> String {
        let line = |agent: &extend::AgentDefinition| {
            let whose = match agent.source {
                AgentSource::BuiltIn => String::new(),
                source => format!(" ({})", source.name()),
            };
            format!("- {}{whose}: {}", agent.name, one_line(&agent.description))
        };
        self.startable().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn is_fork(agent: &extend::AgentDefinition) -> bool {
    agent.name == FORK && agent.source == AgentSource::BuiltIn
}

/// A description is somebody's text: it must not look like a list of its own.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 1_000;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words[..words.floor_char_boundary(LONGEST)].to_owned()
}
