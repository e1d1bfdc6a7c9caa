//! Whether a tool's schema can be sent to a provider. One that cannot makes it refuse the whole
//! request, with the tools of everybody else in it.

use serde_json::{Map, Value, json};

/// Deeper than any honest schema.
const DEEPEST: usize = 32;
/// What the Messages API takes as the name of a property.
const PROPERTY: usize = 64;

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
/// Not taken at the top of a schema; without them it says less, and the server still checks.
const NOT_ON_TOP: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// The schema as it is sent. The error is the middle of a sentence. Nothing is ever fetched for it:
/// a reference to somewhere else is an error.
pub(super) fn check(schema: &Value) -> Result<Value, &'static str> {
    let Value::Object(schema) = schema else { return Err("it is no object") };
    let mut schema = schema.clone();
    schema.remove("$schema");
    schema.remove("$id");
    NOT_ON_TOP.iter().for_each(|key| drop(schema.remove(*key)));
    match schema.get("type") {
        None => drop(schema.insert("type".to_owned(), json!("object"))),
        Some(Value::String(kind)) if kind == "object" => {}
        Some(_) => return Err("it does not describe an object"),
    }
    if !schema.contains_key("properties") {
        schema.insert("properties".to_owned(), json!({}));
    }
    object(&schema, DEEPEST)?;
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let good =
            |name: &String| !name.is_empty() && name.len() <= PROPERTY && name.chars().all(fits);
        if !properties.keys().all(good) {
            return Err("a property has a name that models cannot use");
        }
    }
    Ok(Value::Object(schema))
}

fn any(schema: &Value, left: usize) -> Result<(), &'static str> {
    match schema {
        Value::Bool(_) => Ok(()),
        Value::Object(schema) => object(schema, left),
        _ => Err("a part of it is neither an object nor a yes or no"),
    }
}

fn object(schema: &Map<String, Value>, left: usize) -> Result<(), &'static str> {
    let Some(left) = left.checked_sub(1) else { return Err("it is nested too deeply") };
    for (key, value) in schema {
        match key.as_str() {
            "type" => types(value)?,
            "$ref" => {
                let inside = value.as_str().is_some_and(|target| target.starts_with('#'));
                inside.then_some(()).ok_or("it refers to something outside of itself")?;
            }
            "properties" | "$defs" | "definitions" | "patternProperties" => {
                let parts = value.as_object().ok_or("its properties are no object")?;
                parts.values().try_for_each(|part| any(part, left))?;
            }
            "items" => match value {
                Value::Array(parts) => parts.iter().try_for_each(|part| any(part, left))?,
                part => any(part, left)?,
            },
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let parts = value.as_array().ok_or("a choice in it is no list")?;
                parts.iter().try_for_each(|part| any(part, left))?;
            }
            "additionalProperties" | "not" | "if" | "then" | "else" | "contains" => {
                any(value, left)?;
            }
            "required" => {
                let names = value.as_array().ok_or("`required` is no list")?;
                names.iter().all(Value::is_string).then_some(()).ok_or("`required` is no list")?;
            }
            "enum" => value.is_array().then_some(()).ok_or("`enum` is no list")?,
            _ => {}
        }
    }
    Ok(())
}

fn types(value: &Value) -> Result<(), &'static str> {
    let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    let fine = match value {
        Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(known),
        kind => known(kind),
    };
    fine.then_some(()).ok_or("it names a type that there is not")
}
