//! `set_model`: which model answers from the next request on.

use protocol::session::ConfigChange;
use serde_json::Value;

use super::{Answer, configure};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let model = match request["model"].as_str() {
        None | Some("default" | "") => usual(shared)?,
        Some(model) => model.to_owned(),
    };
    configure(shared, ConfigChange { model: Some(model), ..ConfigChange::default() }).await
}

/// What the session would have begun with, had nobody named one.
fn usual(shared: &Shared) -> Result<String, String> {
    let found = model::provider_for(&shared.host.model_env, shared.model());
    found.map(|(_, id)| id).map_err(|error| error.to_string())
}
