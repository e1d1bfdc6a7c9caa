//! JSON Schema, as far as people use it to shape an answer. A word that would constrain the answer
//! and is not known here makes the schema unusable, rather than being overlooked.

use regex::Regex;
use serde_json::{Map, Value};

/// References may go in circles.
const DEEPEST: usize = 64;

const NOT_KNOWN: &[&str] = &[
    "if",
    "then",
    "else",
    "contains",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
];

const TYPES: &[&str] = &["object", "array", "string", "number", "integer", "boolean", "null"];

/// Whether a schema can be used at all.
pub(super) fn check_schema(schema: &Value) -> Result<(), String> {
    match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(schema) => check_object(schema)?,
        other => return Err(format!("{other} is no schema")),
    }
    for key in ["properties", "$defs", "definitions"] {
        let mut schemas = schema.get(key).and_then(Value::as_object).into_iter().flatten();
        schemas.try_for_each(|(_, schema)| check_schema(schema))?;
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        let mut schemas = schema.get(key).and_then(Value::as_array).into_iter().flatten();
        schemas.try_for_each(check_schema)?;
    }
    let inner = ["items", "additionalProperties", "not"].into_iter();
    inner.filter_map(|key| schema.get(key)).try_for_each(check_schema)
}

fn check_object(schema: &Map<String, Value>) -> Result<(), String> {
    if let Some(key) = NOT_KNOWN.iter().find(|key| schema.contains_key(**key)) {
        return Err(format!("`{key}` is not known"));
    }
    if let Some(kinds) = schema.get("type") {
        let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
        let fine = kinds.as_array().map_or_else(|| known(kinds), |kinds| kinds.iter().all(known));
        if !fine {
            return Err(format!("there is no type {kinds}"));
        }
    }
    if let Some(reference) = schema.get("$ref")
        && !reference.as_str().is_some_and(|reference| reference.starts_with('#'))
    {
        return Err(format!("{reference} does not refer to a part of the schema itself"));
    }
    match schema.get("pattern").and_then(Value::as_str).map(Regex::new) {
        Some(Err(error)) => Err(format!("a pattern cannot be used ({error})")),
        _ => Ok(()),
    }
}

/// One look at a value, with what is needed to follow references.
pub(super) struct Look<'a> {
    root: &'a Value,
    depth: usize,
}

impl<'a> Look<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root, depth: 0 }
    }

    /// What is wrong with a value, and where.
    pub(super) fn at(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let wrong = |what: String| Err(format!("{}: {what}", name(place)));
        let schema = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Object(schema) if self.depth < DEEPEST => schema,
            Value::Object(_) => return wrong("the schema goes in circles".to_owned()),
            _ => return wrong("nothing is allowed here".to_owned()),
        };
        let inside = Self { root: self.root, depth: self.depth + 1 };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let pointer = reference.trim_start_matches('#');
            match self.root.pointer(pointer) {
                Some(target) => inside.at(target, value, place)?,
                None => return wrong(format!("the schema has nothing at {reference}")),
            }
        }
        if let Some(kinds) = schema.get("type") {
            let one = |kind: &Value| kind.as_str().is_some_and(|kind| is_type(value, kind));
            if !kinds.as_array().map_or_else(|| one(kinds), |kinds| kinds.iter().any(one)) {
                return wrong(format!("it must be {kinds}"));
            }
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array)
            && !choices.iter().any(|choice| same(choice, value))
        {
            return wrong(format!("it must be one of {}", schema["enum"]));
        }
        if let Some(only) = schema.get("const").filter(|only| !same(only, value)) {
            return wrong(format!("it must be {only}"));
        }
        inside.combined(schema, value, place)?;
        match value {
            Value::Object(object) => inside.object(schema, object, place),
            Value::Array(items) => inside.array(schema, items, place),
            Value::String(text) => string(schema, text).or_else(wrong),
            Value::Number(_) => number(schema, value).or_else(wrong),
            _ => Ok(()),
        }
    }

    fn combined(
        &self,
        schema: &Map<String, Value>,
        value: &Value,
        place: &str,
    ) -> Result<(), String> {
        let list = |key: &str| schema.get(key).and_then(Value::as_array);
        let fit = |schemas: &Vec<Value>| {
            schemas.iter().filter(|schema| self.at(schema, value, place).is_ok()).count()
        };
        for schema in list("allOf").into_iter().flatten() {
            self.at(schema, value, place)?;
        }
        if list("anyOf").is_some_and(|schemas| fit(schemas) == 0) {
            return Err(format!("{}: it fits none of `anyOf`", name(place)));
        }
        if let Some(count) = list("oneOf").map(fit).filter(|count| *count != 1) {
            return Err(format!("{}: it fits {count} of `oneOf`, not one", name(place)));
        }
        match schema.get("not") {
            Some(not) if self.at(not, value, place).is_ok() => {
                Err(format!("{}: it must not fit {not}", name(place)))
            }
            _ => Ok(()),
        }
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        object: &Map<String, Value>,
        place: &str,
    ) -> Result<(), String> {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            if !object.contains_key(key) {
                return Err(format!("{}: \"{key}\" is missing", name(place)));
            }
        }
        within(schema, "Properties", object.len())
            .map_err(|what| format!("{}: {what}", name(place)))?;
        let known = schema.get("properties").and_then(Value::as_object);
        for (key, value) in object {
            let place = format!("{place}/{key}");
            match known.and_then(|known| known.get(key)).or(schema.get("additionalProperties")) {
                Some(Value::Bool(false)) => return Err(format!("{place}: it is not known")),
                Some(schema) => self.at(schema, value, &place)?,
                None => {}
            }
        }
        Ok(())
    }

    fn array(
        &self,
        schema: &Map<String, Value>,
        items: &[Value],
        place: &str,
    ) -> Result<(), String> {
        within(schema, "Items", items.len()).map_err(|what| format!("{}: {what}", name(place)))?;
        let twice = |at: usize| items[..at].iter().any(|other| same(other, &items[at]));
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) && (0..items.len()).any(twice) {
            return Err(format!("{}: an item is there twice", name(place)));
        }
        let first = schema.get("prefixItems").and_then(Value::as_array);
        for (at, item) in items.iter().enumerate() {
            if let Some(schema) = first.and_then(|first| first.get(at)).or(schema.get("items")) {
                self.at(schema, item, &format!("{place}/{at}"))?;
            }
        }
        Ok(())
    }
}

fn name(place: &str) -> &str {
    if place.is_empty() { "the answer" } else { place }
}

fn is_type(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    }
}

/// `1` and `1.0` are the same number.
fn same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && one.as_f64() == other.as_f64())
}

fn within(schema: &Map<String, Value>, what: &str, size: usize) -> Result<(), String> {
    let limit = |side: &str| schema.get(&format!("{side}{what}")).and_then(Value::as_u64);
    let size = size as u64;
    match (limit("min"), limit("max")) {
        (Some(min), _) if size < min => Err(format!("it must have at least {min} of its parts")),
        (_, Some(max)) if size > max => Err(format!("it must have at most {max} of its parts")),
        _ => Ok(()),
    }
}

fn string(schema: &Map<String, Value>, text: &str) -> Result<(), String> {
    within(schema, "Length", text.chars().count())?;
    let pattern = schema.get("pattern").and_then(Value::as_str);
    match pattern.and_then(|pattern| Regex::new(pattern).ok()) {
        Some(regex) if !regex.is_match(text) => Err(format!("it must match {regex}")),
        _ => Ok(()),
    }
}

fn number(schema: &Map<String, Value>, value: &Value) -> Result<(), String> {
    let Some(number) = value.as_f64() else { return Ok(()) };
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let outside = limit("minimum").is_some_and(|min| number < min)
        || limit("maximum").is_some_and(|max| number > max)
        || limit("exclusiveMinimum").is_some_and(|min| number <= min)
        || limit("exclusiveMaximum").is_some_and(|max| number >= max);
    if outside {
        return Err("it is not within its limits".to_owned());
    }
    match limit("multipleOf") {
        Some(step) if step > 0.0 && ((number / step).round() - number / step).abs() > 1e-9 => {
            Err(format!("it must be a multiple of {step}"))
        }
        _ => Ok(()),
    }
}
