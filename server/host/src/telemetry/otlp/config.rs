//! Where the user wants metrics and traces to go, from the variables that OpenTelemetry defines.

use std::time::Duration;

use url::Url;

const INTERVAL: Duration = Duration::from_secs(60);
const SHORTEST: Duration = Duration::from_millis(10);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) metrics: To,
    pub(super) traces: To,
    pub(super) headers: Vec<(String, String)>,
    pub(super) interval: Duration,
    /// Who we are.
    pub(super) resource: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum To {
    Nobody,
    /// Stderr.
    Console,
    Collector(Url),
}

impl Config {
    /// `None` where it is off, or nobody is to get anything.
    pub(super) fn read(
        env: impl Fn(&str) -> Option<String>,
        version: &str,
    ) -> Result<Option<Self>, String> {
        let says = |name: &str| env(name).is_some_and(|value| !matches!(&*value, "0" | "false"));
        let on = says("BOWLINE_ENABLE_TELEMETRY") || says("CLAUDE_CODE_ENABLE_TELEMETRY");
        if !on || says("DISABLE_TELEMETRY") || says("DO_NOT_TRACK") {
            return Ok(None);
        }
        let metrics = to(&env, "METRICS", "v1/metrics")?;
        let traces = to(&env, "TRACES", "v1/traces")?;
        if (&metrics, &traces) == (&To::Nobody, &To::Nobody) {
            return Ok(None);
        }
        let millis = env("OTEL_METRIC_EXPORT_INTERVAL").and_then(|text| text.parse().ok());
        let interval = millis.map_or(INTERVAL, Duration::from_millis).max(SHORTEST);
        let name = env("OTEL_SERVICE_NAME").unwrap_or_else(|| "bowline".to_owned());
        let mut resource = pairs(&env("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default());
        resource.push(("service.name".to_owned(), name));
        resource.push(("service.version".to_owned(), version.to_owned()));
        let headers = pairs(&env("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default());
        Ok(Some(Self { metrics, traces, headers, interval, resource }))
    }
}

fn to(env: &impl Fn(&str) -> Option<String>, what: &str, path: &str) -> Result<To, String> {
    let variable = format!("OTEL_{what}_EXPORTER");
    let own = env(&format!("OTEL_EXPORTER_OTLP_{what}_ENDPOINT"));
    let base = env("OTEL_EXPORTER_OTLP_ENDPOINT");
    let address = own.or_else(|| Some(format!("{}/{path}", base?.trim_end_matches('/'))));
    match (env(&variable).as_deref(), address) {
        (Some("none"), _) | (None, None) => Ok(To::Nobody),
        (Some("console"), _) => Ok(To::Console),
        (Some("otlp"), None) => {
            Err(format!("{variable} is otlp: set OTEL_EXPORTER_OTLP_ENDPOINT as well."))
        }
        (Some("otlp") | None, Some(address)) => {
            let protocol = env("OTEL_EXPORTER_OTLP_PROTOCOL");
            if let Some(other) = protocol.filter(|name| !name.starts_with("http/")) {
                return Err(format!(
                    "OTEL_EXPORTER_OTLP_PROTOCOL is {other}: Bowline speaks http/json only."
                ));
            }
            let url = Url::parse(&address).ok().filter(|url| url.has_host());
            let url = url.ok_or_else(|| {
                format!("{address} is no address to send telemetry to; it begins with http.")
            })?;
            Ok(To::Collector(url))
        }
        (Some(other), _) => {
            Err(format!("{variable} is {other}: there are otlp, console and none."))
        }
    }
}

/// `a=1,b=2`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    text.split(',').filter_map(pair).filter(|(name, _)| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[(&str, &str)]) -> Result<Option<Config>, String> {
        let env = |name: &str| {
            let found = values.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Config::read(env, "1.0")
    }

    const ON: (&str, &str) = ("CLAUDE_CODE_ENABLE_TELEMETRY", "1");
    const AT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/");

    #[test]
    fn it_takes_two_to_switch_it_on() {
        for off in [
            &[][..],
            &[AT],
            &[ON],
            &[("BOWLINE_ENABLE_TELEMETRY", "0"), AT],
            &[ON, AT, ("DO_NOT_TRACK", "1")],
            &[ON, AT, ("OTEL_METRICS_EXPORTER", "none"), ("OTEL_TRACES_EXPORTER", "none")],
        ] {
            assert_eq!(read(off), Ok(None), "{off:?}");
        }
        let config = read(&[ON, AT, ("OTEL_EXPORTER_OTLP_HEADERS", "a=b=c, x")]).unwrap().unwrap();
        let url =
            |path: &str| To::Collector(format!("http://localhost:4318/{path}").parse().unwrap());
        assert_eq!((config.metrics, config.traces), (url("v1/metrics"), url("v1/traces")));
        assert_eq!(config.headers, [("a".to_owned(), "b=c".to_owned())]);
    }

    #[test]
    fn what_cannot_work_is_told() {
        let console = [ON, ("OTEL_METRICS_EXPORTER", "console")];
        let config = read(&console).unwrap().unwrap();
        assert_eq!((config.metrics, config.traces), (To::Console, To::Nobody));
        for wrong in [
            &[ON, ("OTEL_METRICS_EXPORTER", "otlp")][..],
            &[ON, ("OTEL_METRICS_EXPORTER", "prometheus"), AT],
            &[ON, AT, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
            &[ON, ("OTEL_EXPORTER_OTLP_ENDPOINT", "nowhere")],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
