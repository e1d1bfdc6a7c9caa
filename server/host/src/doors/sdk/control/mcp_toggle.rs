//! `mcp_toggle`: a server is switched on or off.

use protocol::mcp::McpOp;
use serde_json::{Value, json};

use super::{Answer, mcp_status, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let server = text(request, "serverName")?.to_owned();
    let enabled =
        request["enabled"].as_bool().ok_or("This request needs `enabled`, a yes or no.")?;
    let op = if enabled { McpOp::Enable } else { McpOp::Disable };
    mcp_status::change(shared, op, Some(server)).await?;
    Ok(json!({}))
}
