//! `get_usage`: what the session has used and cost. There are no plans here, so there are no limits of
//! plans either.

use protocol::review::{ReviewList, ReviewListParams};
use protocol::session::SessionCost;
use serde_json::json;

use super::{Answer, this_session};
use crate::doors::headless::model_usage;
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let cost = shared.ask::<SessionCost>(&this_session(shared)).await;
    let cost = cost.map_err(|error| error.message)?;
    let session_id = Some(shared.session().to_owned());
    let params = ReviewListParams { session_id, uri: None, turn_id: None };
    let hunks = shared.ask::<ReviewList>(&params).await.map(|listed| listed.hunks);
    let hunks = hunks.unwrap_or_default();
    let added = hunks.iter().map(|hunk| hunk.new_text.lines().count()).sum::<usize>();
    let removed = hunks.iter().map(|hunk| hunk.old_text.lines().count()).sum::<usize>();
    let lived = u64::try_from(shared.lived().as_millis()).unwrap_or(u64::MAX);
    Ok(json!({
        "session": {
            "total_cost_usd": cost.cost_usd,
            "total_api_duration_ms": shared.api_millis(),
            "total_duration_ms": lived,
            "total_lines_added": added,
            "total_lines_removed": removed,
            "model_usage": model_usage(&cost),
        },
        "subscription_type": null,
        "rate_limits_available": false,
        "rate_limits": null,
        "behaviors": null,
    }))
}
