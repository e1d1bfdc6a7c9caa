//! `get_context_usage`: what fills the window.

use protocol::session::{ContextKind, SessionConfig, SessionConfigParams, SessionContext};
use serde_json::{Value, json};

use super::{Answer, this_session};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let session = this_session(shared);
    let told = shared.ask::<SessionContext>(&session).await.map_err(|error| error.message)?;
    let params = SessionConfigParams { session_id: session.session_id, set: None };
    let config = shared.ask::<SessionConfig>(&params).await.map_err(|error| error.message)?.config;
    let categories: Vec<Value> = told
        .breakdown
        .iter()
        .map(|share| {
            let (name, color, kind) = category(&share.kind);
            json!({
                "id": share.kind.as_str(),
                "name": name,
                "tokens": share.tokens,
                "color": color,
                "kind": kind,
            })
        })
        .collect();
    let percentage = 100 * told.used / told.window.max(1);
    Ok(json!({
        "categories": categories,
        "totalTokens": told.used,
        "maxTokens": told.window,
        "rawMaxTokens": told.window,
        "percentage": percentage,
        "gridRows": [],
        "model": config.model,
        "memoryFiles": [],
        "mcpTools": [],
        "agents": [],
        "isAutoCompactEnabled": true,
        "apiUsage": null,
    }))
}

fn category(kind: &ContextKind) -> (&str, &'static str, &'static str) {
    match kind {
        ContextKind::System => ("System prompt", "promptBorder", "used"),
        ContextKind::Tools => ("System tools", "inactive", "used"),
        ContextKind::McpTools => ("MCP tools", "cyan_FOR_SUBAGENTS_ONLY", "used"),
        ContextKind::Memory => ("Memory files", "claude", "used"),
        ContextKind::Agents => ("Agents and skills", "permission", "used"),
        ContextKind::Messages => ("Messages", "purple_FOR_SUBAGENTS_ONLY", "used"),
        ContextKind::Reserved => ("Reserved for answers", "inactive", "buffer"),
        ContextKind::Free => ("Free space", "promptBorder", "free"),
        other => (other.as_str(), "inactive", "used"),
    }
}
