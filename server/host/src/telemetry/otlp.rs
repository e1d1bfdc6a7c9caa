//! OpenTelemetry, for users who run a collector: metrics and traces as OTLP over HTTP, in JSON.
//!
//! Off unless the user's own environment says both that it is on (`BOWLINE_ENABLE_TELEMETRY` or
//! `CLAUDE_CODE_ENABLE_TELEMETRY`) and where it goes (`OTEL_EXPORTER_OTLP_ENDPOINT`, or `console`). Our
//! own few lines in place of the official crates: those bring a second HTTP stack's worth of code for
//! the five sums and four spans we have.

mod config;
mod layer;
mod metrics;
mod wire;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use policy::Secrets;
use serde_json::Value;

use crate::context::{Clock, HostContext};
use crate::terminal;
use config::{Config, To};
use layer::SpanLayer;
use metrics::Metrics;
use wire::Span;

/// Spans that wait to be sent; what comes beyond is dropped and counted.
const SPANS: usize = 2_048;
/// Nobody waits longer for a collector.
const WITHIN: Duration = Duration::from_secs(5);

/// Collects what happened, and sends it from time to time. Clones share it.
#[derive(Clone)]
pub struct Exporter(Arc<Inner>);

struct Inner {
    config: Config,
    http: model::Http,
    secrets: Secrets,
    clock: Clock,
    /// When we began to count.
    since: u64,
    collected: Mutex<Collected>,
}

#[derive(Default)]
struct Collected {
    spans: Vec<Span>,
    dropped: u64,
    metrics: Metrics,
}

impl Exporter {
    /// `None` when the user did not ask for it. The error says what is wrong with the wish.
    pub(super) fn new(host: &HostContext) -> Result<Option<Self>, String> {
        let env = |name: &str| {
            let value = host.var(name)?.to_str()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let Some(config) = Config::read(env, host.version)? else { return Ok(None) };
        config.headers.iter().for_each(|(_, value)| host.secrets.learn(value));
        let inner = Inner {
            config,
            http: host.model_env.http().clone(),
            secrets: host.secrets.clone(),
            clock: host.clock,
            since: nanos(host.clock),
            collected: Mutex::default(),
        };
        Ok(Some(Self(Arc::new(inner))))
    }

    /// For people: where it all goes.
    pub(super) fn target(&self) -> String {
        let places = [&self.0.config.metrics, &self.0.config.traces];
        let name = |to: &&To| match to {
            To::Nobody => None,
            To::Console => Some("console".to_owned()),
            To::Collector(url) => Some(url.origin().ascii_serialization()),
        };
        let mut names: Vec<_> = places.iter().filter_map(name).collect();
        names.dedup();
        names.join(", ")
    }

    pub(super) fn layer(&self) -> SpanLayer {
        SpanLayer(self.clone())
    }

    /// Sends from time to time, until the process ends. Must be called within the runtime.
    pub fn start(self) -> Self {
        let exporter = self.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(exporter.0.config.interval).await;
                exporter.send().await;
            }
        });
        self
    }

    /// Sends what there is. A collector that does not answer costs us its data and a few seconds.
    pub async fn send(&self) {
        let (spans, metrics) = {
            let mut collected = self.collected();
            let dropped = std::mem::take(&mut collected.dropped);
            if dropped > 0 {
                tracing::warn!(dropped, "more spans ended than can be kept for the collector");
            }
            (std::mem::take(&mut collected.spans), collected.metrics.clone())
        };
        let inner = &self.0;
        let resource = &inner.config.resource;
        let times = (inner.since, nanos(inner.clock));
        let sends = [
            (!spans.is_empty(), &inner.config.traces, wire::traces(resource, &spans)),
            (!metrics.is_empty(), &inner.config.metrics, metrics.wire(resource, times)),
        ];
        for (_, to, body) in sends.into_iter().filter(|(any, _, _)| *any) {
            self.deliver(to, &body).await;
        }
    }

    async fn deliver(&self, to: &To, body: &Value) {
        let body = self.0.secrets.redactor().redact(&body.to_string()).into_owned();
        match to {
            To::Nobody => {}
            To::Console => terminal::note(&body),
            To::Collector(url) => {
                let sent = tokio::time::timeout(WITHIN, self.post(url, body)).await;
                let sent = sent.unwrap_or_else(|_| Err("it did not answer in time".to_owned()));
                if let Err(error) = sent {
                    tracing::warn!(error, "the collector did not take what it was sent");
                }
            }
        }
    }

    async fn post(&self, url: &url::Url, body: String) -> Result<(), String> {
        let client = self.0.http.client(url).map_err(|error| error.message)?;
        let mut request = client.post(url.clone()).header("content-type", "application/json");
        for (name, value) in &self.0.config.headers {
            request = request.header(name, value);
        }
        let response = request.body(body).send().await.map_err(|error| error.to_string())?;
        match response.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("it answered {status}")),
        }
    }

    fn collected(&self) -> MutexGuard<'_, Collected> {
        self.0.collected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self, span: Span) {
        let mut collected = self.collected();
        collected.metrics.count(&span);
        let wanted = self.0.config.traces != To::Nobody;
        match collected.spans.len() < SPANS {
            true if wanted => collected.spans.push(span),
            true => {}
            false => collected.dropped += 1,
        }
    }
}

/// Since 1970.
fn nanos(clock: Clock) -> u64 {
    clock
        .now()
        .timestamp_nanos_opt()
        .and_then(|nanos| u64::try_from(nanos).ok())
        .unwrap_or_default()
}
