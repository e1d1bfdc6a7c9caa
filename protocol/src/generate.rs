//! Types for clients in other languages, made from the schema document and from nothing else.
//!
//! The document uses few of JSON Schema's words, so [`Shape`] reads it once and each language only
//! decides how a shape is written.

mod lua;
mod typescript;

use serde_json::{Map, Value};

pub use lua::lua;
pub use typescript::typescript;

/// The first line of every generated file.
const HEADER: &str =
    "Generated from the protocol crate, do not edit: BOWLINE_BLESS=1 cargo test -p protocol";

/// What a schema means for somebody who writes types.
enum Shape<'a> {
    /// Anything.
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// One literal string.
    Literal(&'a str),
    /// Another definition, by name.
    Named(&'a str),
    List(&'a Value),
    /// A map from strings.
    Dictionary(&'a Value),
    /// A struct.
    Object,
    /// One of several.
    OneOf(Vec<Shape<'a>>),
}

impl<'a> Shape<'a> {
    fn of(schema: &'a Value) -> Self {
        if let Some(name) = target(schema) {
            return Self::Named(name);
        }
        if let Some(text) = schema["const"].as_str() {
            return Self::Literal(text);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            // The shape "of a later version" has no name: types list what is known.
            let known = choices.iter().filter(|choice| choice.get("properties").is_none());
            return Self::OneOf(known.map(Self::of).collect());
        }
        match &schema["type"] {
            Value::String(name) => Self::of_type(name, schema),
            Value::Array(names) => {
                let names = names.iter().filter_map(Value::as_str);
                Self::OneOf(names.map(|name| Self::of_type(name, schema)).collect())
            }
            _ => Self::Any,
        }
    }

    fn of_type(name: &str, schema: &'a Value) -> Self {
        match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::List(&schema["items"]),
            "object" => match schema.get("additionalProperties") {
                Some(values) => Self::Dictionary(values),
                None => Self::Object,
            },
            _ => Self::Any,
        }
    }
}

/// The definition a schema refers to.
fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// One field of a struct.
struct Field<'a> {
    name: &'a str,
    optional: bool,
    schema: &'a Value,
}

fn fields(definition: &Value) -> impl Iterator<Item = Field<'_>> {
    let required = definition["required"].as_array();
    entries(&definition["properties"]).map(move |(name, schema)| Field {
        name,
        optional: !required.is_some_and(|names| names.iter().any(|required| required == name)),
        schema,
    })
}

/// The entries of an object; none when it is not one.
fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}
