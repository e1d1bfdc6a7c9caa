//! The JSON of OTLP.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A span that ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Span {
    pub(super) name: &'static str,
    /// Hexadecimal, as the two below.
    pub(super) trace: String,
    pub(super) id: String,
    pub(super) parent: Option<String>,
    /// Nanoseconds since 1970.
    pub(super) began: u64,
    pub(super) ended: u64,
    pub(super) fields: BTreeMap<&'static str, Value>,
}

pub(super) fn traces(resource: &[(String, String)], spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({ "resourceSpans": [{
        "resource": self::resource(resource),
        "scopeSpans": [{ "scope": { "name": "bowline" }, "spans": spans }],
    }]})
}

fn span(span: &Span) -> Value {
    let failed = span.fields.get("status").and_then(Value::as_str) == Some("failed");
    let attributes = span.fields.iter().map(|(name, value)| attribute(name, value));
    json!({
        "traceId": span.trace,
        "spanId": span.id,
        "parentSpanId": span.parent.as_deref().unwrap_or_default(),
        "name": format!("bowline.{}", span.name),
        // Work of our own, and not a call of or to somebody.
        "kind": 1,
        "startTimeUnixNano": span.began.to_string(),
        "endTimeUnixNano": span.ended.to_string(),
        "attributes": attributes.collect::<Vec<_>>(),
        "status": if failed { json!({ "code": 2 }) } else { json!({}) },
    })
}

pub(super) fn resource(attributes: &[(String, String)]) -> Value {
    let attributes = attributes.iter().map(|(name, value)| attribute(name, &json!(value)));
    json!({ "attributes": attributes.collect::<Vec<_>>() })
}

pub(super) fn attribute(name: &str, value: &Value) -> Value {
    let value = match value {
        Value::Bool(value) => json!({ "boolValue": value }),
        // Whole numbers are written as texts, because JSON has none of 64 bits.
        Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        Value::String(text) => json!({ "stringValue": text }),
        other => json!({ "stringValue": other.to_string() }),
    };
    json!({ "key": name, "value": value })
}
