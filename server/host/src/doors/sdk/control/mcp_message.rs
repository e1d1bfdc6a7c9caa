//! `mcp_message`: a server that lives in the host says something by itself.

use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let server = text(request, "server_name")?;
    shared.servers.said(server, request["message"].clone()).await?;
    Ok(json!({}))
}
