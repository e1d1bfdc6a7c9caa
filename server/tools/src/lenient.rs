//! Inputs as models write them: numbers in quotes, lists as text, fields that nobody asked for.

use serde_json::{Map, Value};

/// Takes out what no model may set: names that begin with `_` are for our own use.
pub(crate) fn strip(input: &mut Value) {
    match input {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.starts_with('_'));
            fields.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Takes out what a schema does not speak of. `others` are names it does not tell.
pub(crate) fn keep_known(input: &mut Value, schema: &Value, others: &[&str]) {
    let known = |name: &str| schema["properties"].get(name).is_some() || others.contains(&name);
    if let Some(fields) = input.as_object_mut() {
        fields.retain(|name, _| known(name));
    }
}

/// The input with values turned into what the schema wants, where that is beyond doubt.
pub(crate) fn mend(input: &Value, schema: &Value) -> Value {
    let Some(fields) = input.as_object() else { return input.clone() };
    let mended = fields.iter().map(|(name, value)| {
        let wanted = &schema["properties"][name.as_str()];
        (name.clone(), as_wanted(value, wanted))
    });
    Value::Object(mended.collect::<Map<_, _>>())
}

fn as_wanted(value: &Value, schema: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    if wants(schema, "string") {
        return value.clone();
    }
    let text = text.trim();
    let read: Option<Value> = serde_json::from_str(&text.to_ascii_lowercase()).ok();
    let read = read.filter(|read| match read {
        Value::Bool(_) => wants(schema, "boolean"),
        Value::Number(number) => {
            wants(schema, "number") || (wants(schema, "integer") && !number.is_f64())
        }
        Value::Null => wants(schema, "null"),
        _ => false,
    });
    let parsed = || {
        let parsed: Value = serde_json::from_str(text).ok()?;
        let fits = (parsed.is_array() && wants(schema, "array"))
            || (parsed.is_object() && (wants(schema, "object") || schema.get("$ref").is_some()));
        fits.then_some(parsed)
    };
    read.or_else(parsed).unwrap_or_else(|| value.clone())
}

fn wants(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ => false,
    }
}

/// What a tool takes, for a model that got it wrong: `It takes: a (needed), b.`
pub(crate) fn fields(schema: &Value) -> String {
    let needed = |name: &str| {
        schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
    };
    let names = schema["properties"].as_object().into_iter().flat_map(Map::keys);
    let shown: Vec<String> = names
        .map(|name| if needed(name) { format!("{name} (needed)") } else { name.clone() })
        .collect();
    match shown.is_empty() {
        true => "It takes nothing.".to_owned(),
        false => format!("It takes: {}.", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_become_what_is_wanted() {
        let schema = json!({ "properties": {
            "n": { "type": ["integer", "null"] }, "b": { "type": "boolean" },
            "s": { "type": "string" }, "l": { "type": "array" }, "f": { "type": "number" },
        }});
        let check = |input: Value, expect: Value| assert_eq!(mend(&input, &schema), expect);
        check(json!({ "n": "42" }), json!({ "n": 42 }));
        check(json!({ "n": "null" }), json!({ "n": null }));
        check(json!({ "n": "4.5" }), json!({ "n": "4.5" }));
        check(json!({ "f": " 4.5 " }), json!({ "f": 4.5 }));
        check(json!({ "b": "True" }), json!({ "b": true }));
        check(json!({ "b": "yes" }), json!({ "b": "yes" }));
        check(json!({ "s": "42" }), json!({ "s": "42" }));
        check(json!({ "l": "[1, \"A\"]" }), json!({ "l": [1, "A"] }));
        check(json!({ "other": "1" }), json!({ "other": "1" }));
        check(json!("text"), json!("text"));
    }

    #[test]
    fn what_nobody_asked_for_is_taken_out() {
        let check = |schema: Value, others: &[&str], expect: Value| {
            let mut input = json!({ "a": 1, "b": { "c": 2 } });
            keep_known(&mut input, &schema, others);
            assert_eq!(input, expect, "{schema}");
        };
        check(json!({ "properties": { "b": {} } }), &[], json!({ "b": { "c": 2 } }));
        check(json!({ "properties": { "b": {} } }), &["a"], json!({ "a": 1, "b": { "c": 2 } }));
        check(json!({}), &[], json!({}));
    }

    #[test]
    fn what_is_ours_is_taken_out() {
        let mut input = json!({ "_a": 1, "b": [{ "_c": 2, "d": 3 }] });
        strip(&mut input);
        assert_eq!(input, json!({ "b": [{ "d": 3 }] }));
    }
}
