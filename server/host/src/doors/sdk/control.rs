//! Requests of the host, one file each. What is not in the table is answered with an error, never with
//! silence.

mod apply_flag_settings;
mod background_tasks;
mod cancel_async_message;
mod file_suggestions;
mod get_context_usage;
mod get_hooks_listing;
mod get_session_cost;
mod get_settings;
mod get_task_output;
mod get_usage;
mod interrupt;
mod list_permission_rules;
mod mcp_call;
mod mcp_message;
mod mcp_read_resource;
mod mcp_reconnect;
mod mcp_set_servers;
mod mcp_status;
mod mcp_toggle;
mod read_file;
mod register_repo_root;
mod reload_output_styles;
mod reload_plugins;
mod reload_skills;
mod rename_session;
mod rewind_files;
mod seed_read_state;
mod set_has_subscribers;
mod set_max_thinking_tokens;
mod set_model;
mod set_permission_mode;
mod stop_task;
mod update_settings;

use std::sync::Arc;

use protocol::session::{ConfigChange, SessionConfig, SessionConfigParams, SessionRef};
use serde_json::{Value, json};

use super::initialize;
use super::shared::Shared;
pub(super) use mcp_status::state as mcp_state;

/// The error is a sentence for the host.
type Answer = Result<Value, String>;

/// What must not wait for what came before, or would hold it up.
pub(super) fn takes_time(subtype: &str) -> bool {
    matches!(
        subtype,
        "interrupt"
            | "rewind_files"
            | "mcp_call"
            | "mcp_read_resource"
            | "mcp_reconnect"
            | "mcp_toggle"
            | "stop_task"
    )
}

/// Answers such a request when it is done; the host may take it back until then.
pub(super) fn begin(shared: &Arc<Shared>, id: Value, subtype: String, request: Value) {
    let key = id.as_str().unwrap_or_default().to_owned();
    let task = {
        let (shared, key) = (shared.clone(), key.clone());
        tokio::spawn(async move {
            match subtype.as_str() {
                "interrupt" => interrupt::run(&shared, &id, &request).await,
                subtype => shared.reply(&id, handle(&shared, subtype, &request).await),
            }
            shared.slow().remove(&key);
        })
    };
    if !task.is_finished() {
        shared.slow().insert(key, task.abort_handle());
    }
}

pub(super) async fn handle(shared: &Shared, subtype: &str, request: &Value) -> Answer {
    match subtype {
        "apply_flag_settings" => apply_flag_settings::handle(shared, request).await,
        "background_tasks" => background_tasks::handle(shared, request).await,
        "cancel_async_message" => cancel_async_message::handle(shared, request).await,
        "file_suggestions" => file_suggestions::handle(shared, request).await,
        "get_binary_version" => Ok(json!({ "version": shared.host.version })),
        "get_context_usage" => get_context_usage::handle(shared).await,
        "get_hooks_listing" => get_hooks_listing::handle(shared).await,
        "get_session_cost" => get_session_cost::handle(shared).await,
        "get_settings" => get_settings::handle(shared).await,
        "get_task_output" => get_task_output::handle(shared, request).await,
        "get_usage" => get_usage::handle(shared).await,
        "list_models" => Ok(json!({ "models": initialize::models(&shared.host, shared.cwd()) })),
        "list_permission_rules" => list_permission_rules::handle(shared).await,
        "mcp_call" => mcp_call::handle(shared, request).await,
        "mcp_message" => mcp_message::handle(shared, request).await,
        "mcp_set_servers" => mcp_set_servers::handle(shared, request).await,
        "mcp_read_resource" => mcp_read_resource::handle(shared, request).await,
        "mcp_reconnect" => mcp_reconnect::handle(shared, request).await,
        "mcp_status" => mcp_status::handle(shared).await,
        "mcp_toggle" => mcp_toggle::handle(shared, request).await,
        "read_file" => read_file::handle(shared, request).await,
        "register_repo_root" => register_repo_root::handle(shared, request).await,
        "reload_output_styles" => reload_output_styles::handle(shared).await,
        "reload_plugins" => reload_plugins::handle(shared, request).await,
        "reload_skills" => reload_skills::handle(shared).await,
        "rename_session" => rename_session::handle(shared, request).await,
        "rewind_files" => rewind_files::handle(shared, request).await,
        "seed_read_state" => seed_read_state::handle(shared, request).await,
        "set_color" => Err("A session has no colour here.".to_owned()),
        "set_has_subscribers" => set_has_subscribers::handle(request),
        "set_max_thinking_tokens" => set_max_thinking_tokens::handle(shared, request).await,
        "set_model" => set_model::handle(shared, request).await,
        "set_permission_mode" => set_permission_mode::handle(shared, request).await,
        "stop_task" => stop_task::handle(shared, request).await,
        "update_settings" => update_settings::handle(shared, request).await,
        other => Err(format!("Bowline does not know the control request {other:?}.")),
    }
}

/// A field that has to be there.
fn text<'a>(request: &'a Value, field: &str) -> Result<&'a str, String> {
    request[field].as_str().ok_or_else(|| format!("This request needs `{field}`, a text."))
}

fn this_session(shared: &Shared) -> SessionRef {
    SessionRef { session_id: shared.session().to_owned() }
}

/// Changes settings of the session.
async fn configure(shared: &Shared, set: ConfigChange) -> Answer {
    let session_id = shared.session().to_owned();
    let params = SessionConfigParams { session_id, set: Some(set) };
    shared.ask::<SessionConfig>(&params).await.map_err(|error| error.message)?;
    Ok(json!({}))
}
