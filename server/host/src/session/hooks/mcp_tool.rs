//! A hook that is a tool of an MCP server: its input is filled in from what happened, and the text of
//! its result counts as what a command would have printed.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::output::Printed;

/// Whoever can call tools of MCP servers. The session's connections implement it; a session without
/// any has hooks of this kind that fail.
pub trait HookTools: Send + Sync {
    /// The text of the result. The error says what went wrong, as the end of a sentence.
    fn call(
        &self,
        server: String,
        tool: String,
        input: Map<String, Value>,
    ) -> BoxFuture<'static, Result<String, String>>;
}

pub(super) async fn run(
    tools: Option<&dyn HookTools>,
    (server, tool): (&str, &str),
    template: &Map<String, Value>,
    happened: &Value,
) -> Result<Printed, String> {
    let Some(tools) = tools else {
        return Err(format!("needs the MCP server {server}, which is not connected"));
    };
    let input = template.iter().map(|(name, value)| (name.clone(), filled(value, happened)));
    let text = tools.call(server.to_owned(), tool.to_owned(), input.collect()).await?;
    Ok(Printed::words(text))
}

/// `${tool_input.command}` becomes that part of what happened. Alone it keeps its type.
fn filled(value: &Value, happened: &Value) -> Value {
    match value {
        Value::String(text) => text_filled(text, happened),
        Value::Array(values) => values.iter().map(|value| filled(value, happened)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields.map(|(name, value)| (name.clone(), filled(value, happened))).collect()
        }
        other => other.clone(),
    }
}

fn text_filled(text: &str, happened: &Value) -> Value {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((path, after)) = after.split_once('}') else { break };
        let found = at(happened, path);
        if before.is_empty() && whole.is_empty() && after.is_empty() {
            return found.cloned().unwrap_or(Value::Null);
        }
        whole.push_str(before);
        match found {
            Some(Value::String(text)) => whole.push_str(text),
            Some(Value::Null) | None => {}
            Some(other) => whole.push_str(&other.to_string()),
        }
        rest = after;
    }
    whole.push_str(rest);
    Value::String(whole)
}

fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, step| match value {
        Value::Array(values) => values.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_filled_in() {
        let happened = json!({ "tool_input": { "n": 3, "list": ["a"] }, "cwd": "/w" });
        let check = |written: Value, expect: Value| {
            assert_eq!(filled(&written, &happened), expect, "{written}");
        };
        check(json!("${cwd}"), json!("/w"));
        check(json!("${tool_input.n}"), json!(3));
        check(json!("n=${tool_input.n} in ${cwd}"), json!("n=3 in /w"));
        check(json!(["${tool_input.list.0}"]), json!(["a"]));
        check(json!({ "x": "${no.such}" }), json!({ "x": null }));
        check(json!("a ${no} b"), json!("a  b"));
        check(json!("${open"), json!("${open"));
        check(json!(7), json!(7));
    }
}
