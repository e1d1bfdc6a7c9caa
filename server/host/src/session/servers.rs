//! The MCP servers of a session: started when it begins, joined as they come, gone with it.
//!
//! The hub (crate `mcp`) owns the connections. Here its news become what the session tells: tools for
//! the next request, commands, notes and events. An agent has the servers of the session it works for,
//! and a hub of its own for those that its file configures.

mod agreed;
mod configs;
mod elicit;
mod form;
mod hooked;
mod master;
pub(super) mod mentions;
mod news;
mod notes;
mod prompts;
mod requests;
mod rows;
mod waiting;

use std::collections::BTreeMap;
use std::sync::Arc;

use extend::{McpAdmission, Settings};
use mcp::{Hub, Patience, Server, ServerConfig};
use protocol::event::Severity;
use protocol::mcp::McpServer;
use serde_json::Value;
use tokio::sync::mpsc;

use super::shelter::Shelter;
use super::{Msg, Session};
use crate::context::HostContext;
use crate::servers::{Absent, Around, Found};
use agreed::Agreed;
pub(super) use configs::inline;
pub(super) use master::SERVER;
use master::{Lines, SessionMaster};
pub use news::ServerNews;
pub(super) use notes::Told;
pub use prompts::Filling;
use waiting::Awaited;

pub(super) struct Servers {
    pub(super) hub: Arc<Hub>,
    lines: Lines,
    /// What the client gave the session.
    given: BTreeMap<String, Value>,
    /// What the settings say.
    found: Found,
    admission: McpAdmission,
    /// What of the settings is not connected to.
    absent: Vec<Absent>,
    /// Those of the sessions that this agent works for.
    inherited: Vec<Arc<Hub>>,
    /// Of an agent's own servers, and those its file names: it has all their tools but those that
    /// it does without.
    favoured: Vec<String>,
    /// What the registry was last made from: the server, and its tool.
    offered: Vec<(usize, mcp::Tool)>,
    /// What was agreed to, and what is other than that.
    agreed: Agreed,
    /// What clients were last told.
    shown: Vec<McpServer>,
    awaited: Option<Awaited>,
    /// The model has seen a list of tools in this life of the session.
    pub(super) seen: bool,
    begun: bool,
}

/// What an agent has of servers.
pub(super) struct Inheritance {
    pub(super) hubs: Vec<Arc<Hub>>,
    pub(super) offered: Vec<(usize, mcp::Tool)>,
    /// Its own, by its file.
    pub(super) own: Vec<ServerConfig>,
    /// Servers whose tools it has in any case.
    pub(super) favoured: Vec<String>,
    /// Who asks the user.
    pub(super) root: (String, mpsc::Sender<Msg>),
}

impl Servers {
    /// Nothing is connected to yet.
    pub(super) fn new(
        host: &Arc<HostContext>,
        session: &str,
        settings: &Settings,
        shelter: &Arc<Shelter>,
        own: &mpsc::Sender<Msg>,
        given: BTreeMap<String, Value>,
    ) -> Servers {
        let lines = Lines::default();
        let asks = (session.to_owned(), own.clone());
        Servers {
            hub: hub(host, settings, shelter, asks, &lines),
            lines,
            given,
            found: crate::servers::configured(settings),
            admission: settings.mcp_admission.clone(),
            absent: Vec::new(),
            inherited: Vec::new(),
            favoured: Vec::new(),
            offered: Vec::new(),
            agreed: Agreed::default(),
            shown: Vec::new(),
            awaited: None,
            seen: false,
            begun: false,
        }
    }

    /// Those of the session and those it has from elsewhere, each once.
    pub(super) fn all(&self) -> Vec<Arc<Server>> {
        let mut all = self.hub.servers();
        let names = |server: &Arc<Server>| mcp::server_key(server.name());
        for server in self.inherited.iter().flat_map(|hub| hub.servers()) {
            if !all.iter().any(|known| names(known) == names(&server)) {
                all.push(server);
            }
        }
        all
    }
}

fn hub(
    host: &Arc<HostContext>,
    settings: &Settings,
    shelter: &Arc<Shelter>,
    asks: (String, mpsc::Sender<Msg>),
    lines: &Lines,
) -> Arc<Hub> {
    let patience = Patience::from_env(|name| host.var(name)?.to_str().map(str::to_owned));
    let state = shelter.state().clone();
    let master = SessionMaster::new(shelter.clone(), state.clone(), lines.clone(), asks);
    let around = Around::new(host, state.cwd().to_owned(), settings.env.clone(), master);
    Arc::new(Hub::new(Arc::new(around), patience))
}

impl Session {
    /// Connects to the servers, side by side; nobody waits for them here.
    pub(super) fn begin_servers(&mut self) {
        self.servers.begun = true;
        self.connect_hooks();
        self.watch_servers(&self.servers.hub);
        self.connect_servers();
        self.await_servers();
    }

    /// Says when something about the servers is different, and not more often than anybody can read.
    fn watch_servers(&self, hub: &Hub) {
        const CALM: std::time::Duration = std::time::Duration::from_millis(30);
        let (mut changed, own) = (hub.changed(), self.own.clone());
        tokio::spawn(async move {
            while changed.changed().await.is_ok() {
                tokio::time::sleep(CALM).await;
                changed.mark_unchanged();
                if own.send(Msg::Server(ServerNews::Changed)).await.is_err() {
                    return;
                }
            }
        });
    }

    /// Settings, the client or its doors changed: from now on these are the servers.
    fn connect_servers(&mut self) {
        let (configs, absent, problems) = self.servers.configs();
        self.servers.absent = absent;
        for problem in problems {
            if !self.told.contains(&problem) {
                self.told.push(problem.clone());
                self.notice_later(Severity::Warning, problem);
            }
        }
        self.servers.hub.set(configs);
        if !self.doors.is_empty() {
            self.welcome();
        }
    }

    /// The settings were read again.
    pub(super) fn renew_servers(&mut self, settings: &Settings) {
        self.servers.found = crate::servers::configured(settings);
        self.servers.admission = settings.mcp_admission.clone();
        // An agent's own are what its file said when it began.
        if self.servers.begun && self.agents.member.is_none() {
            self.connect_servers();
        }
    }

    /// A client that joined may have servers of its own.
    pub(super) fn servers_of_doors(&mut self) {
        let offers = self.doors.iter().filter_map(|door| door.servers());
        if self.servers.lines.set(offers.collect()) && self.servers.begun {
            self.connect_servers();
        }
    }

    /// An agent has what its parent has, and its own.
    pub(super) fn inherit_servers(&mut self, inheritance: Inheritance) {
        let Inheritance { hubs, offered, own, favoured, root } = inheritance;
        // What comes while it works, it has from then on.
        hubs.iter().for_each(|hub| self.watch_servers(hub));
        self.servers.inherited = hubs;
        self.servers.offered = offered;
        self.servers.favoured = favoured;
        if own.is_empty() {
            return self.connect_hooks();
        }
        let settings = Settings::default();
        let lines = self.servers.lines.clone();
        self.servers.hub = hub(&self.host, &settings, &self.shelter, root, &lines);
        self.servers.begun = true;
        self.connect_hooks();
        self.watch_servers(&self.servers.hub);
        self.servers.hub.set(own);
        self.await_own_servers();
    }

    /// What an agent of this kind gets.
    pub(super) fn inheritance(&self, agent: &extend::AgentDefinition) -> Inheritance {
        let (own, mut favoured) = inline(&agent.mcp_servers, &self.servers.admission);
        favoured.extend(own.iter().map(|config| config.name.clone()));
        Inheritance {
            hubs: std::iter::once(&self.servers.hub)
                .chain(&self.servers.inherited)
                .cloned()
                .collect(),
            offered: self.servers.offered.clone(),
            own,
            favoured,
            root: (self.agents.root().to_owned(), self.agents.family.inbox()),
        }
    }

    /// The session works in one more folder.
    pub(super) fn tell_servers_of_roots(&self) {
        for server in self.servers.hub.servers() {
            tokio::spawn(async move { server.roots_changed().await });
        }
    }
}
