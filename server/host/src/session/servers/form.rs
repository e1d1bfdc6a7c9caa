//! Forms of servers: a JSON schema of one flat object. What was filled in is completed with the
//! defaults, read as the types it should have, and checked before the server gets it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::session::AnswerSchema;

/// A box has room for few buttons.
const MOST_CHOICES: usize = 4;

/// What the server gets. The error is a sentence for whoever filled it in.
pub(super) fn complete(schema: &Value, filled: BTreeMap<String, Value>) -> Result<Value, String> {
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let mut content = Map::new();
    for (name, property) in &properties {
        let value = filled.get(name).filter(|value| !is_blank(value)).map(|it| typed(property, it));
        if let Some(value) = value.or_else(|| property.get("default").cloned()) {
            content.insert(name.clone(), value);
        }
    }
    let content = Value::Object(content);
    // A schema that we cannot read is the server's to check.
    let Ok(checker) = AnswerSchema::parse(&schema.to_string()) else { return Ok(content) };
    match checker.read(&content.to_string()) {
        Ok(_) => Ok(content),
        Err(why) => Err(format!("That does not fit: {why}.")),
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.is_empty())
}

/// Fields of a plain screen are texts.
fn typed(property: &Value, value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let read = match property["type"].as_str() {
        Some("integer") => text.trim().parse::<i64>().ok().map(Value::from),
        Some("number") => text.trim().parse::<f64>().ok().map(Value::from),
        Some("boolean") => text.trim().parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    read.unwrap_or_else(|| value.clone())
}

/// The field and what can be chosen, where there is one to be filled in and it is a choice.
pub(super) fn one_choice(schema: &Value) -> Option<(String, Vec<(String, Value)>)> {
    let properties = schema["properties"].as_object()?;
    let has_default = |(_, property): &(&String, &Value)| property.get("default").is_some();
    let mut open = properties.iter().filter(|field| !has_default(field));
    let (name, property) = open.next()?;
    if open.next().is_some() {
        return None;
    }
    let choices = choices(property)?;
    (choices.len() <= MOST_CHOICES).then(|| (name.clone(), choices))
}

fn choices(property: &Value) -> Option<Vec<(String, Value)>> {
    if property["type"] == "boolean" {
        return Some(vec![("Yes".to_owned(), true.into()), ("No".to_owned(), false.into())]);
    }
    let labelled = |value: &Value| Some((value.as_str()?.to_owned(), value.clone()));
    if let Some(values) = property["enum"].as_array() {
        return values.iter().map(labelled).collect();
    }
    let titled = |one: &Value| Some((one["title"].as_str()?.to_owned(), one.get("const")?.clone()));
    property["oneOf"].as_array()?.iter().map(titled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({ "type": "object", "properties": {
            "name": { "type": "string", "default": "Ann" },
            "age": { "type": "integer", "minimum": 1 },
            "colour": { "type": "string", "enum": ["red", "green"] },
        }, "required": ["age"] })
    }

    #[test]
    fn forms_are_completed_and_checked() {
        let check = |filled: Value, expect: Result<Value, &str>| {
            let filled = serde_json::from_value(filled).unwrap();
            match (complete(&schema(), filled), expect) {
                (Ok(given), Ok(expect)) => assert_eq!(given, expect),
                (Err(why), Err(expect)) => assert!(why.contains(expect), "{why}"),
                (given, expect) => panic!("{given:?} is not {expect:?}"),
            }
        };
        check(json!({ "age": 5 }), Ok(json!({ "name": "Ann", "age": 5 })));
        check(json!({ "age": "5", "name": "" }), Ok(json!({ "name": "Ann", "age": 5 })));
        check(json!({ "age": 5, "more": 1 }), Ok(json!({ "name": "Ann", "age": 5 })));
        check(json!({}), Err("age"));
        check(json!({ "age": 0 }), Err("age"));
        check(json!({ "age": 5, "colour": "blue" }), Err("colour"));
    }

    #[test]
    fn a_single_choice_goes_into_a_box() {
        assert_eq!(one_choice(&schema()), None);
        let sure = json!({ "properties": { "sure": { "type": "boolean" } } });
        assert_eq!(one_choice(&sure).unwrap().0, "sure");
        let named = json!({ "properties": { "a": { "oneOf": [{ "const": 1, "title": "One" }] } } });
        assert_eq!(one_choice(&named).unwrap().1, [("One".to_owned(), json!(1))]);
        assert_eq!(one_choice(&json!({ "properties": { "a": { "type": "string" } } })), None);
    }
}
