//! A server as other programs write it, as `.mcp.json` has it.

use serde_json::{Map, Value, json};

use super::Neighbour;

/// What other programs call an address, and how it is spoken to when nothing says so.
const ADDRESSES: [&str; 3] = ["url", "serverUrl", "httpUrl"];

/// The error is a sentence that says why it cannot be taken over.
pub(super) fn definition(
    server: &Map<String, Value>,
    whose: Option<Neighbour>,
) -> Result<Value, String> {
    let is = |key: &str, value: bool| server.get(key) == Some(&Value::Bool(value));
    if is("disabled", true) || is("enabled", false) {
        return Err("It is switched off there.".to_owned());
    }
    for key in ["envFile", "env_file", "cwd"] {
        if server.get(key).is_some_and(|value| !value.is_null()) {
            return Err(format!("It has `{key}`, which has no counterpart here: add it by hand."));
        }
    }
    let address = ADDRESSES.iter().find(|key| server.get(**key).is_some_and(Value::is_string));
    let mut made = Map::new();
    match (server.get("command"), address) {
        (Some(Value::String(command)), _) => {
            made.insert("command".into(), portable(command)?.into());
            if let Some(args) = server.get("args").and_then(Value::as_array) {
                made.insert("args".into(), args.iter().map(text).collect::<Result<_, _>>()?);
            }
            insert_texts(&mut made, "env", server.get("env"))?;
        }
        (_, Some(key)) => {
            let url = server[*key].as_str().unwrap_or_default();
            made.insert("type".into(), kind(server, key, url, whose)?.into());
            made.insert("url".into(), portable(url)?.into());
            insert_texts(&mut made, "headers", server.get("headers"))?;
        }
        _ => return Err("It has neither a command nor an address.".to_owned()),
    }
    Ok(Value::Object(made))
}

fn kind(
    server: &Map<String, Value>,
    key: &str,
    url: &str,
    whose: Option<Neighbour>,
) -> Result<&'static str, String> {
    let named = server.get("type").or_else(|| server.get("transport")).and_then(Value::as_str);
    Ok(match named {
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => "http",
        Some("sse") => "sse",
        Some("ws" | "websocket") => "ws",
        Some(other) => return Err(format!("Its type is {other:?}, which is not known here.")),
        None if key == "httpUrl" => "http",
        None if whose == Some(Neighbour::Gemini) => "sse",
        None if url.split(['?', '#']).next().is_some_and(|path| path.ends_with("/sse")) => "sse",
        None => "http",
    })
}

/// An object of texts; numbers and switches are written as such.
fn insert_texts(
    made: &mut Map<String, Value>,
    key: &str,
    value: Option<&Value>,
) -> Result<(), String> {
    let fields = value.and_then(Value::as_object).into_iter().flatten();
    let set = fields.filter(|(_, value)| !value.is_null());
    let texts: Map<String, Value> =
        set.map(|(name, value)| Ok((name.clone(), text(value)?))).collect::<Result<_, String>>()?;
    if !texts.is_empty() {
        made.insert(key.to_owned(), Value::Object(texts));
    }
    Ok(())
}

fn text(value: &Value) -> Result<Value, String> {
    match value {
        Value::String(text) => Ok(json!(portable(text)?)),
        Value::Number(_) | Value::Bool(_) => Ok(json!(value.to_string())),
        _ => Err("It has a value that is no text.".to_owned()),
    }
}

/// `${env:NAME}` is `${NAME}` here; what only an editor can fill in cannot be taken over.
fn portable(text: &str) -> Result<String, String> {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        made.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}').map(|end| at + end) else {
            rest = &rest[at..];
            break;
        };
        let inner = &rest[at + 2..end];
        match inner.split_once(':') {
            Some(("env", name)) => made.push_str(&format!("${{{name}}}")),
            Some((_, default)) if default.starts_with('-') => made.push_str(&rest[at..=end]),
            None if !is_of_an_editor(inner) => made.push_str(&rest[at..=end]),
            _ => return Err(format!("It has ${{{inner}}}, which only that program can fill in.")),
        }
        rest = &rest[end + 1..];
    }
    made.push_str(rest);
    Ok(made)
}

fn is_of_an_editor(name: &str) -> bool {
    name.starts_with("workspace") || name.starts_with("userHome") || name == "pathSeparator"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(server: Value, whose: Option<Neighbour>) -> Result<Value, String> {
        definition(server.as_object().unwrap(), whose)
    }

    #[test]
    fn addresses_and_how_they_are_spoken_to() {
        let kind = |server: Value, whose| made(server, whose).unwrap()["type"].clone();
        assert_eq!(kind(json!({ "url": "https://x/mcp" }), None), "http");
        assert_eq!(kind(json!({ "url": "https://x/sse?a=b" }), Some(Neighbour::Cursor)), "sse");
        assert_eq!(kind(json!({ "serverUrl": "https://x/mcp" }), None), "http");
        assert_eq!(kind(json!({ "url": "https://x/mcp" }), Some(Neighbour::Gemini)), "sse");
        assert_eq!(kind(json!({ "httpUrl": "https://x/mcp" }), Some(Neighbour::Gemini)), "http");
        assert_eq!(kind(json!({ "url": "https://x", "type": "streamableHttp" }), None), "http");
        assert!(made(json!({ "url": "https://x", "type": "carrier pigeon" }), None).is_err());
    }

    #[test]
    fn what_cannot_be_taken_over_is_said() {
        for (server, why) in [
            (json!({ "command": "x", "disabled": true }), "switched off"),
            (json!({ "command": "x", "enabled": false }), "switched off"),
            (json!({ "command": "x", "envFile": ".env" }), "envFile"),
            (json!({ "command": "x", "args": ["${workspaceFolder}/a"] }), "workspaceFolder"),
            (json!({ "command": "x", "args": [["a"]] }), "no text"),
            (json!({}), "neither"),
        ] {
            let problem = made(server.clone(), None).unwrap_err();
            assert!(problem.contains(why), "{server}: {problem}");
        }
    }

    #[test]
    fn variables() {
        assert_eq!(
            portable("a ${env:KEY} b ${HOME} ${X:-y}").unwrap(),
            "a ${KEY} b ${HOME} ${X:-y}"
        );
        assert_eq!(portable("$5 ${ open").unwrap(), "$5 ${ open");
    }
}
