//! `reload_plugins`: plugins, and whatever else people write, are read again, also with more plugins.

use serde_json::{Value, json};

use super::{Answer, mcp_status};
use crate::doors::sdk::initialize;
use crate::doors::sdk::shared::Shared;
use crate::session::{Driven, Equipment};

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let plugins = initialize::plugins(&request["add_plugins"])?;
    let unless_busy = request["refuse_if_busy"] == json!(true);
    let has = shared.want(|reply| Driven::Reload { plugins, unless_busy, reply }).await??;
    let servers = mcp_status::handle(shared).await?;
    let settings = shared.want(Driven::Settings).await?;
    let problems = settings.problems.iter();
    let broken = problems.filter(|problem| problem.message.starts_with("The plugin ")).count();
    let plugins: Vec<Value> =
        has.plugins.iter().map(|(name, path)| json!({ "name": name, "path": path })).collect();
    Ok(json!({
        "commands": has.commands.iter().map(initialize::command).collect::<Vec<_>>(),
        "agents": initialize::agents(&has),
        "plugins": plugins,
        "mcpServers": servers["mcpServers"],
        "error_count": broken,
    }))
}

/// Reads everything again, and says what there is now.
pub(super) async fn reload(shared: &Shared) -> Result<Box<Equipment>, String> {
    let (plugins, unless_busy) = (Vec::new(), false);
    shared.want(|reply| Driven::Reload { plugins, unless_busy, reply }).await?
}
