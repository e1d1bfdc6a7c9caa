//! What the servers have to say to their session, and what becomes of it: the tools of the next
//! request, commands, what can be mentioned, and an event for whoever watches.

use std::sync::Arc;

use mcp::Server;
use protocol::event::{McpUpdated, Severity};
use protocol::session::SessionStatus;
use tokio::sync::oneshot;
use tools::{ForeignTool, ServerTool};

use super::elicit::Askable;
use crate::session::{Held, Session};

/// What tools are made from, with the number of their server.
type Made = Vec<(usize, mcp::Tool)>;

/// So many resources are offered to whoever types.
const MOST_NAMED: usize = 2_000;

pub enum ServerNews {
    /// A server, or what it offers, is not what it was.
    Changed,
    /// What this turn waited for is there, or late.
    Settled { turn: String },
    /// The servers that were on their way have come, or not; a call wants to know what there is now.
    Look { done: oneshot::Sender<()> },
    /// A server has a question: who can be asked?
    Asks { reply: oneshot::Sender<Askable> },
    /// It is answered, or not asked any more.
    Answered,
    /// A sign-in is over.
    SignedIn { server: String, problem: Option<String> },
    /// The prompt that a command stands for is there, or cannot be had.
    Prompt { content: Result<Vec<agent::Block>, String>, held: Box<Held> },
}

impl Session {
    pub(in crate::session) async fn on_server(&mut self, news: ServerNews) {
        match news {
            ServerNews::Changed => self.look_at_servers().await,
            ServerNews::Settled { turn } => self.on_servers_settled(&turn).await,
            ServerNews::Look { done } => {
                self.look_at_servers().await;
                let _ = done.send(());
            }
            ServerNews::Asks { reply } => self.on_server_asks(reply),
            ServerNews::Answered => self.after_ask(),
            ServerNews::SignedIn { server, problem: None } => {
                self.notice(Severity::Info, format!("You are signed in to {server}."));
            }
            ServerNews::SignedIn { server, problem: Some(problem) } => {
                self.notice(Severity::Warning, format!("{server}: {problem}"));
            }
            ServerNews::Prompt { content, held } => self.on_server_prompt(content, *held).await,
        }
    }

    fn on_server_asks(&mut self, reply: oneshot::Sender<Askable>) {
        let askable = self.askable();
        let somebody = askable.with_forms || !askable.with_boxes.is_empty();
        if somebody && self.running.is_some() {
            self.set_status(SessionStatus::Waiting);
        }
        let _ = reply.send(askable);
    }

    /// Takes over what the servers offer now. Costs little where nothing is different.
    pub(in crate::session) async fn look_at_servers(&mut self) {
        let servers = self.servers.all();
        self.compare_tools(&servers);
        let (tools, offered) = self.server_tools(&servers);
        if offered != self.servers.offered {
            self.servers.offered = offered;
            self.on_foreign_tools(tools).await;
        }
        self.advertise();
        self.offer_resources(&servers);
        self.show_servers();
    }

    /// The tools that this session may have, and what they are made from.
    fn server_tools(&self, servers: &[Arc<Server>]) -> (Vec<Arc<dyn ForeignTool>>, Made) {
        let permissions = self.state.permissions();
        let removed = policy::removed_tools(&permissions.rules);
        let (mut tools, mut offered): (Vec<Arc<dyn ForeignTool>>, Vec<_>) = Default::default();
        // Nobody would hear what comes after an agent has reported.
        let aside = self.servers.hub.patience().aside.filter(|_| self.agents.member.is_none());
        for server in servers {
            let id = Arc::as_ptr(server) as usize;
            for tool in &server.now().offer.tools {
                let name = &tool.full_name;
                let may_not = removed.contains(name) || self.servers.agreed.is_changed(name);
                if may_not || !self.may_have(server.name(), name) {
                    continue;
                }
                let only_a_person = tools::only_a_person(server, tool);
                let (server, tool) = (server.clone(), tool.clone());
                offered.push((id, tool.clone()));
                tools.push(Arc::new(ServerTool::new(server, tool, only_a_person, aside)));
            }
        }
        let resources = tools::resource_tools(servers).into_iter();
        let resources = resources
            .filter(|tool| !removed.contains(tool.name()) && self.may_have("", tool.name()));
        for tool in resources {
            // Which servers have resources is part of what these tools say.
            offered.push((0, described(&*tool)));
            tools.push(tool);
        }
        (tools, offered)
    }

    /// Whether an agent, or one that leads, has this tool by its file.
    fn may_have(&self, server: &str, tool: &str) -> bool {
        let Some(agent) = self.own_definition() else { return true };
        let favoured = |name: &String| mcp::names_server(name, server);
        match self.servers.favoured.iter().any(favoured) {
            true => !agent.tools.denies(tool),
            false => agent.tools.allows(tool),
        }
    }

    fn offer_resources(&self, servers: &[Arc<Server>]) {
        let mut named = Vec::new();
        for server in servers {
            let offer = server.now().offer;
            let label = |resource: &mcp::Resource| {
                (format!("{}:{}", server.name(), resource.uri), resource.name.clone())
            };
            named.extend(offer.resources.iter().map(label));
        }
        named.truncate(MOST_NAMED);
        self.facts.send_if_modified(|facts| {
            let changed = facts.resources != named;
            facts.resources = named;
            changed
        });
    }

    /// Tells clients, when something is other than before.
    fn show_servers(&mut self) {
        if self.agents.member.is_some() {
            return;
        }
        let rows = self.server_rows();
        if rows != self.servers.shown {
            self.servers.shown.clone_from(&rows);
            self.emit(McpUpdated { servers: rows });
        }
    }
}

/// A tool of ours as a value to compare.
fn described(tool: &dyn ForeignTool) -> mcp::Tool {
    mcp::Tool {
        full_name: tool.name().to_owned(),
        name: tool.name().to_owned(),
        description: String::new(),
        schema: tool.schema().clone(),
        hints: mcp::Hints::default(),
    }
}
