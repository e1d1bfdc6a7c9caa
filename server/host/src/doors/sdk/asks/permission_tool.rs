//! `--permission-prompt-tool mcp__server__tool`: a tool of an MCP server is asked in the user's place. It
//! gets the tool's name and input, and answers with a text that is JSON, as a host would answer.

use std::sync::Arc;
use std::time::Duration;

use protocol::permission::{PermissionRequestParams, Subject};
use serde_json::{Value, json};

use super::super::shared::Shared;
use super::can_use_tool;
use crate::session::Driven;

/// A server that is still on its way is waited for.
const CONNECTED_WITHIN: Duration = Duration::from_secs(30);

pub(super) async fn ask(
    shared: Arc<Shared>,
    id: String,
    params: Box<PermissionRequestParams>,
    request: Value,
    tool: String,
) {
    let answer = match &params.subject {
        // Only a person can say yes to a plan.
        Subject::Plan(_) => Err("A tool cannot approve a plan.".to_owned()),
        _ => call(&shared, &request, &tool).await,
    };
    can_use_tool::answered(&shared, &id, &params, answer).await;
}

/// The error is a sentence, and means no.
async fn call(shared: &Shared, request: &Value, tool: &str) -> Result<Value, String> {
    let hub = shared.want(Driven::Servers).await?;
    let server = mcp::split_tool_name(tool).map(|(server, _)| server.to_owned());
    let ours = |known: &mcp::Server| Some(mcp::server_key(known.name())) == server;
    hub.settled(CONNECTED_WITHIN, ours).await;
    let (server, name) = hub.find_tool(tool).ok_or_else(|| {
        format!("The tool {tool} (--permission-prompt-tool) is not there, so it was denied.")
    })?;
    let asked = json!({
        "tool_name": request["tool_name"],
        "input": request["input"],
        "tool_use_id": request["tool_use_id"],
    });
    let arguments = asked.as_object().cloned().unwrap_or_default();
    let answer = server.call_tool(&name, arguments, |_| ()).await?;
    if answer.is_error {
        return Err(format!("{tool} failed: {}", answer.text()));
    }
    let verdict: Value = serde_json::from_str(answer.text().trim())
        .map_err(|_| format!("{tool} did not answer with JSON, so it was denied."))?;
    match verdict["behavior"].as_str() {
        Some("allow" | "deny") => Ok(verdict),
        _ => Err(format!("{tool} said neither allow nor deny, so it was denied.")),
    }
}
