//! What a server offers, as values: tools, prompts, resources and its instructions.
//!
//! It is read item by item and with caps, because it is somebody else's text on its way into every
//! request: what is too large or makes no sense is left out with a note, and the rest counts.

mod schema;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde_json::Value;

use crate::name::{server_key, tool_name};

/// More of one server than anybody can use.
pub(crate) const MOST_TOOLS: usize = 500;
pub(crate) const MOST_PROMPTS: usize = 200;
pub(crate) const MOST_RESOURCES: usize = 1000;

/// What is longer is cut (descriptions, instructions) or left out (names, addresses).
const DESCRIPTION: usize = 2048;
const NAME: usize = 256;
const ADDRESS: usize = 2048;
/// Of one tool, as JSON.
const SCHEMA: usize = 64 * 1024;
/// Of all tools of a server together.
const SCHEMAS: usize = 1024 * 1024;
const MOST_ARGUMENTS: usize = 50;
/// The most that `anthropic/maxResultSizeChars` may ask for.
const LARGEST_RESULT: u64 = 500_000;

/// All that one server offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    pub tools: Vec<Tool>,
    pub prompts: Vec<Prompt>,
    pub resources: Vec<Resource>,
    /// Patterns of addresses.
    pub templates: Vec<Resource>,
    /// How the server wants to be used; its own words.
    pub instructions: Option<String>,
    /// What was left out and why, for people.
    pub left_out: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// `mcp__server__tool`.
    pub full_name: String,
    /// As the server calls it.
    pub name: String,
    pub description: String,
    pub schema: Value,
    pub hints: Hints,
}

/// What a server says about its tool. Nothing here makes a question to the user go away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    pub title: Option<String>,
    pub read_only: bool,
    pub destructive: bool,
    /// `anthropic/alwaysLoad`: sent with every request.
    pub always_load: bool,
    /// `anthropic/requiresUserInteraction`: a person has to say yes each time.
    pub needs_user: bool,
    /// `claude/endTurn`: the turn ends with its result.
    pub ends_turn: bool,
    /// `anthropic/maxResultSizeChars`.
    pub largest_result: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// `mcp__server__prompt`, as it is written after a slash.
    pub command: String,
    pub name: String,
    pub description: String,
    pub arguments: Vec<Argument>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    pub required: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub description: String,
    pub mime_type: Option<String>,
}

/// The start of a text, no longer than `cap` bytes.
fn cut(text: &str, cap: usize) -> String {
    text[..text.floor_char_boundary(cap)].trim().to_owned()
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// A name that can be shown and sent back as it is.
fn name<'a>(value: &'a Value, key: &str, cap: usize) -> Option<&'a str> {
    text(value, key).filter(|name| name.len() <= cap && !name.contains(char::is_control))
}

/// Instructions as they are kept: no longer than two thousand characters.
pub(crate) fn instructions(text: &str) -> Option<String> {
    Some(cut(text, DESCRIPTION)).filter(|text| !text.is_empty())
}

/// The tools of a list, and what was left out of it.
pub(crate) fn tools(server: &str, items: &[Value]) -> (Vec<Tool>, Vec<String>) {
    let (mut tools, mut left_out) = (Vec::new(), Vec::new());
    let mut taken = HashSet::new();
    let mut room = SCHEMAS;
    for item in items {
        let read = tool(server, item).and_then(|(tool, size)| {
            if tools.len() >= MOST_TOOLS {
                return Err(format!("{}: the server has too many tools", tool.name));
            }
            if size > room {
                return Err(format!("{}: the schemas of its tools are too large", tool.name));
            }
            if !taken.insert(tool.full_name.clone()) {
                return Err(format!("{}: another tool has that name", tool.name));
            }
            room -= size;
            Ok(tool)
        });
        match read {
            Ok(tool) => tools.push(tool),
            Err(why) => left_out.push(format!("Tool {why}.")),
        }
    }
    (tools, shortened(left_out))
}

fn tool(server: &str, item: &Value) -> Result<(Tool, usize), String> {
    let name = name(item, "name", NAME).ok_or("without a usable name")?.to_owned();
    let schema = schema::check(item.get("inputSchema").unwrap_or(&Value::Null))
        .map_err(|why| format!("{name}: its schema cannot be used ({why})"))?;
    let size = schema.to_string().len();
    if size > SCHEMA {
        return Err(format!("{name}: its schema is larger than {SCHEMA} bytes"));
    }
    let tool = Tool {
        full_name: tool_name(server, &name),
        description: cut(text(item, "description").unwrap_or_default(), DESCRIPTION),
        schema,
        hints: hints(item),
        name,
    };
    Ok((tool, size))
}

fn hints(item: &Value) -> Hints {
    let said = &item["annotations"];
    let meta = |key: &str| &item["_meta"][key];
    let yes = |value: &Value| value.as_bool() == Some(true);
    let title = text(item, "title").or_else(|| text(said, "title"));
    let largest = meta("anthropic/maxResultSizeChars").as_u64();
    Hints {
        title: title.map(|title| cut(title.lines().next().unwrap_or_default(), 100)),
        read_only: yes(&said["readOnlyHint"]),
        destructive: yes(&said["destructiveHint"]),
        always_load: yes(meta("anthropic/alwaysLoad")),
        needs_user: yes(meta("anthropic/requiresUserInteraction")),
        ends_turn: yes(meta("claude/endTurn")),
        largest_result: largest.and_then(|size| usize::try_from(size.min(LARGEST_RESULT)).ok()),
    }
}

/// The prompts of a list. Those without a usable name, and further ones of the same name, are left
/// out.
pub(crate) fn prompts(server: &str, items: &[Value]) -> Vec<Prompt> {
    let mut prompts: Vec<Prompt> = Vec::new();
    for item in items.iter().take(MOST_PROMPTS) {
        let Some(name) = name(item, "name", NAME) else { continue };
        // The same letters as in the names of tools: that is what users are used to.
        let command = tool_name(server, name);
        if prompts.iter().any(|known| known.command == command) {
            continue;
        }
        let arguments = item["arguments"].as_array().into_iter().flatten().take(MOST_ARGUMENTS);
        let arguments = arguments.filter_map(|argument| {
            let required = argument["required"].as_bool() == Some(true);
            Some(Argument { name: self::name(argument, "name", NAME)?.to_owned(), required })
        });
        let about = text(item, "description").or_else(|| text(item, "title")).unwrap_or_default();
        prompts.push(Prompt {
            command,
            name: name.to_owned(),
            description: cut(about, DESCRIPTION),
            arguments: arguments.collect(),
        });
    }
    prompts
}

/// The resources of a list; `key` holds their address.
pub(crate) fn resources(items: &[Value], key: &str) -> Vec<Resource> {
    let resource = |item: &Value| {
        let uri = name(item, key, ADDRESS)?.to_owned();
        let about = text(item, "description").or_else(|| text(item, "title")).unwrap_or_default();
        Some(Resource {
            name: name(item, "name", NAME).unwrap_or(&uri).to_owned(),
            description: cut(about, DESCRIPTION),
            mime_type: name(item, "mimeType", 100).map(str::to_owned),
            uri,
        })
    };
    items.iter().filter_map(resource).take(MOST_RESOURCES).collect()
}

impl Offer {
    /// The prompt behind a command.
    pub fn prompt(&self, command: &str) -> Option<&Prompt> {
        self.prompts.iter().find(|prompt| prompt.command == command)
    }
}

/// Whether `written` names the server, as it is configured or as its tools are named.
pub fn names_server(written: &str, server: &str) -> bool {
    written == server || server_key(written) == server_key(server)
}

/// Nobody reads hundreds of lines.
fn shortened(mut notes: Vec<String>) -> Vec<String> {
    const SHOWN: usize = 20;
    if notes.len() > SHOWN {
        let more = notes.len() - SHOWN;
        notes.truncate(SHOWN);
        notes.push(format!("{more} more tools were left out."));
    }
    notes
}
