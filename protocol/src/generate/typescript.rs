//! TypeScript: an interface or a type for each definition, and maps of methods and events.

use serde_json::Value;

use super::{HEADER, Shape, description, entries, fields, target};

/// TypeScript declarations for a document of [`crate::schema()`].
pub fn typescript(schema: &Value) -> String {
    let mut out = format!(
        "// {HEADER}\n//\n\
         // Enums are open and unions list what this version knows: keep a default branch.\n"
    );
    for (name, definition) in entries(&schema["$defs"]) {
        out.push('\n');
        declare(&mut out, name, definition);
    }
    out.push_str("\n/** Event type → what its event carries beside the header. */\n");
    out.push_str("export interface Events {\n");
    for (name, event) in entries(&schema["events"]) {
        out.push_str(&format!("  {name:?}: {};\n", expression(&Shape::of(event))));
    }
    out.push_str("}\n\n/** Method → who sends it, what is sent and what is answered. */\n");
    out.push_str("export interface Methods {\n");
    for (name, method) in entries(&schema["methods"]) {
        declare_method(&mut out, name, method);
    }
    out.push_str("}\n");
    out
}

fn declare(out: &mut String, name: &str, definition: &Value) {
    comment(out, "", description(definition));
    if definition.get("properties").is_none() {
        let meaning = expression(&Shape::of(definition));
        out.push_str(&format!("export type {name} = {meaning};\n"));
        return;
    }
    // A struct whose other fields come from a union cannot be an interface.
    let unions = definition["allOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let head = if unions.is_empty() { "interface" } else { "type" };
    let equals = if unions.is_empty() { "" } else { "= " };
    out.push_str(&format!("export {head} {name} {equals}{{\n"));
    for field in fields(definition) {
        comment(out, "  ", description(field.schema));
        let mark = if field.optional { "?" } else { "" };
        let meaning = expression(&Shape::of(field.schema));
        out.push_str(&format!("  {}{mark}: {meaning};\n", field.name));
    }
    out.push('}');
    for union in unions.iter().filter_map(target) {
        out.push_str(&format!(" & {union}"));
    }
    out.push_str(if unions.is_empty() { "\n" } else { ";\n" });
}

fn declare_method(out: &mut String, name: &str, method: &Value) {
    comment(out, "  ", description(method));
    let params = expression(&Shape::of(&method["params"]));
    out.push_str(&format!(
        "  {name:?}: {{ direction: {}; kind: {}; params: {params}",
        method["direction"], method["kind"],
    ));
    if let Some(result) = method.get("result") {
        out.push_str(&format!("; result: {}", expression(&Shape::of(result))));
    }
    out.push_str(" };\n");
}

fn expression(shape: &Shape<'_>) -> String {
    match shape {
        Shape::Any => "unknown".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Integer | Shape::Number => "number".to_owned(),
        Shape::String => "string".to_owned(),
        Shape::Literal(text) => format!("{text:?}"),
        Shape::Named(name) => (*name).to_owned(),
        Shape::List(items) => match Shape::of(items) {
            inner @ Shape::OneOf(_) => format!("({})[]", expression(&inner)),
            inner => format!("{}[]", expression(&inner)),
        },
        Shape::Dictionary(values) => format!("Record<string, {}>", expression(&Shape::of(values))),
        Shape::Object => "Record<string, never>".to_owned(),
        Shape::OneOf(choices) => one_of(choices),
    }
}

fn one_of(choices: &[Shape<'_>]) -> String {
    let open = choices.iter().any(|choice| matches!(choice, Shape::Literal(_)));
    let written = choices.iter().map(|choice| match choice {
        // Plain `string` would swallow the literals, and an editor could not propose them.
        Shape::String if open => "(string & {})".to_owned(),
        other => expression(other),
    });
    written.collect::<Vec<_>>().join(" | ")
}

fn comment(out: &mut String, indent: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    match lines.as_slice() {
        [line] => out.push_str(&format!("{indent}/** {line} */\n")),
        lines => {
            out.push_str(&format!("{indent}/**\n"));
            for line in lines {
                out.push_str(format!("{indent} * {line}").trim_end());
                out.push('\n');
            }
            out.push_str(&format!("{indent} */\n"));
        }
    }
}
