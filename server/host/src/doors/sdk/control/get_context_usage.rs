//! `get_context_usage`: what fills the window, and which files, tools and agents have a part in it. Their
//! tokens are estimated; what is in the window as a whole is what the provider counted.

use agent::tokens;
use protocol::memory::{MemoryList, MemoryListParams};
use protocol::session::{ContextKind, SessionContext};
use serde_json::{Value, json};

use super::{Answer, this_session};
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let session = this_session(shared);
    let told = shared.ask::<SessionContext>(&session).await.map_err(|error| error.message)?;
    let has = shared.want(Driven::Equipment).await?;
    let settings = shared.want(Driven::Settings).await?;
    let off = |it: &extend::Effective| it.key == "autoCompactEnabled" && it.value == false;
    let agents = has.agents.iter().map(|agent| {
        json!({
            "agentType": agent.name,
            "source": "",
            "tokens": estimate(&format!("{}: {}", agent.name, agent.description)),
        })
    });
    Ok(json!({
        "categories": told.breakdown.iter().map(|share| {
            let (id, name, color, kind) = category(&share.kind);
            json!({ "id": id, "name": name, "tokens": share.tokens, "color": color, "kind": kind })
        }).collect::<Vec<_>>(),
        "totalTokens": told.used,
        "maxTokens": told.window,
        "rawMaxTokens": told.window,
        "percentage": 100 * told.used / told.window.max(1),
        "gridRows": [],
        "model": has.model,
        "memoryFiles": memory(shared).await,
        "mcpTools": tools(shared).await?,
        "agents": agents.collect::<Vec<_>>(),
        "isAutoCompactEnabled": !settings.explain().iter().any(off),
        "apiUsage": null,
    }))
}

async fn memory(shared: &Shared) -> Vec<Value> {
    let params =
        |path: Option<String>| MemoryListParams { session_id: shared.session().to_owned(), path };
    let listed = shared.ask::<MemoryList>(&params(None)).await.unwrap_or_default();
    let mut files = Vec::new();
    for file in listed.files {
        let one = shared.ask::<MemoryList>(&params(Some(file.path.clone()))).await;
        let text = one.unwrap_or_default().files.into_iter().find_map(|it| it.text);
        files.push(json!({
            "path": file.path,
            "type": file.scope.as_str(),
            "tokens": estimate(&text.unwrap_or_default()),
        }));
    }
    files
}

async fn tools(shared: &Shared) -> Result<Vec<Value>, String> {
    let hub = shared.want(Driven::Servers).await?;
    let mut all = Vec::new();
    for server in hub.servers() {
        all.extend(server.now().offer.tools.iter().map(|tool| {
            let size = format!("{}{}{}", tool.full_name, tool.description, tool.schema);
            json!({
                "name": tool.full_name,
                "serverName": server.name(),
                "tokens": estimate(&size),
            })
        }));
    }
    Ok(all)
}

fn estimate(text: &str) -> u64 {
    tokens::of_text(text)
}

/// In the host's words: its id, its name, a colour of its own, and what kind of tokens these are.
fn category(kind: &ContextKind) -> (&str, &str, &'static str, &'static str) {
    match kind {
        ContextKind::System => ("system_prompt", "System prompt", "promptBorder", "used"),
        ContextKind::Tools => ("system_tools", "System tools", "inactive", "used"),
        ContextKind::McpTools => ("mcp_tools", "MCP tools", "cyan_FOR_SUBAGENTS_ONLY", "used"),
        ContextKind::Memory => ("memory_files", "Memory files", "claude", "used"),
        ContextKind::Agents => ("custom_agents", "Agents and skills", "permission", "used"),
        ContextKind::Messages => ("messages", "Messages", "purple_FOR_SUBAGENTS_ONLY", "used"),
        ContextKind::Reserved => {
            ("autocompact_buffer", "Reserved for answers", "inactive", "buffer")
        }
        ContextKind::Free => ("free_space", "Free space", "promptBorder", "free"),
        other => (other.as_str(), other.as_str(), "inactive", "used"),
    }
}
