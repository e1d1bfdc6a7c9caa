//! Which servers are connected to: the settings' and the client's, as far as they are admitted.

use extend::McpAdmission;
use mcp::{Scope, ServerConfig, server_key};
use protocol::mcp::McpStatus;
use serde_json::{Map, Value, json};

use super::Servers;
use crate::servers::Absent;

impl Servers {
    /// Strongest first; those that are not connected to; what is written wrongly, in sentences.
    pub(super) fn configs(&self) -> (Vec<ServerConfig>, Vec<Absent>, Vec<String>) {
        let (mut absent, mut problems) = (self.found.absent.clone(), self.found.problems.clone());
        let of_settings = self.found.servers.iter().map(|found| found.config.clone());
        let mut configs: Vec<ServerConfig> = of_settings.collect();
        let managed = configs.iter().position(|config| config.scope != Scope::Managed);
        let mut own = Vec::new();
        let of_client = self.lines.names().into_iter().map(|name| (name, json!({ "type": "sdk" })));
        let given = self.given.iter().map(|(name, config)| (name.clone(), config.clone()));
        for (name, config) in given.chain(of_client) {
            if !self.admission.admits(&name, &config) {
                let why = "The administrator's settings do not allow it.".to_owned();
                absent.push(Absent { name, status: McpStatus::Disabled, why });
                continue;
            }
            let (parsed, wrong) = one(&name, config);
            own.extend(parsed);
            problems.extend(wrong);
        }
        // What the administrator says is the strongest, then what the client says of this session.
        let at = managed.unwrap_or(configs.len());
        configs.splice(at..at, own);
        let mut seen = std::collections::HashSet::new();
        configs.retain(|config| seen.insert(server_key(&config.name)));
        (configs, absent, problems)
    }
}

/// The servers that an agent's file configures, and the names of others that it wants.
pub(in crate::session) fn inline(
    servers: &[Value],
    admission: &McpAdmission,
) -> (Vec<ServerConfig>, Vec<String>) {
    let (mut configs, mut names) = (Vec::new(), Vec::new());
    for server in servers {
        match server {
            Value::String(name) => names.push(name.clone()),
            Value::Object(map) => {
                for (name, config) in map.iter().filter(|(name, it)| admission.admits(name, it)) {
                    configs.extend(one(name, config.clone()).0);
                }
            }
            _ => {}
        }
    }
    (configs, names)
}

/// A server that was given by itself.
fn one(name: &str, config: Value) -> (Option<ServerConfig>, Option<String>) {
    let servers = Map::from_iter([(name.to_owned(), config)]);
    let json = json!({ "mcpServers": servers }).to_string();
    let (configs, problems) = mcp::parse_config(&json, Scope::Session);
    let wrong = problems.into_iter().next().map(|problem| {
        format!("The MCP server {} is not used: {}", extend::one_line(name), problem.message)
    });
    (configs.into_iter().next(), wrong)
}
