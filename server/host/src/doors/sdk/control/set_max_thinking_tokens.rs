//! `set_max_thinking_tokens`: how much the model may think; null leaves it to the model.

use protocol::session::{ConfigChange, Thinking};
use serde_json::Value;

use super::{Answer, configure};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let set = match &request["max_thinking_tokens"] {
        Value::Null => {
            ConfigChange { thinking: Some(Thinking::Adaptive), ..ConfigChange::default() }
        }
        tokens => {
            let tokens = tokens.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
            let tokens = tokens.ok_or("`max_thinking_tokens` is a number of tokens, or null.")?;
            ConfigChange { max_thinking_tokens: Some(tokens), ..ConfigChange::default() }
        }
    };
    configure(shared, set).await
}
