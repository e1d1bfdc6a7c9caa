//! `read_file`: a file for the host to show, where the rules let it be read without a question.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::lines;
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

/// A line to the host has no room for more.
const MOST: u64 = (lines::LONGEST / 2) as u64;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let path = PathBuf::from(text(request, "path")?);
    let base64 = match request["encoding"].as_str() {
        None | Some("utf-8") => false,
        Some("base64") => true,
        Some(other) => return Err(format!("There is no encoding {other:?}.")),
    };
    let most = request["max_bytes"].as_u64().unwrap_or(MOST).min(MOST);
    let path = shared.want(|reply| Driven::MayRead { path, reply }).await??;
    let real = path.clone();
    let read = tokio::task::spawn_blocking(move || workspace::read_beginning(&real, most)).await;
    let (bytes, truncated) = match read {
        Ok(read) => read.map_err(|error| error.to_string())?,
        Err(error) => return Err(error.to_string()),
    };
    let mut told = json!({ "absPath": path, "truncated": truncated });
    if base64 {
        told["contents"] = STANDARD.encode(&bytes).into();
        told["encoding"] = "base64".into();
    } else {
        let text = String::from_utf8_lossy(&bytes);
        told["lossy"] = matches!(text, std::borrow::Cow::Owned(_)).into();
        told["contents"] = text.into();
    }
    Ok(told)
}
