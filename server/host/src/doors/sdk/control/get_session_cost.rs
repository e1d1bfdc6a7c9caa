//! `get_session_cost`: what the session has cost, in words.

use protocol::session::SessionCost;
use serde_json::json;

use super::{Answer, this_session};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let cost = shared.ask::<SessionCost>(&this_session(shared)).await;
    let cost = cost.map_err(|error| error.message)?;
    let mut text = format!("Total cost: ${:.4}", cost.cost_usd);
    for used in &cost.models {
        let (read, written) = (used.usage.input_tokens, used.usage.output_tokens);
        text.push_str(&format!(
            "\n{}: {read} tokens read, {written} written (${:.4})",
            used.model, used.cost_usd
        ));
    }
    Ok(json!({ "text": text, "total_cost_usd": cost.cost_usd }))
}
