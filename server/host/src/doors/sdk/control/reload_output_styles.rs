//! `reload_output_styles`: the styles there are now.

use serde_json::json;

use super::{Answer, reload_plugins};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let has = reload_plugins::reload(shared).await?;
    Ok(json!({ "available_output_styles": has.styles }))
}
