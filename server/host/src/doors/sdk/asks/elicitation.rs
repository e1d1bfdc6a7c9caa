//! `elicitation`: a server asks the user something, by a form or on a page.

use protocol::ask::{AskAction, AskParams, AskResult};
use serde_json::{Value, json};

pub(super) fn request(params: &AskParams) -> Value {
    let mode = if params.url.is_some() { "url" } else { "form" };
    let mut request = json!({
        "subtype": "elicitation",
        "mcp_server_name": "",
        "message": params.message.clone().unwrap_or_default(),
        "mode": mode,
        "elicitation_id": params.request_id,
    });
    if let Some(form) = &params.form {
        request["requested_schema"] = form.schema.clone();
    }
    if let Some(url) = &params.url {
        request["url"] = url.clone().into();
    }
    request
}

/// An error is as good as a closed window.
pub(super) fn answer(answer: Result<Value, String>) -> AskResult {
    let answer = answer.unwrap_or_default();
    let action = match answer["action"].as_str() {
        Some("accept") => AskAction::Accept,
        Some("decline") => AskAction::Decline,
        _ => AskAction::Cancel,
    };
    let content = answer["content"].as_object().cloned();
    AskResult { action, content: content.map(|content| content.into_iter().collect()) }
}
