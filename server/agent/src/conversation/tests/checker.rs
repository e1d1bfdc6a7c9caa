//! What a provider demands of a conversation, as strict as any of them.

use std::collections::HashSet;

use serde_json::Value;

pub(super) fn check(messages: &[Value]) -> Result<(), String> {
    let mut names = HashSet::new();
    let mut waiting: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = if message["role"] == "user" { "user" } else { "assistant" };
        let before =
            at.checked_sub(1).map_or("assistant", |at| messages[at]["role"].as_str().unwrap());
        if role == "assistant" && before == "assistant" {
            return Err(format!("message {at} is the model's, like the one before"));
        }
        let blocks = message["content"].as_array().ok_or("no content")?;
        if blocks.is_empty() {
            return Err(format!("message {at} is empty"));
        }
        for (number, block) in blocks.iter().enumerate() {
            let wrong = |what: &str| Err(format!("{what} in {at}.{number}: {block}"));
            match (role, block["type"].as_str().unwrap_or_default()) {
                (_, "text") if !is_text(block) => return wrong("blank or odd text"),
                (_, "text") => {}
                ("user", "tool_result") => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    let Some(found) = waiting.iter().position(|waiting| waiting == id) else {
                        return wrong("a result without its call");
                    };
                    waiting.remove(found);
                    let before = &blocks[..number];
                    if before.iter().any(|block| block["type"] != "tool_result") {
                        return wrong("a result that does not come first");
                    }
                    let parts = block["content"].as_array().ok_or("no parts")?;
                    if block["is_error"] == true && parts.is_empty() {
                        return wrong("an error without words");
                    }
                    if parts.iter().any(|part| part["type"] == "text" && !is_text(part)) {
                        return wrong("blank text");
                    }
                    if parts.iter().any(|part| !is_user_kind(part)) {
                        return wrong("a strange part");
                    }
                }
                ("user", _) if is_user_kind(block) => {}
                ("assistant", "thinking") if block["signature"] != "" => {}
                ("assistant", "redacted_thinking") => {}
                ("assistant", "server_tool_use" | "web_search_tool_result" | "future") => {}
                ("assistant", "tool_use") => {
                    let id = block["id"].as_str().unwrap_or_default();
                    if !is_name(id) || !is_name(block["name"].as_str().unwrap_or_default()) {
                        return wrong("a bad name");
                    }
                    if !names.insert(id.to_owned()) || !block["input"].is_object() {
                        return wrong("a bad call");
                    }
                    waiting.push(id.to_owned());
                }
                _ => return wrong("a block that does not belong"),
            }
        }
        if role == "user" && !waiting.is_empty() {
            return Err(format!("{waiting:?} have no result in {at}"));
        }
        check_searches(blocks)?;
        if role == "assistant" && blocks.last().is_some_and(|block| block["type"] == "thinking") {
            return Err(format!("message {at} ends in a thought"));
        }
    }
    Ok(())
}

fn check_searches(blocks: &[Value]) -> Result<(), String> {
    let of = |kind: &str, field: &str| -> HashSet<String> {
        let found = blocks.iter().filter(|block| block["type"] == kind);
        found.map(|block| block[field].to_string()).collect()
    };
    let (uses, results) =
        (of("server_tool_use", "id"), of("web_search_tool_result", "tool_use_id"));
    if uses == results { Ok(()) } else { Err(format!("{uses:?} were searched, {results:?} found")) }
}

fn is_text(block: &Value) -> bool {
    block["text"].as_str().is_some_and(|text| !text.trim().is_empty() && !text.contains('\0'))
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= 128 && name.chars().all(letter)
}

fn is_user_kind(block: &Value) -> bool {
    match block["type"].as_str() {
        Some("text" | "document") => true,
        Some("image") => block["source"]["data"] == super::PIXEL,
        _ => false,
    }
}
