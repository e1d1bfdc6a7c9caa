//! The servers as clients see them.

use mcp::{Server, Status};
use protocol::mcp::{McpServer, McpStatus};

use crate::servers::{self, Absent};
use crate::session::Session;

impl Session {
    /// All of them, those that are not connected to as well.
    pub(in crate::session) fn server_rows(&self) -> Vec<McpServer> {
        let sandbox = self.shelter.for_tools().is_some();
        let servers = self.servers.hub.servers();
        let mut rows: Vec<McpServer> =
            servers.iter().map(|server| self.server_row(server, sandbox)).collect();
        let missing = self
            .servers
            .absent
            .iter()
            .filter(|absent| rows.iter().all(|row| row.name != absent.name));
        let missing: Vec<McpServer> = missing.map(absent).collect();
        rows.extend(missing);
        rows
    }

    /// What is not used is not among its tools.
    fn server_row(&self, server: &Server, sandbox: bool) -> McpServer {
        let mut row = row(server, sandbox);
        let changed = self.servers.agreed.changes_of(server.name());
        row.tools.retain(|tool| !changed.iter().any(|change| change.tool == *tool));
        row.changed = (!changed.is_empty()).then_some(changed);
        row
    }
}

pub(super) fn status(status: Status) -> McpStatus {
    match status {
        Status::Connecting => McpStatus::Connecting,
        Status::Connected => McpStatus::Connected,
        Status::Failed => McpStatus::Failed,
        Status::NeedsAuth => McpStatus::NeedsAuth,
        Status::Disabled => McpStatus::Disabled,
    }
}

fn row(server: &Server, sandbox: bool) -> McpServer {
    let now = server.now();
    let prompts: Vec<String> = now.offer.prompts.iter().map(|it| it.command.clone()).collect();
    let resources = (now.offer.resources.len() + now.offer.templates.len()) as u64;
    McpServer {
        name: server.name().to_owned(),
        status: status(now.status),
        transport: server.config.transport.name().to_owned(),
        scope: Some(server.config.scope.name().to_owned()),
        sandbox: servers::kept_in(&server.config, sandbox).map(str::to_owned),
        tools: now.offer.tools.iter().map(|tool| tool.full_name.clone()).collect(),
        prompts: (!prompts.is_empty()).then_some(prompts),
        resources: (resources > 0).then_some(resources),
        changed: None,
        error: now.error,
        auth_url: None,
        log: None,
    }
}

fn absent(absent: &Absent) -> McpServer {
    McpServer {
        name: absent.name.clone(),
        status: absent.status.clone(),
        transport: String::new(),
        scope: None,
        sandbox: None,
        tools: Vec::new(),
        prompts: None,
        resources: None,
        changed: None,
        error: Some(absent.why.clone()),
        auth_url: None,
        log: None,
    }
}
