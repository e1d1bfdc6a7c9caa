//! Questions to an editor without our extension: a message box for each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::ask::{AskAction, AskParams, AskResult, Question};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::{Door, RpcError};

pub(super) const MESSAGE_REQUEST: &str = "window/showMessageRequest";
const INFO: u8 = 3;

#[derive(Serialize)]
struct MessageRequest {
    r#type: u8,
    message: String,
    actions: Vec<Title>,
}

#[derive(Serialize, Deserialize)]
struct Title {
    title: String,
}

/// One answer for each question; closing a box cancels all of them. A question without choices is
/// for a keyboard, which a box has not.
pub(super) async fn ask(
    door: &Arc<Door>,
    params: &AskParams,
    within: Duration,
) -> Result<AskResult, RpcError> {
    let mut content = BTreeMap::new();
    for question in params.questions.iter().flatten() {
        let asked = door.ask(MESSAGE_REQUEST, &message(question));
        let Some(chosen) = asked.answer::<Option<Title>>(within).await? else {
            return Ok(AskResult { action: AskAction::Cancel, content: None });
        };
        content.insert(question.id.clone(), Value::String(chosen.title));
    }
    Ok(AskResult { action: AskAction::Accept, content: Some(content) })
}

fn message(question: &Question) -> MessageRequest {
    let explained = question
        .options
        .iter()
        .filter_map(|choice| Some(format!("{}: {}", choice.label, choice.description.as_deref()?)));
    let mut lines = vec![question.text.clone()];
    lines.extend(explained);
    let lines = lines.iter().flat_map(|line| line.lines()).map(policy::visible);
    let actions = question.options.iter().map(|choice| Title { title: choice.label.clone() });
    MessageRequest {
        r#type: INFO,
        message: lines.collect::<Vec<_>>().join("\n"),
        actions: actions.collect(),
    }
}
