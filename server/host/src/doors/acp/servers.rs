//! MCP servers that the client names for a session, as in an MCP settings file.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::schema::{EnvVariable, HttpHeader, McpServer};

/// Nothing where there are none.
pub(super) fn named(servers: Vec<McpServer>) -> Option<BTreeMap<String, Value>> {
    let named: BTreeMap<_, _> = servers.into_iter().filter_map(entry).collect();
    (!named.is_empty()).then_some(named)
}

fn entry(server: McpServer) -> Option<(String, Value)> {
    Some(match server {
        McpServer::Stdio(server) => {
            let env = server.env.into_iter().map(|EnvVariable { name, value, .. }| (name, value));
            let value = json!({
                "type": "stdio",
                "command": server.command,
                "args": server.args,
                "env": pairs(env),
            });
            (server.name, value)
        }
        McpServer::Http(server) => {
            let value =
                json!({ "type": "http", "url": server.url, "headers": headers(server.headers) });
            (server.name, value)
        }
        McpServer::Sse(server) => {
            let value =
                json!({ "type": "sse", "url": server.url, "headers": headers(server.headers) });
            (server.name, value)
        }
        _ => return None,
    })
}

fn headers(headers: Vec<HttpHeader>) -> Map<String, Value> {
    pairs(headers.into_iter().map(|HttpHeader { name, value, .. }| (name, value)))
}

fn pairs(pairs: impl Iterator<Item = (String, String)>) -> Map<String, Value> {
    pairs.map(|(name, value)| (name, Value::String(value))).collect()
}
