//! Turns our spans into those of OpenTelemetry, when they end.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::wire::Span;
use super::{Exporter, nanos};
use crate::telemetry::spans::TARGET;

pub(in crate::telemetry) struct SpanLayer(pub(super) Exporter);

/// What is known of a span so far.
struct Open {
    trace: String,
    id: String,
    parent: Option<String>,
    began: u64,
    fields: Fields,
}

#[derive(Default)]
struct Fields(BTreeMap<&'static str, Value>);

impl Visit for Fields {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name(), json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name(), json!(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name(), json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name(), json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), json!(format!("{value:?}")));
    }
}

/// So many hexadecimal digits by chance.
fn random(digits: usize) -> String {
    let mut text = uuid::Uuid::new_v4().simple().to_string();
    text.truncate(digits);
    text
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().target() != TARGET {
            return;
        }
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let above = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            extensions.get::<Open>().map(|open| (open.trace.clone(), open.id.clone()))
        });
        let (trace, parent) = above.map_or_else(|| (random(32), None), |(t, id)| (t, Some(id)));
        let began = nanos(self.0.0.clock);
        span.extensions_mut().insert(Open { trace, id: random(16), parent, began, fields });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            values.record(&mut open.fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == TARGET {
            self.0.collected().metrics.session_began();
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<Open>() else { return };
        self.0.ended(Span {
            name: span.name(),
            trace: open.trace,
            id: open.id,
            parent: open.parent,
            began: open.began,
            ended: nanos(self.0.0.clock),
            fields: open.fields.0,
        });
    }
}
