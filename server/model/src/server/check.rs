//! Is this a request that the real API would take? What it refuses, we refuse, in its words.

use std::collections::HashSet;

use hyper::header::HeaderMap;
use serde_json::Value;

const MAX_BREAKPOINTS: usize = 4;

/// A request to `/v1/messages`.
pub(super) fn messages(body: &Value) -> Result<(), String> {
    text_field(body, "model")?;
    match body["max_tokens"].as_u64() {
        None => return Err("max_tokens: Field required".to_owned()),
        Some(0) => return Err("max_tokens: must be at least 1".to_owned()),
        Some(_) => {}
    }
    for removed in ["temperature", "top_p", "top_k"] {
        if body.get(removed).is_some() {
            return Err(format!("{removed}: Extra inputs are not permitted"));
        }
    }
    let list = non_empty_list(body)?;
    if list[0]["role"] != "user" {
        return Err("messages: first message must use the \"user\" role".to_owned());
    }
    for (at, message) in list.iter().enumerate() {
        content(message, at)?;
        if message["role"] == "assistant" {
            answered(message, list.get(at + 1), at)?;
        } else {
            expected(at.checked_sub(1).map(|before| &list[before]), message, at)?;
        }
    }
    tools(&body["tools"])?;
    references(list, &body["tools"])?;
    let breakpoints = count_breakpoints(body);
    if breakpoints > MAX_BREAKPOINTS {
        return Err(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {breakpoints}."
        ));
    }
    Ok(())
}

/// What is not for everybody yet has to be named in a header.
pub(super) fn betas(body: &Value, headers: &HeaderMap) -> Result<(), String> {
    let named = headers.get("anthropic-beta").and_then(|betas| betas.to_str().ok());
    let named = named.is_some_and(|betas| betas.contains("context-management-2025-06-27"));
    match body.get("context_management") {
        Some(_) if !named => Err("context_management: Extra inputs are not permitted".to_owned()),
        _ => Ok(()),
    }
}

/// A request to `/v1/messages/count_tokens`, which takes no more than what it counts.
pub(super) fn counted(body: &Value) -> Result<(), String> {
    text_field(body, "model")?;
    non_empty_list(body)?;
    for extra in ["stream", "metadata"] {
        if body.get(extra).is_some() {
            return Err(format!("{extra}: Extra inputs are not permitted"));
        }
    }
    Ok(())
}

fn text_field(body: &Value, name: &str) -> Result<(), String> {
    match body[name].as_str() {
        Some(text) if !text.is_empty() => Ok(()),
        _ => Err(format!("{name}: Field required")),
    }
}

fn non_empty_list(body: &Value) -> Result<&Vec<Value>, String> {
    match body["messages"].as_array() {
        None => Err("messages: Field required".to_owned()),
        Some(list) if list.is_empty() => {
            Err("messages: at least one message is required".to_owned())
        }
        Some(list) => Ok(list),
    }
}

fn content(message: &Value, at: usize) -> Result<(), String> {
    if !matches!(message["role"].as_str(), Some("user" | "assistant")) {
        return Err(format!("messages.{at}.role: Input should be 'user' or 'assistant'"));
    }
    let blocks = match &message["content"] {
        Value::String(text) if !text.is_empty() => return Ok(()),
        Value::Array(blocks) if !blocks.is_empty() => blocks,
        _ => return Err(format!("messages.{at}: all messages must have non-empty content")),
    };
    for (number, block) in blocks.iter().enumerate() {
        let problem = match block["type"].as_str() {
            Some("text") => {
                let text = block["text"].as_str();
                let blank = text.is_none_or(|text| text.trim().is_empty());
                blank.then_some("text content blocks must contain non-whitespace text")
            }
            Some("thinking") => {
                let unsigned = block["signature"].as_str().is_none_or(str::is_empty);
                let marked = block.get("cache_control").is_some();
                let unsigned = unsigned.then_some("thinking.signature: Field required");
                unsigned.or(marked.then_some("cache_control: Extra inputs are not permitted"))
            }
            Some("tool_use") => {
                let whole = block["id"].is_string() && block["name"].is_string();
                (!whole || !block["input"].is_object())
                    .then_some("tool_use needs id, name and an input object")
            }
            Some(_) => None,
            None => Some("type: Field required"),
        };
        if let Some(problem) = problem {
            return Err(format!("messages.{at}.content.{number}: {problem}"));
        }
    }
    Ok(())
}

fn ids<'a>(message: &'a Value, kind: &str, field: &str) -> Vec<&'a str> {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks.filter(|block| block["type"] == kind).filter_map(|block| block[field].as_str()).collect()
}

/// Every call has its result in the very next message.
fn answered(message: &Value, next: Option<&Value>, at: usize) -> Result<(), String> {
    let calls = ids(message, "tool_use", "id");
    let unique: HashSet<_> = calls.iter().collect();
    if unique.len() < calls.len() {
        return Err(format!("messages.{at}: `tool_use` ids must be unique"));
    }
    let results: HashSet<_> =
        next.map(|next| ids(next, "tool_result", "tool_use_id")).into_iter().flatten().collect();
    let missing: Vec<_> = calls.into_iter().filter(|id| !results.contains(id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: \
         {}. Each `tool_use` block must have a corresponding `tool_result` block in the next \
         message.",
        missing.join(", ")
    ))
}

/// Every result answers a call of the message before, once.
fn expected(before: Option<&Value>, message: &Value, at: usize) -> Result<(), String> {
    let mut calls: HashSet<_> =
        before.map(|before| ids(before, "tool_use", "id")).into_iter().flatten().collect();
    for id in ids(message, "tool_result", "tool_use_id") {
        if !calls.remove(id) {
            return Err(format!(
                "messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}"
            ));
        }
    }
    Ok(())
}

fn tools(tools: &Value) -> Result<(), String> {
    let mut names = HashSet::new();
    for (at, tool) in tools.as_array().into_iter().flatten().enumerate() {
        let name = tool["name"].as_str().unwrap_or_default();
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || name.len() > 128 || !name.chars().all(legal) {
            return Err(format!("tools.{at}.name: String should match '^[a-zA-Z0-9_-]{{1,128}}$'"));
        }
        if tool["defer_loading"] == true && tool.get("cache_control").is_some() {
            return Err(format!("tools.{at}: a deferred tool cannot have cache_control"));
        }
        if !names.insert(name) {
            return Err("tools: Tool names must be unique.".to_owned());
        }
        // Tools that run at the provider have a type and no schema.
        if tool.get("type").is_none() && tool["input_schema"]["type"] != "object" {
            return Err(format!("tools.{at}.input_schema.type: Input should be 'object'"));
        }
    }
    Ok(())
}

/// A result may refer to tools of the list only.
fn references(list: &[Value], tools: &Value) -> Result<(), String> {
    let blocks = list.iter().filter_map(|message| message["content"].as_array()).flatten();
    let parts = blocks.filter_map(|block| block["content"].as_array()).flatten();
    for part in parts.filter(|part| part["type"] == "tool_reference") {
        let name = &part["tool_name"];
        if !tools.as_array().into_iter().flatten().any(|tool| tool["name"] == *name) {
            return Err(format!("Tool reference {name} not found in available tools"));
        }
    }
    Ok(())
}

fn count_breakpoints(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(count_breakpoints).sum(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| match key.as_str() {
                "cache_control" => usize::from(!value.is_null()),
                // What a tool is called with is the caller's business.
                "input" | "input_schema" => 0,
                _ => count_breakpoints(value),
            })
            .sum(),
        _ => 0,
    }
}

/// A request to `/v1/chat/completions`.
pub(super) fn completions(body: &Value) -> Result<(), String> {
    text_field(body, "model")?;
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in non_empty_list(body)?.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(found) = open.iter().position(|call| *call == id) else {
                return Err(format!("messages.{at}: no preceding tool call has the id '{id}'"));
            };
            open.remove(found);
        } else if !open.is_empty() {
            return Err(format!(
                "messages.{at}: these tool calls have no response: {}",
                open.join(", ")
            ));
        }
        if message["role"] == "assistant" {
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            open = calls.filter_map(|call| call["id"].as_str()).collect();
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(format!("messages: these tool calls have no response: {}", open.join(", ")))
}

#[cfg(test)]
mod tests;
