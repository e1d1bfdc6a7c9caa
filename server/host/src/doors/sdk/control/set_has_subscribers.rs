//! `set_has_subscribers`: whether anybody watches. Lines are never held back here, so nothing changes;
//! the answer is empty, as hosts expect it.

use serde_json::{Value, json};

use super::Answer;

pub(super) fn handle(request: &Value) -> Answer {
    match request.get("has_subscribers") {
        Some(Value::Bool(_) | Value::Null) => Ok(json!({})),
        _ => Err("This request needs `has_subscribers`: true, false or null.".to_owned()),
    }
}
