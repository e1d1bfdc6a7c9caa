//! `register_repo_root`: the session works in one more folder below its own.

use serde_json::{Value, json};

use super::{Answer, reload_plugins, text};
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let folder = text(request, "directory")?.to_owned();
    shared.want(|reply| Driven::AddRoot { folder, reply }).await??;
    let wants = |key: &str| request[key] == json!(true);
    if wants("reload_claude_md") || wants("reload_plugins") || wants("reload_skills") {
        reload_plugins::reload(shared).await?;
    }
    Ok(json!({}))
}
