//! `apply_flag_settings`: settings as the command line gives them are changed while the session runs;
//! null takes a key out again. The model, the effort and the style hold from the next request on.

use protocol::session::{ConfigChange, Effort, Mode};
use serde_json::{Value, json};

use super::{Answer, configure};
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let settings = request["settings"].as_object().ok_or("`settings` is an object of settings.")?;
    let settings = settings.clone();
    let text = |key: &str| settings.get(key).and_then(Value::as_str).map(str::to_owned);
    let mode = settings.get("permissions").and_then(|it| it["defaultMode"].as_str());
    let set = ConfigChange {
        model: text("model"),
        effort: text("effortLevel").map(|level| Effort::from(level.as_str())),
        output_style: text("outputStyle"),
        mode: mode.map(Mode::from),
        ..ConfigChange::default()
    };
    shared.want(|reply| Driven::Flags { settings: settings.clone(), reply }).await??;
    if set != ConfigChange::default() {
        configure(shared, set).await?;
    }
    Ok(json!({}))
}
