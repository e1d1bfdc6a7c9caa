//! `set_permission_mode`: what may be done without asking.

use protocol::session::{ConfigChange, Mode};
use serde_json::Value;

use super::{Answer, configure, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    // Hosts have an older name for the usual mode.
    let mode = match text(request, "mode")? {
        "manual" => "default",
        mode => mode,
    };
    configure(shared, ConfigChange { mode: Some(Mode::from(mode)), ..ConfigChange::default() })
        .await
}
