//! `mcp_read_resource`: a page that a server of the session has for the host to show.

use mcp::Part;
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

/// Hosts show these pages, and nothing else of a server.
const SCHEME: &str = "ui://";

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let (name, uri) = (text(request, "serverName")?, text(request, "uri")?);
    if !uri.starts_with(SCHEME) {
        return Err(format!("Only resources that begin with {SCHEME} are read here."));
    }
    let hub = shared.want(Driven::Servers).await?;
    let server =
        hub.server(name).ok_or_else(|| format!("There is no MCP server {name:?} here."))?;
    if shared.servers.is_one(server.name()) {
        return Err("The host has this server itself, and can read it without us.".to_owned());
    }
    let parts = server.read_resource(uri).await?;
    let contents = parts.iter().map(|part| match part {
        Part::Blob { mime_type, data, .. } | Part::Image { mime_type, data } => {
            json!({ "uri": uri, "mimeType": mime_type, "blob": data })
        }
        Part::Text(text) | Part::Resource { text, .. } => json!({ "uri": uri, "text": text }),
        Part::Link { uri, .. } => json!({ "uri": uri }),
    });
    Ok(json!({ "contents": contents.collect::<Vec<_>>() }))
}
