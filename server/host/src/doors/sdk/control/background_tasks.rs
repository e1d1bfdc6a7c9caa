//! `background_tasks`: commands that are waited for are left to run, or the one of a single call. The
//! turn goes on without them, and their end is told.

use serde_json::{Value, json};

use super::Answer;
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let call = request["tool_use_id"].as_str().map(str::to_owned);
    shared.tell(Driven::Background { call }).await;
    Ok(json!({}))
}
