//! `agent/mcp`: the MCP servers that are configured for a session's folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use extend::TrustStore;
use policy::Source;
use protocol::mcp::{McpOp, McpParams, McpResult, McpServer, McpStatus};

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;

const NOT_CONNECTED: &str = "Configured, but this version does not connect to MCP servers.";

pub fn handle(state: &mut State, _: &Arc<Door>, params: McpParams, reply: Reply) {
    if params.op != McpOp::List {
        return reply.err(RpcError::failed(NOT_CONNECTED));
    }
    let session = params.session_id.as_ref().and_then(|id| state.sessions.get(id));
    let Some(cwd) = session.map(|session| session.cwd()) else {
        let message = "`sessionId` is needed: servers are configured for a session's folder.";
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    };
    let (host, given) = (state.host.clone(), state.limits.given.clone());
    tokio::task::spawn_blocking(move || {
        let (trust, _) = TrustStore::load(&host.locations.bowline_home, host.home().as_deref());
        let settings = extend::load(&host.locations, &cwd, &trust.standing(&cwd), &given);
        let env: BTreeMap<_, _> = host
            .env
            .iter()
            .filter_map(|(key, value)| Some((key.to_str()?.to_owned(), value.to_str()?.to_owned())))
            .collect();
        let mut servers = BTreeMap::new();
        for file in settings.mcp_servers {
            let (configs, _) = mcp::parse_config(&file.json, scope(file.source));
            for config in configs {
                // The strongest file comes first, and its word stands.
                servers.entry(config.name.clone()).or_insert_with(|| describe(&config, &env));
            }
        }
        reply.ok(&McpResult { servers: servers.into_values().collect() });
    });
}

fn scope(source: Source) -> mcp::Scope {
    match source {
        Source::Managed => mcp::Scope::Managed,
        Source::Project => mcp::Scope::Project,
        Source::ProjectLocal => mcp::Scope::Local,
        _ => mcp::Scope::User,
    }
}

fn describe(config: &mcp::ServerConfig, env: &BTreeMap<String, String>) -> McpServer {
    let (_, problems) = config.expand(env);
    let error = problems.first().map_or(NOT_CONNECTED, |problem| &problem.message);
    McpServer {
        name: config.name.clone(),
        status: McpStatus::Disabled,
        transport: config.transport.name().to_owned(),
        scope: Some(config.scope.name().to_owned()),
        tools: Vec::new(),
        error: Some(error.to_owned()),
        auth_url: None,
    }
}
