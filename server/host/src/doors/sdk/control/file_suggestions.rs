//! `file_suggestions`: files whose names fit what was typed.

use protocol::complete::{Complete, CompleteParams, CompletionKind};
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let text = format!("@{}", text(request, "query")?);
    let offset = u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let session_id = Some(shared.session().to_owned());
    let params = CompleteParams { text, offset, session_id };
    let found = shared.ask::<Complete>(&params).await.map_err(|error| error.message)?;
    let found: Vec<Value> = found
        .items
        .iter()
        .filter(|item| matches!(item.kind, CompletionKind::File | CompletionKind::Folder))
        .map(|item| json!({ "path": item.label, "displayText": item.label }))
        .collect();
    Ok(json!({ "suggestions": found }))
}
