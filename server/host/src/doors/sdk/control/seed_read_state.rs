//! `seed_read_state`: the model has seen a file though the conversation does not show it any more, so it
//! may be changed. Only where the file is still the one that was seen.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let path = PathBuf::from(text(request, "path")?);
    let millis = request["mtime"].as_f64().ok_or("This request needs `mtime`, milliseconds.")?;
    let path = shared.want(|reply| Driven::MayRead { path, reply }).await??;
    let stamp = workspace::stamp(&path).map_err(|error| error.to_string())?;
    let stamp = stamp.ok_or_else(|| format!("There is no file {}.", path.display()))?;
    // Hosts count in whole milliseconds, some in fractions.
    if (stamp.modified_millis() as f64 - millis.floor()).abs() >= 1.0 {
        return Err(format!("{} has changed since; it must be read again.", path.display()));
    }
    shared.want(|reply| Driven::Seen { path, reply }).await??;
    Ok(json!({}))
}
