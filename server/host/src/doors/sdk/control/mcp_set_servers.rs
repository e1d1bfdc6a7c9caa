//! `mcp_set_servers`: the servers that the host gives the session, in place of those it gave before.

use std::collections::{BTreeMap, BTreeSet};

use protocol::mcp::{Mcp, McpOp, McpParams};
use serde_json::{Value, json};

use super::{Answer, mcp_status};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let servers = request["servers"].as_object().ok_or("`servers` is an object of servers.")?;
    let is_ours = |config: &Value| config["type"] == "sdk";
    let hosted = servers.iter().filter(|(_, config)| is_ours(config)).map(|(name, _)| name.clone());
    let before = names(shared).await?;
    shared.servers.set(hosted);
    let given: BTreeMap<String, Value> = servers
        .iter()
        .filter(|(_, config)| !is_ours(config))
        .map(|(name, config)| (name.clone(), config.clone()))
        .collect();
    let session_id = Some(shared.session().to_owned());
    let params = McpParams { op: McpOp::Set, server: None, session_id, servers: Some(given) };
    shared.ask::<Mcp>(&params).await.map_err(|error| error.message)?;
    let after = names(shared).await?;
    let missing = servers.keys().filter(|name| !after.contains(*name));
    let errors: BTreeMap<&String, &str> =
        missing.map(|name| (name, "Its configuration was not accepted.")).collect();
    Ok(json!({
        "added": after.difference(&before).collect::<Vec<_>>(),
        "removed": before.difference(&after).collect::<Vec<_>>(),
        "errors": errors,
    }))
}

async fn names(shared: &Shared) -> Result<BTreeSet<String>, String> {
    let listed = mcp_status::change(shared, McpOp::List, None).await?;
    Ok(listed.servers.into_iter().map(|server| server.name).collect())
}
