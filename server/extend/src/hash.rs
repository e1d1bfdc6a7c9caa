//! What a definition amounts to, as a short text that changes with it.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The hash of a value of some kind. The order in which keys were written does not count.
pub(crate) fn of(kind: &str, value: &Value) -> String {
    let mut text = format!("{kind}\n");
    write(value, &mut text);
    of_bytes(text.as_bytes())
}

pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let mut text = String::from("sha256:");
    text.extend(
        digest
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .map(|nibble| char::from_digit(u32::from(nibble), 16).unwrap_or('0')),
    );
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => {
            let mut pairs: Vec<_> = object.iter().collect();
            pairs.sort_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (name, value) in pairs {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(list) => {
            text.push('[');
            for value in list {
                write(value, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_order_of_keys_does_not_count_and_everything_else_does() {
        let check = |a: Value, b: Value, same: bool| {
            assert_eq!(of("x", &a) == of("x", &b), same, "{a} {b}");
        };
        check(json!({"a": 1, "b": [2]}), json!({"b": [2], "a": 1}), true);
        check(json!({"a": {"c": 1, "d": 2}}), json!({"a": {"d": 2, "c": 1}}), true);
        check(json!(["a", "b"]), json!(["b", "a"]), false);
        check(json!(["a,b"]), json!(["a", "b"]), false);
        check(json!({"a": "1"}), json!({"a": 1}), false);
        check(json!({"a": null}), json!({}), false);
        assert_ne!(of("x", &json!(1)), of("y", &json!(1)));
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of_bytes(b""), empty);
    }
}
