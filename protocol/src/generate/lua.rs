//! Lua: annotations of the Lua language server, one class or alias for each definition.

use serde_json::Value;

use super::{HEADER, Shape, description, entries, fields, target};

/// Annotations of the Lua language server for a document of [`crate::schema()`].
///
/// Null and absent are both nil in Lua, so both are written as optional.
pub fn lua(schema: &Value) -> String {
    let mut out = format!("---@meta bowline\n-- {HEADER}\n");
    for (name, definition) in entries(&schema["$defs"]) {
        out.push('\n');
        declare(&mut out, name, definition, &schema["$defs"]);
    }
    out.push_str("\n--- Method → what is sent and what is answered.\n---@class bowline.Methods\n");
    for (name, method) in entries(&schema["methods"]) {
        let params = expression(&Shape::of(&method["params"]));
        let result = match method.get("result") {
            Some(result) => format!(", result: {}", expression(&Shape::of(result))),
            None => String::new(),
        };
        let text = one_line(description(method));
        out.push_str(&format!("---@field [{name:?}] {{params: {params}{result}}} {text}\n"));
    }
    out
}

fn declare(out: &mut String, name: &str, definition: &Value, all: &Value) {
    for line in description(definition).lines() {
        out.push_str(format!("--- {line}").trim_end());
        out.push('\n');
    }
    if definition.get("anyOf").is_some() {
        return alias(out, name, definition);
    }
    let parent = match parent(name, all) {
        Some(parent) => format!(": bowline.{parent}"),
        None => String::new(),
    };
    out.push_str(&format!("---@class bowline.{name}{parent}\n"));
    for field in fields(definition) {
        let shape = Shape::of(field.schema);
        let mark = if field.optional || is_nullable(&shape) { "?" } else { "" };
        let text = one_line(description(field.schema));
        let line = format!("---@field {}{mark} {} {text}", field.name, expression(&shape));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn alias(out: &mut String, name: &str, definition: &Value) {
    out.push_str(&format!("---@alias bowline.{name}\n"));
    for choice in definition["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default() {
        // A shape "of a later version" has no name.
        if choice.get("properties").is_some() {
            continue;
        }
        let text = one_line(description(choice));
        let note = if text.is_empty() { String::new() } else { format!(" # {text}") };
        out.push_str(&format!("---| {}{note}\n", expression(&Shape::of(choice))));
    }
}

/// The class whose `allOf` names a union that has this definition: an event's body is an event.
fn parent<'a>(name: &str, all: &'a Value) -> Option<&'a str> {
    let (parent, _) = entries(all).find(|(_, definition)| {
        let unions = definition["allOf"].as_array().into_iter().flatten().filter_map(target);
        let mut variants =
            unions.flat_map(|union| all[union]["anyOf"].as_array().into_iter().flatten());
        variants.any(|variant| target(variant) == Some(name))
    })?;
    Some(parent)
}

fn is_nullable(shape: &Shape<'_>) -> bool {
    match shape {
        Shape::OneOf(choices) => choices.iter().any(is_nullable),
        Shape::Null => true,
        _ => false,
    }
}

fn expression(shape: &Shape<'_>) -> String {
    match shape {
        Shape::Any => "any".to_owned(),
        Shape::Null => "nil".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Integer => "integer".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::String => "string".to_owned(),
        Shape::Literal(text) => format!("{text:?}"),
        Shape::Named(name) => format!("bowline.{name}"),
        Shape::List(items) => match Shape::of(items) {
            inner @ Shape::OneOf(_) => format!("({})[]", expression(&inner)),
            inner => format!("{}[]", expression(&inner)),
        },
        Shape::Dictionary(values) => format!("table<string, {}>", expression(&Shape::of(values))),
        Shape::Object => "table".to_owned(),
        Shape::OneOf(choices) => choices.iter().map(expression).collect::<Vec<_>>().join("|"),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
