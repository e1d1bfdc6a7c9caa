//! `~/.codex/config.toml`: a table for each server below `mcp_servers`.

use serde_json::{Map, Value, json};

use super::Neighbouring;
use super::written::definition;

/// The error is a sentence about the file.
pub(super) fn servers(text: &str) -> Result<Vec<Neighbouring>, String> {
    let root: toml::Table =
        toml::from_str(text).map_err(|error| format!("It is not valid TOML ({error})."))?;
    let Some(toml::Value::Table(servers)) = root.get("mcp_servers") else { return Ok(Vec::new()) };
    let all = servers.iter().map(|(name, server)| {
        let server = serde_json::to_value(server).unwrap_or_default();
        let fields = server.as_object().cloned().unwrap_or_default();
        Neighbouring { name: name.clone(), definition: definition(&as_others(fields), None) }
    });
    Ok(all.collect())
}

/// Headers whose values are in the environment are variables here.
fn as_others(mut server: Map<String, Value>) -> Map<String, Value> {
    let mut headers = match server.remove("http_headers") {
        Some(Value::Object(headers)) => headers,
        _ => Map::new(),
    };
    if let Some(Value::Object(named)) = server.remove("env_http_headers") {
        let variable = |value: &Value| value.as_str().map(|name| json!(format!("${{{name}}}")));
        headers.extend(named.iter().filter_map(|(key, name)| Some((key.clone(), variable(name)?))));
    }
    if let Some(Value::String(name)) = server.remove("bearer_token_env_var") {
        headers.insert("Authorization".into(), json!(format!("Bearer ${{{name}}}")));
    }
    // Variables that are only passed on.
    if let Some(Value::Array(names)) = server.remove("env_vars") {
        let env = server.entry("env").or_insert_with(|| json!({}));
        for name in names.iter().filter_map(Value::as_str) {
            env[name] = json!(format!("${{{name}}}"));
        }
    }
    if !headers.is_empty() {
        server.insert("headers".into(), Value::Object(headers));
    }
    server
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_addresses() {
        let text = r#"
            model = "x"
            [mcp_servers.files]
            command = "npx"
            args = ["-y", "files"]
            env_vars = ["TOKEN"]
            startup_timeout_sec = 20
            [mcp_servers.docs]
            url = "https://docs.example/mcp"
            bearer_token_env_var = "DOCS"
            [mcp_servers.off]
            command = "x"
            enabled = false
        "#;
        let found = servers(text).unwrap();
        let by = |name: &str| found.iter().find(|it| it.name == name).unwrap().definition.clone();
        assert_eq!(
            by("files").unwrap(),
            json!({ "command": "npx", "args": ["-y", "files"], "env": { "TOKEN": "${TOKEN}" } })
        );
        assert_eq!(by("docs").unwrap()["headers"], json!({ "Authorization": "Bearer ${DOCS}" }));
        assert!(by("off").is_err());
        assert!(servers("[").is_err());
        assert!(servers("").unwrap().is_empty());
    }
}
