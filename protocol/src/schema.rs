//! The whole contract as one JSON Schema document, built from the types.
//!
//! Beside `$defs` it carries an index of `methods`, of `events` and of the `negotiation` objects,
//! so that a generator needs nothing else.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::method::{MethodInfo, methods};
use crate::negotiation::{ClientCapabilities, ServerCapabilities};
use crate::{EventBody, VERSION};

/// One JSON Schema document for everything on the wire: `$defs`, and an index of `methods`
/// (direction, kind, params, result), `events` and `negotiation`.
///
/// It describes what a careful sender writes: an optional field is absent rather than null.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let methods: Map<String, Value> = methods()
        .iter()
        .map(|info| (info.method.to_owned(), method_entry(info, &mut generator)))
        .collect();
    let client = generator.subschema_for::<ClientCapabilities>();
    let server = generator.subschema_for::<ServerCapabilities>();
    let body = generator.subschema_for::<EventBody>();
    let mut definitions = Value::Object(generator.take_definitions(true));
    drop_null_of_optional(&mut definitions);
    let mut document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Bowline wire contract",
        "version": VERSION,
        "methods": methods,
        "events": events(&definitions),
        "eventBody": body,
        "negotiation": { "client": client, "server": server },
        "$defs": definitions,
    });
    // The order must not depend on which features of serde_json another crate switched on.
    document.sort_all_objects();
    document
}

fn method_entry(info: &MethodInfo, generator: &mut SchemaGenerator) -> Value {
    let mut entry = json!({
        "kind": info.kind.as_str(),
        "direction": info.direction.as_str(),
        "description": text(info.doc),
        "params": (info.params)(generator),
    });
    if let Some(result) = info.result {
        entry["result"] = result(generator).to_value();
    }
    entry
}

/// Event name → reference to its definition, read back from the union so that it cannot drift.
fn events(definitions: &Value) -> Map<String, Value> {
    let variants = definitions["EventBody"]["anyOf"].as_array().cloned().unwrap_or_default();
    let named = variants.into_iter().filter_map(|reference| {
        let target = reference["$ref"].as_str()?.strip_prefix("#/$defs/")?;
        let name = definitions[target]["properties"]["type"]["const"].as_str()?;
        Some((name.to_owned(), reference))
    });
    named.collect()
}

/// Schemars says "or null" for every `Option`; an optional field of ours is absent instead.
fn drop_null_of_optional(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(drop_null_of_optional),
        Value::Object(object) => {
            let required = object.get("required").cloned().unwrap_or_default();
            let is_required = |name: &str| {
                required.as_array().is_some_and(|names| names.iter().any(|n| n == name))
            };
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                for (name, property) in properties.iter_mut() {
                    if !is_required(name) {
                        drop_null(property);
                    }
                }
            }
            object.values_mut().for_each(drop_null_of_optional);
        }
        _ => {}
    }
}

fn drop_null(property: &mut Value) {
    let Value::Object(object) = property else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            object.remove("anyOf");
            object.extend(only);
        }
    }
}

/// The lines of a doc comment as one text.
fn text(doc: &[&str]) -> String {
    let lines: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
    lines.join("\n").trim().to_owned()
}

/// The schema of a string enum that is open.
pub(crate) fn open_enum(doc: &[&str], values: &[(&str, &[&str])]) -> Schema {
    let mut choices: Vec<Value> = values
        .iter()
        .map(|(value, doc)| json!({ "const": value, "description": text(doc) }))
        .collect();
    choices.push(json!({ "type": "string", "description": "A value of a later version." }));
    json_schema!({ "description": text(doc), "anyOf": choices })
}

/// The schema of a tagged union that is open.
pub(crate) fn open_union(doc: &[&str], tag: &str, variants: Vec<Schema>) -> Schema {
    let mut choices: Vec<Value> = variants.into_iter().map(Schema::to_value).collect();
    choices.push(json!({
        "type": "object",
        "description": "A shape of a later version.",
        "properties": { tag: { "type": "string" } },
        "required": [tag],
    }));
    json_schema!({ "description": text(doc), "anyOf": choices })
}

/// Adds the tag to the schema of a variant's struct.
pub(crate) fn with_tag(tag: &'static str, name: &'static str) -> impl FnMut(&mut Schema) {
    move |schema| {
        let object = schema.ensure_object();
        object.entry("properties").or_insert_with(|| json!({}))[tag] = json!({ "const": name });
        let required = object.entry("required").or_insert_with(|| json!([]));
        if let Some(names) = required.as_array_mut() {
            names.insert(0, Value::from(tag));
        }
    }
}
