//! One address that answers requests: sends, and sorts what comes back into a stream or an error.

use std::time::SystemTime;

use agent::ModelError;
use futures::StreamExt;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue};
use tokio::time::Instant;
use url::Url;

use crate::answer::{Answer, Chunks, EventStream, WireFormat};
use crate::env::{ConfigError, Env};
use crate::fault::Origin;
use crate::hidden::Hidden;
use crate::http::Http;
use crate::keys::KeySource;
use crate::patience::{Patience, Silence, Watchdog};

/// An error page may be any size; a sentence needs only its beginning.
const MAX_ERROR_BODY: usize = 64 << 10;

#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) http: Http,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// Where the key is, when it is not among the headers.
    pub(crate) keys: Option<KeySource>,
    pub(crate) hidden: Hidden,
    pub(crate) patience: Patience,
    pub(crate) origin: Origin,
}

impl Endpoint {
    /// Sends, and hands the answer to a wire format that understands it.
    pub(crate) async fn ask<F: WireFormat>(
        &self,
        body: String,
        origin: Origin,
        format: F,
        framing: fn(Chunks) -> EventStream,
    ) -> Result<Answer<F>, ModelError> {
        let begun = Instant::now();
        let response = self.post(body, &origin).await?;
        if is_page_or_object(&response) {
            let text = tokio::time::timeout(self.patience.idle, beginning(response)).await;
            return Err(origin.not_a_stream(&text.unwrap_or_default()));
        }
        let watchdog = Watchdog::new(self.patience, begun);
        Ok(Answer::new(framing(response.bytes_stream().boxed()), watchdog, origin, format))
    }

    /// Sends, and reads a short answer that is no stream.
    pub(crate) async fn fetch(&self, body: String, origin: &Origin) -> Result<String, ModelError> {
        let response = self.post(body, origin).await?;
        match tokio::time::timeout(self.patience.first, beginning(response)).await {
            Ok(text) => Ok(text),
            Err(_) => Err(origin.silent(Silence::Nothing(self.patience.first))),
        }
    }

    /// Returns a response that is a success. A key that the server refuses may have been
    /// replaced meanwhile: where keys come from elsewhere, a new one is asked for, once.
    async fn post(&self, body: String, origin: &Origin) -> Result<Response, ModelError> {
        let mut headers = self.headers.clone();
        let Some(keys) = &self.keys else { return self.send(body, headers, origin).await };
        keys.add(&mut headers, false).await?;
        match self.send(body.clone(), headers.clone(), origin).await {
            Err(error) if error.status == Some(401) => {
                keys.add(&mut headers, true).await?;
                self.send(body, headers, origin).await
            }
            sent => sent,
        }
    }

    async fn send(
        &self,
        body: String,
        headers: HeaderMap,
        origin: &Origin,
    ) -> Result<Response, ModelError> {
        self.hidden.remember(&headers);
        let client = self.http.client(&self.url)?;
        let request = client
            .post(self.url.clone())
            .headers(headers)
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let response = match tokio::time::timeout(self.patience.first, request.send()).await {
            Ok(sent) => sent.map_err(|error| origin.unreachable(&error))?,
            Err(_) => return Err(origin.silent(Silence::Nothing(self.patience.first))),
        };
        let status = response.status();
        if status.is_redirection() {
            return Err(origin.refused(status.as_u16(), response.headers(), &moved(&response)));
        }
        if status.is_success() {
            return Ok(response);
        }
        let headers = dated(response.headers().clone(), self.http.now());
        let text = beginning(response);
        let text = tokio::time::timeout(self.patience.idle, text).await.unwrap_or_default();
        Err(origin.refused(status.as_u16(), &headers, &text))
    }

    /// `path` is appended to the base address that the variable (or the default) gives.
    pub(crate) fn url(
        env: &Env,
        variable: &'static str,
        default: &'static str,
        path: &[&str],
    ) -> Result<Url, ConfigError> {
        let value = env.get(variable).unwrap_or(default);
        let bad = || ConfigError::BadUrl { variable, value: value.to_owned(), example: default };
        let mut url = Url::parse(value).map_err(|_| bad())?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(bad());
        }
        // `…` and `…/v1` are both in use for both kinds of server.
        let versioned = url.path().trim_end_matches('/').ends_with("/v1");
        let mut segments = url.path_segments_mut().map_err(|()| bad())?;
        segments.pop_if_empty();
        if !versioned {
            segments.push("v1");
        }
        segments.extend(path);
        drop(segments);
        Ok(url)
    }

    /// A header that carries a secret: never printed by a debugger's eye.
    pub(crate) fn secret(text: &str, variable: &'static str) -> Result<HeaderValue, ConfigError> {
        let mut value =
            HeaderValue::from_str(text).map_err(|_| ConfigError::BadHeader { variable })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn is_page_or_object(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html") || kind.starts_with("application/json"))
}

fn moved(response: &Response) -> String {
    let target = response.headers().get("location").and_then(|to| to.to_str().ok());
    format!("it redirects to {}", target.unwrap_or("somewhere else"))
}

async fn beginning(response: Response) -> String {
    let mut bytes = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= MAX_ERROR_BODY {
            bytes.truncate(MAX_ERROR_BODY);
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A date to wait for is read by the server's clock, and by ours where the server sends no date.
fn dated(mut headers: HeaderMap, now: SystemTime) -> HeaderMap {
    if let (None, Ok(date)) = (headers.get(DATE), httpdate::fmt_http_date(now).parse()) {
        headers.insert(DATE, date);
    }
    headers
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::outside::Outside as _;
    use crate::testing::Disk;

    #[test]
    fn retry_after_date_is_read_by_our_clock_when_the_server_sends_no_date() {
        let now = Disk(Vec::new()).now();
        let wait = |date: Option<&str>| {
            let mut headers = HeaderMap::new();
            let then = httpdate::fmt_http_date(now + Duration::from_secs(30));
            headers.insert("retry-after", then.parse().unwrap());
            if let Some(date) = date {
                headers.insert(DATE, date.parse().unwrap());
            }
            let origin = Origin {
                host: "example.com".to_owned(),
                model: "m".to_owned(),
                key_variable: "KEY",
                url_variable: "URL",
                knows_models: false,
            };
            origin.refused(429, &dated(headers, now), "").retry_after_ms
        };
        assert_eq!(wait(None), Some(30_000));
        assert_eq!(wait(Some("Thu, 01 Jan 2026 00:00:20 GMT")), Some(10_000));
    }
}
