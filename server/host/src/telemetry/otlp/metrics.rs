//! The sums we keep, made from spans that ended.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::wire::{self, Span};

/// A metric, and what tells its sums apart: pairs of a name and a value.
type Key = (&'static str, Vec<(&'static str, String)>);

#[derive(Clone, Debug, Default)]
pub(super) struct Metrics(BTreeMap<Key, f64>);

/// Each metric with its unit, and whether it counts whole things.
const METRICS: [(&str, &str, bool); 5] = [
    (SESSIONS, "1", true),
    (TOKENS, "tokens", true),
    (COST, "USD", false),
    (LINES, "1", true),
    (TIME, "s", false),
];
const SESSIONS: &str = "bowline.session.count";
const TOKENS: &str = "bowline.token.usage";
const COST: &str = "bowline.cost.usage";
const LINES: &str = "bowline.lines_of_code.count";
const TIME: &str = "bowline.active_time.total";

impl Metrics {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn session_began(&mut self) {
        self.add(SESSIONS, Vec::new(), 1.0);
    }

    pub(super) fn count(&mut self, span: &Span) {
        let text = |name: &str| {
            span.fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let number = |name: &str| span.fields.get(name).and_then(Value::as_f64).unwrap_or_default();
        match span.name {
            "request" => {
                let model = text("model");
                for (kind, field) in [
                    ("input", "input_tokens"),
                    ("output", "output_tokens"),
                    ("cacheRead", "cache_read_tokens"),
                    ("cacheCreation", "cache_write_tokens"),
                ] {
                    let key = vec![("type", kind.to_owned()), ("model", model.clone())];
                    self.add(TOKENS, key, number(field));
                }
                self.add(COST, vec![("model", model)], number("cost_usd"));
            }
            "tool" => {
                for (kind, field) in [("added", "lines_added"), ("removed", "lines_removed")] {
                    self.add(LINES, vec![("type", kind.to_owned())], number(field));
                }
            }
            "turn" => self.add(TIME, Vec::new(), number("duration_ms") / 1000.0),
            _ => {}
        }
    }

    fn add(&mut self, metric: &'static str, key: Vec<(&'static str, String)>, value: f64) {
        if value > 0.0 {
            *self.0.entry((metric, key)).or_default() += value;
        }
    }

    /// As OTLP wants them; `times` are when we began to count, and now.
    pub(super) fn wire(&self, resource: &[(String, String)], times: (u64, u64)) -> Value {
        let metric = |(name, unit, whole): (&'static str, &str, bool)| {
            let sums = self.0.iter().filter(|((metric, _), _)| *metric == name);
            let point = |(key, value): (&Key, &f64)| {
                let attributes =
                    key.1.iter().map(|(name, value)| wire::attribute(name, &json!(value)));
                let mut point = json!({
                    "attributes": attributes.collect::<Vec<_>>(),
                    "startTimeUnixNano": times.0.to_string(),
                    "timeUnixNano": times.1.to_string(),
                });
                match whole {
                    true => point["asInt"] = json!(format!("{value:.0}")),
                    false => point["asDouble"] = json!(value),
                }
                point
            };
            let points: Vec<Value> = sums.map(point).collect();
            (!points.is_empty()).then(|| {
                // 2: since we began to count, and not since the last time.
                let sum = json!({
                    "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": points,
                });
                json!({ "name": name, "unit": unit, "sum": sum })
            })
        };
        let metrics: Vec<Value> = METRICS.into_iter().filter_map(metric).collect();
        json!({ "resourceMetrics": [{
            "resource": wire::resource(resource),
            "scopeMetrics": [{ "scope": { "name": "bowline" }, "metrics": metrics }],
        }]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(name: &'static str, fields: Value) -> Span {
        let known = ["model", "input_tokens", "cost_usd", "lines_added", "duration_ms"];
        let fields = known.into_iter().filter_map(|name| Some((name, fields.get(name)?.clone())));
        Span { name, fields: fields.collect(), ..Span::default() }
    }

    #[test]
    fn sums_are_told_apart_by_model_and_kind() {
        let mut metrics = Metrics::default();
        metrics.session_began();
        for tokens in [10, 5] {
            let fields = json!({ "model": "m", "input_tokens": tokens, "cost_usd": 0.25 });
            metrics.count(&span("request", fields));
        }
        metrics.count(&span("tool", json!({ "lines_added": 3 })));
        metrics.count(&span("turn", json!({ "duration_ms": 1500 })));
        metrics.count(&span("hook", json!({})));
        let wire = metrics.wire(&[], (1, 2));
        let metrics = wire["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
        let value = |name: &str| {
            let found = metrics.iter().find(|metric| metric["name"] == name).unwrap();
            let point = &found["sum"]["dataPoints"][0];
            point.get("asInt").or_else(|| point.get("asDouble")).unwrap().clone()
        };
        assert_eq!(value(SESSIONS), "1");
        assert_eq!(value(TOKENS), "15");
        assert_eq!(value(COST), 0.5);
        assert_eq!(value(LINES), "3");
        assert_eq!(value(TIME), 1.5);
    }
}
