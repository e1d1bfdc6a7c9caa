//! `mcp_status`: the MCP servers of the session, and how they stand.

use protocol::mcp::{Mcp, McpOp, McpParams, McpResult, McpServer, McpStatus};
use serde_json::{Value, json};

use super::Answer;
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let listed = change(shared, McpOp::List, None).await?;
    let servers: Vec<Value> = listed.servers.iter().map(describe).collect();
    Ok(json!({ "mcpServers": servers }))
}

pub(super) async fn change(
    shared: &Shared,
    op: McpOp,
    server: Option<String>,
) -> Result<McpResult, String> {
    let session_id = Some(shared.session().to_owned());
    let params = McpParams { op, server, session_id, servers: None };
    shared.ask::<Mcp>(&params).await.map_err(|error| error.message)
}

fn describe(server: &McpServer) -> Value {
    let prefix = format!("mcp__{}__", server.name);
    let tools: Vec<Value> = server
        .tools
        .iter()
        .map(|tool| json!({ "name": tool.strip_prefix(&prefix).unwrap_or(tool) }))
        .collect();
    let mut told = json!({
        "name": server.name,
        "status": state(server.status.as_str()),
        "scope": server.scope,
        "config": { "type": server.transport },
        "tools": tools,
    });
    if let Some(error) = &server.error {
        told["error"] = error.clone().into();
    }
    told
}

/// In the host's words.
pub(in crate::doors::sdk) fn state(status: &str) -> &'static str {
    match McpStatus::from(status) {
        McpStatus::Connected => "connected",
        McpStatus::Connecting => "pending",
        McpStatus::NeedsAuth => "needs-auth",
        McpStatus::Failed => "failed",
        _ => "disabled",
    }
}
