//! `agent/mcp`: the session's servers, and what can be done with one.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp::Server;
use protocol::mcp::{McpOp, McpParams, McpResult, McpServer};
use serde_json::Value;

use super::ServerNews;
use super::elicit::Askable;
use crate::core::{Reply, RpcError};
use crate::session::{Msg, Session};

impl Session {
    pub(in crate::session) async fn on_mcp(&mut self, params: McpParams, reply: Reply) {
        let McpParams { op, server, servers, .. } = params;
        if op != McpOp::Approve {
            // Whoever is told that a server is there finds what it offers.
            self.look_at_servers().await;
        }
        if op == McpOp::Set {
            self.give_servers(servers.unwrap_or_default());
            return reply.ok(&McpResult { servers: self.server_rows() });
        }
        let Some(name) = server else {
            return match op {
                McpOp::List => reply.ok(&McpResult { servers: self.server_rows() }),
                _ => {
                    let message = "`server` is needed: which one is meant?";
                    reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
                }
            };
        };
        let found = self.servers.hub.server(&name);
        match (op, found) {
            (McpOp::List, found) => reply.ok(&McpResult { servers: self.one_row(&name, found) }),
            (McpOp::Reconnect, Some(server)) => {
                self.servers.hub.reconnect(&server);
                reply.ok(&McpResult { servers: self.server_rows() });
            }
            (McpOp::Enable, Some(server)) => self.switch(&server, true, reply),
            (McpOp::Disable, Some(server)) => self.switch(&server, false, reply),
            (McpOp::Authenticate, Some(server)) => self.authenticate(server, reply),
            (McpOp::Approve, Some(server)) => match self.approve_tools(&server).await {
                Ok(()) => reply.ok(&McpResult { servers: self.server_rows() }),
                Err(why) => reply.err(RpcError::failed(why)),
            },
            (_, Some(_)) => {
                let message = "There is no such operation; this server knows list, reconnect, \
                               authenticate, enable, disable, approve and set.";
                reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
            }
            (_, None) => reply.err(RpcError::failed(self.no_server(&name))),
        }
    }

    fn switch(&mut self, server: &Server, on: bool, reply: Reply) {
        self.servers.hub.switch(server, on);
        reply.ok(&McpResult { servers: self.server_rows() });
    }

    /// Why there is nothing to be done with it.
    pub(super) fn no_server(&self, name: &str) -> String {
        let absent = self.servers.absent.iter().find(|absent| absent.name == name);
        match absent {
            Some(absent) => absent.why.clone(),
            None => {
                let names: Vec<String> =
                    self.server_rows().into_iter().map(|row| row.name).collect();
                match names.is_empty() {
                    true => {
                        "This session has no MCP servers; `bowline mcp add` adds one.".to_owned()
                    }
                    false => {
                        format!("There is no MCP server {name:?}; there are {}.", names.join(", "))
                    }
                }
            }
        }
    }

    /// With its log.
    fn one_row(&self, name: &str, found: Option<Arc<Server>>) -> Vec<McpServer> {
        let written = found.as_ref().map_or(name, |server| server.name());
        let mut rows = self.server_rows();
        rows.retain(|row| row.name == written);
        if let (Some(server), Some(row)) = (found, rows.first_mut()) {
            let redactor = self.state.redactor();
            let lines = server.log();
            let shown = lines.iter().map(|line| redactor.redact(line).into_owned());
            row.log = Some(shown.collect());
        }
        rows
    }

    /// The page is in the answer; whoever asked opens it. What comes of it is told later.
    fn authenticate(&self, server: Arc<Server>, reply: Reply) {
        let (own, mut rows) = (self.own.clone(), self.server_rows());
        tokio::spawn(async move {
            let begun = match server.begin_sign_in().await {
                Ok(begun) => begun,
                Err(why) => return reply.err(RpcError::failed(why)),
            };
            let row = rows.iter_mut().find(|row| row.name == server.name());
            if let Some(row) = row {
                row.auth_url = Some(begun.url().to_string());
            }
            reply.ok(&McpResult { servers: rows });
            let problem = server.finish_sign_in(begun).await.err();
            let name = server.name().to_owned();
            let _ = own.send(Msg::Server(ServerNews::SignedIn { server: name, problem })).await;
        });
    }

    /// From now on these are the servers that the client gives the session.
    pub(in crate::session) fn give_servers(&mut self, servers: BTreeMap<String, Value>) {
        self.servers.given = servers;
        self.servers_of_doors();
        if self.servers.begun {
            self.connect_servers();
        }
    }

    /// Who can be asked a server's question.
    pub(super) fn askable(&self) -> Askable {
        let with_forms = self.doors.iter().any(crate::session::asking::can_answer);
        let with_boxes = self.doors.iter().filter(|door| door.profile().message_request);
        Askable {
            with_forms,
            with_boxes: with_boxes.cloned().collect(),
            hooks: Some(self.hooks.clone()),
        }
    }
}
