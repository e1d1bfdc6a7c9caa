//! `mcp_reconnect`: a server is called again.

use protocol::mcp::McpOp;
use serde_json::{Value, json};

use super::{Answer, mcp_status, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let server = text(request, "serverName")?.to_owned();
    mcp_status::change(shared, McpOp::Reconnect, Some(server)).await?;
    Ok(json!({}))
}
