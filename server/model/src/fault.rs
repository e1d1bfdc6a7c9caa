//! What can go wrong between us and a provider, as one sentence that says what to do.

mod class;
mod detail;

use std::error::Error;
use std::time::Duration;

use agent::models::MODELS;
use agent::{ModelError, ModelErrorKind};
use reqwest::header::HeaderMap;

use crate::patience::Silence;
use crate::sse::SseError;
use class::Advice;
pub(crate) use detail::Detail;
use detail::one_line;

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

impl Origin {
    pub(crate) fn refused(&self, status: u16, headers: &HeaderMap, body: &str) -> ModelError {
        let detail = Detail::parse(body);
        let advice = Advice::read(headers);
        let kind = class::kind_of(status, &detail, &advice);
        let mut error = self.sentence(kind, status, &detail, advice.retry_after_ms);
        error.status = Some(status);
        error.retry_after_ms = advice.retry_after_ms;
        error.may_retry = advice.may_retry;
        error.request_id = advice.request_id.or(detail.request_id);
        error
    }

    /// An error event in the middle of a stream carries no status.
    pub(crate) fn said(&self, detail: &Detail) -> ModelError {
        let kind = class::kind_of(0, detail, &Advice::default());
        let mut error = self.sentence(kind, 0, detail, None);
        error.request_id.clone_from(&detail.request_id);
        error
    }

    /// The answer came with a success status, but it is no stream of ours.
    pub(crate) fn not_a_stream(&self, body: &str) -> ModelError {
        let detail = Detail::parse(body);
        if detail.is_page {
            return ModelError::new(ModelErrorKind::Network, self.page(&detail));
        }
        self.broken(&format!("it was not a stream, but: {}", detail.message))
    }

    fn page(&self, detail: &Detail) -> String {
        format!(
            "Instead of {} a web page answered ({}): sign in to the network with a browser, or \
             check the proxy and {}.",
            self.host, detail.message, self.url_variable
        )
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
            Kind::SpendLimit => format!(
                "{host} has stopped this account: {said}. Raise the limit or add credit for the \
                 account that {key_variable} belongs to."
            ),
            Kind::Network => self.page(detail),
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
            Kind::MediaTooLarge => format!(
                "{host} cannot take an image or PDF of this conversation: {said}. Send a smaller \
                 one."
            ),
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
        let mut error = ModelError::new(kind, text);
        if kind == Kind::PromptTooLong {
            error.too_long_by = class::gap(said);
        }
        error
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
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let text = if error.is_timeout() {
            format!("{host} did not answer in time: check the network or {url_variable}.")
        } else if says(&["lookup", "dns"]) {
            format!("The host {host} was not found: check the network or {url_variable}.")
        } else if says(&["refused stream", "goaway", "go away", "reset", "closed", "incomplete"]) {
            format!("{host} closed the connection before it answered ({cause}); try again.")
        } else if says(&["refused"]) {
            format!("Nothing listens at {host}: start the server or check {url_variable}.")
        } else if says(&["certificate", "unknownissuer"]) {
            format!(
                "The certificate of {host} is not trusted ({cause}): name its authority in \
                 NODE_EXTRA_CA_CERTS, add it to the system's store, or check the proxy."
            )
        } else {
            format!(
                "The connection to {host} failed: {cause}. Check the network or {url_variable}."
            )
        };
        ModelError::new(ModelErrorKind::Network, text)
    }

    /// The answer had begun.
    pub(crate) fn read_error(&self, error: SseError<reqwest::Error>) -> ModelError {
        match error {
            SseError::NotUtf8 => self.broken("its text is not valid UTF-8"),
            SseError::TooLarge => self.broken("one event of it is larger than 32 MB"),
            #[cfg(feature = "bedrock")]
            SseError::BadFrame => self.broken("a frame of it is damaged"),
            SseError::Transport(error) => self.broken(&cause(&error)),
        }
    }

    pub(crate) fn silent(&self, silence: Silence) -> ModelError {
        let host = &self.host;
        let text = match silence {
            Silence::Nothing(time) => {
                format!("{host} said nothing for {}; try again.", readable(time))
            }
            Silence::OnlyPings(time) => format!(
                "{host} kept the connection for {} but said nothing; try again.",
                readable(time)
            ),
            Silence::NoEnd(time) => format!(
                "The answer of {host} was not complete after {}; try again, or raise \
                 BOWLINE_REQUEST_TIMEOUT_MS.",
                readable(time)
            ),
        };
        ModelError::new(ModelErrorKind::TimedOut, text)
    }

    pub(crate) fn broken(&self, why: &str) -> ModelError {
        let text = format!("The answer of {} broke off: {why}. Try again.", self.host);
        ModelError::new(ModelErrorKind::BrokenStream, text)
    }
}

fn readable(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds => format!("{seconds} s"),
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
