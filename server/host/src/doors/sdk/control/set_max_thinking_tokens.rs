//! `set_max_thinking_tokens`: how much the model may think, where null leaves it to the model, and whether
//! thoughts are told with their words. What is left out stays as it is.

use protocol::session::{ConfigChange, Thinking};
use serde_json::{Value, json};

use super::{Answer, configure};
use crate::doors::sdk::shared::{Mark, Shared};

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let omitted = match request.get("thinking_display") {
        None => None,
        Some(Value::Null) => Some(false),
        Some(display) => match display.as_str() {
            Some("summarized") => Some(false),
            Some("omitted") => Some(true),
            _ => return Err("`thinking_display` is summarized, omitted or null.".to_owned()),
        },
    };
    let set = match request.get("max_thinking_tokens") {
        None => None,
        Some(Value::Null) => {
            Some(ConfigChange { thinking: Some(Thinking::Adaptive), ..ConfigChange::default() })
        }
        Some(tokens) => {
            let tokens = tokens.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
            let tokens = tokens.ok_or("`max_thinking_tokens` is a number of tokens, or null.")?;
            Some(ConfigChange { max_thinking_tokens: Some(tokens), ..ConfigChange::default() })
        }
    };
    if let Some(set) = set {
        configure(shared, set).await?;
    }
    if let Some(omitted) = omitted {
        shared.mark(Mark::Thoughts { omitted });
    }
    Ok(json!({}))
}
