//! The committed schema and client types are those of the crate; `BOWLINE_BLESS=1` rewrites them.
#![expect(clippy::disallowed_methods, reason = "compares committed files, and writes them anew")]

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use crate::generate::{lua, typescript};
use crate::{EventBody, methods, schema};

/// `text` is what the file in `schema/` must hold.
fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    if env::var_os("BOWLINE_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    // A checkout may have its own line endings.
    let committed = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == text,
        "protocol/schema/{name} is stale: run BOWLINE_BLESS=1 cargo test -p protocol"
    );
}

#[test]
fn committed_files_are_up_to_date() {
    let schema = schema();
    let mut document = schema.clone();
    document["$comment"] = "Generated, do not edit: BOWLINE_BLESS=1 cargo test -p protocol".into();
    document.sort_all_objects();
    check("bowline.schema.json", &(serde_json::to_string_pretty(&document).unwrap() + "\n"));
    check("bowline.d.ts", &typescript(&schema));
    check("bowline.lua", &lua(&schema));
}

#[test]
fn every_method_and_event_is_in_the_schema() {
    let schema = schema();
    let names = |part: &str| -> BTreeSet<String> {
        schema[part].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(names("methods"), methods().iter().map(|info| info.method.to_owned()).collect());
    assert_eq!(names("methods").len(), methods().len(), "a method is declared twice");
    assert_eq!(names("events"), EventBody::NAMES.iter().map(|&name| name.to_owned()).collect());
}

/// Two types of one name would get a number from schemars, and clients an ugly type.
#[test]
fn every_reference_has_a_definition_and_every_definition_a_name_of_its_own() {
    fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str));
                object.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let schema = schema();
    let mut found = BTreeSet::new();
    references(&schema, &mut found);
    let defined: BTreeSet<String> =
        schema["$defs"].as_object().unwrap().keys().map(|name| format!("#/$defs/{name}")).collect();
    assert_eq!(found.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>(), defined);
    assert!(defined.iter().all(|name| !name.ends_with(|c: char| c.is_ascii_digit())));
}

#[test]
fn every_definition_and_every_field_is_described() {
    let schema = schema();
    let mut bare = Vec::new();
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        if definition["description"].as_str().is_none_or(str::is_empty) {
            bare.push(name.clone());
        }
        for (field, property) in definition["properties"].as_object().into_iter().flatten() {
            if property["description"].as_str().is_none_or(str::is_empty)
                && property.get("const").is_none()
            {
                bare.push(format!("{name}.{field}"));
            }
        }
    }
    assert_eq!(bare, Vec::<String>::new());
}
