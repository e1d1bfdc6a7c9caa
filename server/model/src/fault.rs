//! What can go wrong between us and a provider, as one sentence that says what to do.

use std::error::Error;
use std::time::Duration;

use agent::models::MODELS;
use agent::{ModelError, ModelErrorKind};
use reqwest::header::HeaderMap;
use serde::Deserialize;

use crate::sse::SseError;

/// Who was asked for what: all that an error's sentence needs to name. Holds no secret.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// `api.anthropic.com`, `localhost:11434`.
    pub(crate) host: String,
    pub(crate) model: String,
    /// The variables that would be changed to repair this connection.
    pub(crate) key_variable: &'static str,
    pub(crate) url_variable: &'static str,
    /// Whether a near name may be proposed from our own table.
    pub(crate) knows_models: bool,
}

#[derive(Debug)]
pub(crate) enum ReadError {
    Http(reqwest::Error),
    Silent(Duration),
}

/// What an error body says, in either provider's shape.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Detail {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) request_id: Option<String>,
}

impl Detail {
    /// Never fails: a page of HTML is an error message too, if a poor one.
    pub(crate) fn parse(body: &str) -> Self {
        #[derive(Deserialize)]
        struct Body {
            error: Said,
            request_id: Option<String>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said {
            Object {
                #[serde(rename = "type")]
                kind: Option<String>,
                code: Option<serde_json::Value>,
                message: Option<String>,
            },
            Text(String),
        }
        match serde_json::from_str::<Body>(body) {
            Ok(Body { error: Said::Object { kind, code, message }, request_id }) => {
                let code = code.and_then(|code| code.as_str().map(str::to_owned));
                let kind = code.or(kind).unwrap_or_default();
                let message = one_line(message.as_deref().unwrap_or(&kind));
                Detail { kind, message, request_id }
            }
            Ok(Body { error: Said::Text(text), request_id }) => {
                Detail { kind: String::new(), message: one_line(&text), request_id }
            }
            Err(_) if body.trim_start().starts_with('<') => {
                Detail { message: "it answered with a web page".to_owned(), ..Detail::default() }
            }
            Err(_) => Detail { message: one_line(body), ..Detail::default() },
        }
    }
}

/// The first line that says something, short enough to read.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let line =
        text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given");
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short.truncate(short.trim_end_matches(['.', ' ']).len());
    short
}

impl Origin {
    pub(crate) fn refused(&self, status: u16, headers: &HeaderMap, body: &str) -> ModelError {
        let detail = Detail::parse(body);
        let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
        let retry_after_ms = retry_after(&header);
        let kind = kind_of(status, &detail);
        let mut error = self.sentence(kind, status, &detail, retry_after_ms);
        error.status = Some(status);
        error.retry_after_ms = retry_after_ms;
        error.request_id =
            header("request-id").or_else(|| header("x-request-id")).or(detail.request_id);
        error
    }

    /// An error event in the middle of a stream carries no status.
    pub(crate) fn said(&self, detail: &Detail) -> ModelError {
        let kind = kind_of(0, detail);
        let mut error = self.sentence(kind, 0, detail, None);
        error.request_id.clone_from(&detail.request_id);
        error
    }

    fn sentence(
        &self,
        kind: ModelErrorKind,
        status: u16,
        detail: &Detail,
        retry_after_ms: Option<u64>,
    ) -> ModelError {
        use ModelErrorKind as Kind;
        let Origin { host, model, key_variable, url_variable, .. } = self;
        let said = &detail.message;
        let number = if status == 0 { String::new() } else { format!(" ({status})") };
        let text = match kind {
            Kind::Authentication => {
                format!("{host} refused the key: check {key_variable} ({said}).")
            }
            Kind::Forbidden => format!(
                "{host} does not allow this: {said}. Check the account that {key_variable} belongs to."
            ),
            Kind::UnknownModel => format!(
                "{host} has no model `{model}`{}: choose another with --model or /model.",
                self.nearest_model()
            ),
            Kind::PromptTooLong => format!(
                "The conversation is too long for {model}: start a new one or remove large files \
                 ({said})."
            ),
            Kind::RequestTooLarge => {
                format!("The request is larger than {host} accepts: remove large files or images.")
            }
            Kind::RateLimited => match retry_after_ms {
                Some(ms) => {
                    format!("{host} asks to wait {} s: {said}.", ms.div_ceil(1000))
                }
                None => format!("{host} has reached a limit: {said}."),
            },
            Kind::Overloaded => format!("{host} is overloaded{number}: try again in a moment."),
            Kind::Server => format!("{host} failed{number}: {said}. Try again in a moment."),
            _ if status == 404 => {
                format!("{host} has nothing at this address (404): check {url_variable} ({said}).")
            }
            _ => format!("{host} refused the request{number}: {said}."),
        };
        ModelError::new(kind, text)
    }

    fn nearest_model(&self) -> String {
        let near = self.knows_models.then(|| nearest(&self.model)).flatten();
        near.map(|id| format!(" (did you mean `{id}`?)")).unwrap_or_default()
    }

    /// No answer began.
    pub(crate) fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let Origin { host, url_variable, .. } = self;
        let cause = cause(error);
        let lower = cause.to_ascii_lowercase();
        let text = if error.is_timeout() {
            format!("{host} did not answer in time: check the network or {url_variable}.")
        } else if lower.contains("lookup") || lower.contains("dns") {
            format!("The host {host} was not found: check the network or {url_variable}.")
        } else if lower.contains("refused") {
            format!("Nothing listens at {host}: start the server or check {url_variable}.")
        } else if lower.contains("certificate") || lower.contains("unknownissuer") {
            format!(
                "The certificate of {host} is not trusted ({cause}): add its authority to the \
                 system's store or check the proxy."
            )
        } else {
            format!(
                "The connection to {host} failed: {cause}. Check the network or {url_variable}."
            )
        };
        ModelError::new(ModelErrorKind::Network, text)
    }

    /// The answer had begun.
    pub(crate) fn read_error(&self, error: SseError<ReadError>) -> ModelError {
        let host = &self.host;
        match error {
            SseError::NotUtf8 => self.broken("its text is not valid UTF-8"),
            SseError::TooLarge => self.broken("one event of it is larger than 32 MB"),
            SseError::Transport(ReadError::Http(error)) => self.broken(&cause(&error)),
            SseError::Transport(ReadError::Silent(idle)) => self.silent(host, idle),
        }
    }

    pub(crate) fn silent(&self, host: &str, idle: Duration) -> ModelError {
        let text = format!("{host} said nothing for {} s; try again.", idle.as_secs());
        ModelError::new(ModelErrorKind::TimedOut, text)
    }

    pub(crate) fn broken(&self, why: &str) -> ModelError {
        let text = format!("The answer of {} broke off: {why}. Try again.", self.host);
        ModelError::new(ModelErrorKind::BrokenStream, text)
    }
}

/// The innermost reason, which is the one that helps.
pub(crate) fn cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    one_line(&innermost.to_string())
}

fn kind_of(status: u16, detail: &Detail) -> ModelErrorKind {
    use ModelErrorKind as Kind;
    let message = detail.message.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let by_name = match detail.kind.as_str() {
        "authentication_error" | "invalid_api_key" => Some(Kind::Authentication),
        "permission_error" | "billing_error" | "insufficient_quota" => Some(Kind::Forbidden),
        "request_too_large" => Some(Kind::RequestTooLarge),
        "rate_limit_error" | "rate_limit_exceeded" => Some(Kind::RateLimited),
        "overloaded_error" => Some(Kind::Overloaded),
        "api_error" | "timeout_error" | "server_error" => Some(Kind::Server),
        "context_length_exceeded" | "exceed_context_size_error" => Some(Kind::PromptTooLong),
        "model_not_found" => Some(Kind::UnknownModel),
        _ => None,
    };
    let too_long = ["prompt is too long", "context length", "context window", "context size"];
    match (by_name, status) {
        (Some(kind), _) => kind,
        (None, 0 | 400) if says(&too_long) => Kind::PromptTooLong,
        (None, 400) if says(&["credit balance"]) => Kind::Forbidden,
        (None, 0 | 400 | 404)
            if says(&["model"])
                && says(&["not found", "not exist", "unknown", "model:", "no such"]) =>
        {
            Kind::UnknownModel
        }
        (None, 401) => Kind::Authentication,
        (None, 402 | 403) => Kind::Forbidden,
        (None, 413) => Kind::RequestTooLarge,
        (None, 429) => Kind::RateLimited,
        (None, 503 | 529) => Kind::Overloaded,
        (None, 500..) => Kind::Server,
        _ => Kind::InvalidRequest,
    }
}

/// A date in `retry-after` is not read: it would need a clock that agrees with the server's.
fn retry_after(header: &impl Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |name: &str| header(name)?.trim().parse::<f64>().ok().filter(|n| *n >= 0.0);
    let ms = number("retry-after-ms").or_else(|| number("retry-after").map(|s| s * 1000.0))?;
    Some(ms.ceil() as u64)
}

/// The id in our table that is closest to a mistyped one.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let ranked = MODELS.iter().map(|model| (distance(name, model.id), model.id));
    let (distance, id) = ranked.min_by_key(|(distance, _)| *distance)?;
    (distance <= name.len() / 2).then_some(id)
}

/// Levenshtein's, on bytes: model ids are ASCII.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
