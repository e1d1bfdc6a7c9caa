//! Which MCP servers may be there at all: what the administrator, the lists `allowedMcpServers` and
//! `deniedMcpServers` and the command line leave of what the files configure.
//!
//! A list only takes away, whichever file it is in. An entry that cannot be understood matches
//! nothing in a list of what is allowed, and everything in one of what is denied.

use jsonc_parser::ast::Value as Ast;
use policy::Source;
use serde_json::Value;

use super::Scoped;
use super::parse::{Reader, json};
use super::places::{Given, Kind};

/// What all files together say, for servers that no file configures: a client's, or an agent's own.
#[derive(Clone, Debug, Default)]
pub struct McpAdmission {
    lists: Vec<McpLimits>,
    managed_only: bool,
    /// The command line names the servers, and nobody else does.
    only_given: bool,
}

impl McpAdmission {
    /// The same for a server of a plugin.
    pub(super) fn admits_plugins(&self, name: &str, server: &Value) -> bool {
        !self.only_given && self.admits(name, server)
    }

    /// Whether a server that somebody but the administrator brings may be there.
    pub fn admits(&self, name: &str, server: &Value) -> bool {
        !self.managed_only && self.lists.iter().all(|list| list.leaves(name, server))
    }
}

/// What one file says about it.
#[derive(Clone, Debug, Default)]
pub(super) struct McpLimits {
    /// `None`: there is no such list.
    allowed: Option<Vec<Value>>,
    denied: Vec<Value>,
    /// `managedMcpServers`.
    managed: Vec<(String, Value)>,
}

impl McpLimits {
    fn leaves(&self, name: &str, server: &Value) -> bool {
        let matches = |entry: &Value| matches(entry, name, server);
        let denied = self.denied.iter().any(|entry| matches(entry) != Some(false));
        let allowed = |list: &Vec<Value>| list.iter().any(|entry| matches(entry) == Some(true));
        !denied && self.allowed.as_ref().is_none_or(allowed)
    }
}

/// One of the keys that are about this; says whether it was one.
pub(super) fn read(reader: &mut Reader<'_>, path: &str, value: &Ast<'_>) -> bool {
    let text = reader.text;
    let list = || json(text, value).and_then(|value| value.as_array().cloned());
    let limits = &mut reader.parsed.mcp_limits;
    match path {
        "allowedMcpServers" => limits.allowed = Some(list().unwrap_or_default()),
        "deniedMcpServers" => limits.denied = list().unwrap_or_else(|| vec![Value::Null]),
        "managedMcpServers" => {
            let servers = json(text, value).and_then(|value| value.as_object().cloned());
            limits.managed = servers.unwrap_or_default().into_iter().collect();
        }
        _ => return false,
    }
    true
}

/// Takes out what may not be there. Says what else may.
pub(super) fn apply(layers: &mut [Scoped], given: &Given) -> McpAdmission {
    let managed = |layer: &Scoped| layer.place.source == Source::Managed;
    for layer in layers.iter_mut() {
        let named = std::mem::take(&mut layer.parsed.mcp_limits.managed);
        if managed(layer) {
            layer.parsed.mcp.extend(named);
        }
    }
    // A file of the administrator with nothing but servers says: these and no others.
    let says_so = |layer: &Scoped| {
        let only = layer.parsed.bools.get("allowManagedMcpServersOnly");
        managed(layer)
            && (layer.place.kind == Kind::McpServers || only.is_some_and(|found| found.value))
    };
    let managed_only = layers.iter().any(says_so);
    let lists: Vec<_> =
        layers.iter_mut().map(|layer| std::mem::take(&mut layer.parsed.mcp_limits)).collect();
    for layer in layers.iter_mut() {
        let left_out = (managed_only && !managed(layer))
            || (given.only_given_mcp
                && !matches!(layer.place.source, Source::Managed | Source::CommandLine));
        layer.parsed.mcp.retain(|(name, server)| {
            !left_out && lists.iter().all(|list| list.leaves(name, server))
        });
    }
    McpAdmission { lists, managed_only, only_given: given.only_given_mcp }
}

/// Whether an entry speaks of a server; `None` when the entry makes no sense.
fn matches(entry: &Value, name: &str, server: &Value) -> Option<bool> {
    if let Some(wanted) = entry["serverName"].as_str() {
        return Some(wanted == name);
    }
    if let Some(words) = entry["serverCommand"].as_array() {
        let args = server["args"].as_array().into_iter().flatten();
        let command = std::iter::once(&server["command"]).chain(args);
        return Some(words.iter().eq(command));
    }
    let pattern = entry["serverUrl"].as_str()?;
    let url = server["url"].as_str();
    Some(url.is_some_and(|url| policy::wildcard(pattern, url)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_an_entry_speaks_of() {
        let check = |entry: Value, expect: Option<bool>| {
            let server = json!({ "command": "npx", "args": ["x"], "url": "https://a.example/mcp" });
            assert_eq!(matches(&entry, "git", &server), expect, "{entry}");
        };
        check(json!({ "serverName": "git" }), Some(true));
        check(json!({ "serverName": "github" }), Some(false));
        check(json!({ "serverCommand": ["npx", "x"] }), Some(true));
        check(json!({ "serverCommand": ["npx"] }), Some(false));
        check(json!({ "serverUrl": "https://*.example/*" }), Some(true));
        check(json!({ "serverUrl": "https://b.example/*" }), Some(false));
        check(json!({ "server": "git" }), None);
        check(json!("git"), None);
    }
}
