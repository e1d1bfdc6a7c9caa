//! `update_settings`: a setting is written to a file, where hosts may do so: the style of the project's
//! local settings, and the effort of the user's.

use extend::edit::{self, Scope, Target};
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let (scope, key) = match text(request, "source")? {
        "localSettings" => (Scope::Local, "outputStyle"),
        "userSettings" => (Scope::User, "effortLevel"),
        other => return Err(format!("Settings of {other:?} are not written here.")),
    };
    let settings = request["settings"].as_object().ok_or("`settings` is an object of settings.")?;
    if let Some(other) = settings.keys().find(|name| name.as_str() != key) {
        return Err(format!("`{other}` is not written here; only `{key}` is."));
    }
    let Some(Value::String(value)) = settings.get(key) else {
        return Err(format!("`{key}` is a text."));
    };
    let target = Target::new(scope, &shared.host.locations, shared.cwd());
    let (key, value) = (key.to_owned(), json!(value));
    let written = tokio::task::spawn_blocking(move || edit::set_value(&target, &key, &value)).await;
    match written {
        Ok(written) => written.map(|_| json!({})).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}
