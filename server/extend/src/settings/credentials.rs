//! `sandbox.credentials`: files and variables that hold secrets, which no command may see.
//!
//! Whatever is asked to be masked is hidden altogether: commands get neither the secret nor a
//! stand-in for it. Nothing is ever put back into a request on its way out.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;

use super::parse::{CONSEQUENCE, Located, Reader, at};

pub(super) const FILES: &str = "sandbox.credentials.files";
pub(super) const VARIABLES: &str = "sandbox.credentials.envVars";

pub(super) fn read(reader: &mut Reader<'_>, credentials: &Object<'_>) {
    for property in &credentials.properties {
        match property.name.as_str() {
            "files" => list(reader, FILES, "path", &property.value),
            "envVars" => list(reader, VARIABLES, "name", &property.value),
            "allowPlaintextInject" if is_false(&property.value) => {}
            "allowPlaintextInject" | "awsPairs" | "sigv4" => not_done(reader, property),
            other => {
                let other = other.escape_debug();
                let message = format!(
                    "`sandbox.credentials` has no `{other}`; write `files` or `envVars`, \
                     {CONSEQUENCE}."
                );
                reader.broken(property.start(), message);
            }
        }
    }
}

fn is_false(value: &Value<'_>) -> bool {
    matches!(value, Value::BooleanLit(flag) if !flag.value)
}

fn not_done(reader: &mut Reader<'_>, property: &ObjectProp<'_>) {
    let message = format!(
        "`sandbox.credentials.{}` is not done here: secrets are hidden from commands and never put \
         back; remove it.",
        property.name.as_str()
    );
    reader.problem(property.start(), message);
}

/// A list of objects that name a thing each.
fn list(reader: &mut Reader<'_>, path: &'static str, key: &str, value: &Value<'_>) {
    let Value::Array(array) = value else {
        return reader.wrong_type(path, value, "a list of objects");
    };
    let mut found = Vec::new();
    for element in &array.elements {
        let Value::Object(entry) = element else {
            reader.wrong_type(path, element, "a list of nothing but objects");
            continue;
        };
        match entry.get(key).map(|property| &property.value) {
            Some(Value::StringLit(text)) if !text.value.trim().is_empty() => {
                let at = at(reader.text, text.start());
                found.push(Located { at, value: text.value.to_string() });
                mode(reader, path, entry);
            }
            _ => {
                let message =
                    format!("An entry of `{path}` needs a string `{key}`, {CONSEQUENCE}.");
                reader.broken(element.start(), message);
            }
        }
    }
    reader.parsed.lists.insert(path, found);
}

/// Whatever the mode, the thing is hidden; whoever wanted a stand-in has to know.
fn mode(reader: &mut Reader<'_>, path: &str, entry: &Object<'_>) {
    let Some(mode) = entry.get("mode").map(|property| &property.value) else { return };
    match mode {
        Value::StringLit(mode) if mode.value == "deny" => {}
        Value::StringLit(text) if text.value == "mask" => {
            let message = format!(
                "`{path}` cannot be masked here, so commands do not see it at all; write \
                 \"mode\": \"deny\"."
            );
            reader.problem(mode.start(), message);
        }
        other => reader.wrong_type(&format!("{path}.mode"), other, "\"deny\" or \"mask\""),
    }
}
