//! What kind of failure a status, a body and headers amount to, and what they advise.

use std::time::Duration;

use agent::ModelErrorKind as Kind;
use reqwest::header::HeaderMap;

use super::detail::Detail;

/// What a response's headers say about trying again.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Advice {
    pub(super) retry_after_ms: Option<u64>,
    pub(super) may_retry: Option<bool>,
    pub(super) request_id: Option<String>,
}

impl Advice {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
        let number = |name: &str| header(name)?.parse::<f64>().ok().filter(|n| *n >= 0.0);
        let ms = number("retry-after-ms").or_else(|| Some(number("retry-after")? * 1000.0));
        let by_date = || wait_until(header("retry-after")?, header("date")?);
        let id = ["request-id", "x-request-id", "x-amzn-requestid"].into_iter().find_map(header);
        Self {
            retry_after_ms: ms.map(|ms| ms.ceil() as u64).or_else(by_date),
            may_retry: header("x-should-retry").and_then(|word| word.parse().ok()),
            request_id: id.map(str::to_owned),
        }
    }
}

/// The server's own clock says how far its date lies ahead; ours might disagree with both.
fn wait_until(then: &str, now: &str) -> Option<u64> {
    let then = httpdate::parse_http_date(then).ok()?;
    let now = httpdate::parse_http_date(now).ok()?;
    let wait = then.duration_since(now).unwrap_or(Duration::ZERO);
    u64::try_from(wait.as_millis()).ok()
}

const TOO_LONG: &[&str] = &[
    "prompt is too long",
    "input is too long",
    "exceed context limit",
    "context length",
    "context window",
    "context size",
];

const MEDIA: &[&str] = &["image", "pdf", "document"];

const MEDIA_TROUBLE: &[&str] = &[
    "exceed",
    "too large",
    "too many",
    "maximum of",
    "could not process",
    "unable to process",
    "unable to download",
    "not valid",
    "invalid",
    "corrupt",
    "password",
    "unsupported",
    "does not match",
    // What servers say whose model sees no pictures.
    "not support",
    "only supported",
    "support image input",
    "required for image input",
    "unknown variant",
    "at most 0 image",
];

const MONEY: &[&str] = &[
    "spend",
    "usage limit",
    "credit",
    "billing",
    "quota",
    "monthly",
    "budget",
    "payment",
    "regain access",
];

pub(super) fn kind_of(status: u16, detail: &Detail, advice: &Advice) -> Kind {
    let message = detail.message.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let refused = matches!(status, 0 | 400 | 413 | 422);
    if refused && says(TOO_LONG) {
        return Kind::PromptTooLong;
    }
    // Some servers call it their own failure that their model is blind, others find no such model.
    let refused = refused || matches!(status, 404 | 500);
    if refused && says(MEDIA) && says(MEDIA_TROUBLE) {
        return Kind::MediaTooLarge;
    }
    match by_name(&detail.kind).unwrap_or_else(|| by_status(status, detail)) {
        Kind::InvalidRequest if says(&["credit balance", "usage limit"]) => Kind::SpendLimit,
        Kind::InvalidRequest if says(&["overloaded"]) => Kind::Overloaded,
        Kind::InvalidRequest
            if matches!(status, 0 | 400 | 404)
                && says(&["model"])
                && says(&["not found", "not exist", "unknown", "model:", "no such"]) =>
        {
            Kind::UnknownModel
        }
        // A limit in money is a 429 as well, but it never says when to come back.
        Kind::RateLimited
            if advice.retry_after_ms.is_none()
                && (says(MONEY) || advice.may_retry == Some(false)) =>
        {
            Kind::SpendLimit
        }
        kind => kind,
    }
}

fn by_name(name: &str) -> Option<Kind> {
    Some(match name {
        "authentication_error" | "invalid_api_key" => Kind::Authentication,
        "permission_error" => Kind::Forbidden,
        "billing_error" | "insufficient_quota" => Kind::SpendLimit,
        "request_too_large" => Kind::RequestTooLarge,
        "rate_limit_error" | "rate_limit_exceeded" => Kind::RateLimited,
        "overloaded_error" => Kind::Overloaded,
        "api_error" | "timeout_error" | "server_error" | "conflict_error" => Kind::Server,
        "context_length_exceeded" | "exceed_context_size_error" => Kind::PromptTooLong,
        "model_not_found" => Kind::UnknownModel,
        _ => return None,
    })
}

fn by_status(status: u16, detail: &Detail) -> Kind {
    match status {
        401 => Kind::Authentication,
        402 => Kind::SpendLimit,
        403 => Kind::Forbidden,
        408 | 409 => Kind::Server,
        413 => Kind::RequestTooLarge,
        429 => Kind::RateLimited,
        511 if detail.is_page => Kind::Network,
        503 | 529 => Kind::Overloaded,
        500.. => Kind::Server,
        _ => Kind::InvalidRequest,
    }
}

/// By how much a prompt is too long: `215000 tokens > 200000 maximum`, `188000 + 21000 > 200000`,
/// `maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens`.
pub(super) fn gap(message: &str) -> Option<u64> {
    let (have, limit) = match message.split_once('>') {
        Some((left, right)) => {
            let left = left.rsplit_once(':').map_or(left, |(_, numbers)| numbers);
            (numbers(left).into_iter().fold(0, u64::saturating_add), *numbers(right).first()?)
        }
        None => {
            let all = numbers(message);
            (*all.get(1)?, *all.first()?)
        }
    };
    have.checked_sub(limit).filter(|gap| *gap > 0)
}

/// Every whole number of a text; `200,000` is one.
fn numbers(text: &str) -> Vec<u64> {
    let plain = text.replace(',', "");
    let runs = plain.split(|letter: char| !letter.is_ascii_digit());
    runs.filter_map(|run| run.parse().ok()).collect()
}
