//! `mcp_call`: a tool of an MCP server, called by the host without a model. With `check_permissions` it
//! goes the way of every call: rules, hooks, questions. Without, the host vouches for it, and only what
//! a rule forbids is not done.

use std::time::Duration;

use agent::ResultPart;
use mcp::Part;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tools::{CallStatus, Progress};

use super::{Answer, text};
use crate::core::Event;
use crate::doors::sdk::shared::Shared;
use crate::session::{Direct, Driven};

const USUAL_PATIENCE: u64 = 120_000;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let name = text(request, "tool")?;
    let input = match &request["arguments"] {
        Value::Null => json!({}),
        arguments if arguments.is_object() => arguments.clone(),
        _ => return Err("`arguments` is an object.".to_owned()),
    };
    if request.get("input_files").is_some() || request.get("output_files").is_some() {
        return Err("Files are not staged here: leave out input_files and output_files.".to_owned());
    }
    let millis = request["timeout_ms"].as_u64().unwrap_or(USUAL_PATIENCE);
    let within = Duration::from_millis(millis.clamp(1_000, 600_000));
    let call = async {
        match request["check_permissions"] == json!(true) {
            true => checked(shared, name, input).await,
            false => vouched(shared, name, input).await,
        }
    };
    let late = |_| format!("The tool took longer than {} ms.", within.as_millis());
    tokio::time::timeout(within, call).await.map_err(late)?
}

async fn checked(shared: &Shared, name: &str, input: Value) -> Answer {
    let core = shared.core().ok_or("There is no session yet.")?;
    let (reply, report) = tokio::sync::oneshot::channel();
    let cancel = CancellationToken::new();
    // Who stops waiting stops the call.
    let _stops = cancel.clone().drop_guard();
    let progress = Progress::new(|_| ());
    let direct = Direct { name: name.to_owned(), input, cancel, progress, reply };
    let session = shared.session().to_owned();
    core.send(Event::Direct { session, direct: Box::new(direct) }).await;
    let report = report.await.map_err(|_| "The session is closed.".to_owned())?;
    let texts = report.outcome.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let words = texts.collect::<Vec<_>>().join("\n");
    match report.status {
        CallStatus::Completed => {
            Ok(json!({ "content": [{ "type": "text", "text": words }], "isError": false }))
        }
        CallStatus::Failed => {
            Ok(json!({ "content": [{ "type": "text", "text": words }], "isError": true }))
        }
        _ => Err(format!("The tool did not run: {words}")),
    }
}

async fn vouched(shared: &Shared, name: &str, input: Value) -> Answer {
    if let Some(rule) =
        shared.want(|reply| Driven::Forbids { tool: name.to_owned(), reply }).await?
    {
        return Err(format!("The tool did not run: the rule {rule} forbids it."));
    }
    let hub = shared.want(Driven::Servers).await?;
    let (server, tool) = hub.find_tool(name).ok_or_else(|| format!("There is no tool {name}."))?;
    if shared.servers.is_one(server.name()) {
        return Err("The host has this server itself, and can call it without us.".to_owned());
    }
    let arguments = input.as_object().cloned().unwrap_or_default();
    let answer = server.call_tool(&tool, arguments, |_| ()).await?;
    let content: Vec<Value> = answer.parts.iter().map(part).collect();
    Ok(json!({ "content": content, "isError": answer.is_error }))
}

pub(super) fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { mime_type, data } => {
            json!({ "type": "image", "mimeType": mime_type, "data": data })
        }
        Part::Blob { what, mime_type, data } => {
            json!({ "type": "resource", "resource": { "uri": what, "mimeType": mime_type, "blob": data } })
        }
        Part::Resource { uri, text } => {
            json!({ "type": "resource", "resource": { "uri": uri, "text": text } })
        }
        Part::Link { uri, name, description } => {
            json!({ "type": "resource_link", "uri": uri, "name": name, "description": description })
        }
    }
}
