//! Each status and body against the kind and the words a person reads.

use super::*;

fn origin() -> Origin {
    Origin {
        host: "api.example.com".to_owned(),
        model: "claude-sonet-5-5".to_owned(),
        key_variable: "ANTHROPIC_API_KEY",
        url_variable: "ANTHROPIC_BASE_URL",
        knows_models: true,
    }
}

fn check(status: u16, body: &str, kind: ModelErrorKind, words: &str) {
    let error = origin().refused(status, &HeaderMap::new(), body);
    assert_eq!(error.kind, kind, "{status} {body}");
    assert!(error.message.contains(words), "{} lacks {words:?}", error.message);
    assert!(!error.message.contains('\n'));
    assert_eq!(error.status, Some(status));
}

fn body(kind: &str, message: &str) -> String {
    serde_json::json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
}

#[test]
fn statuses_and_bodies_become_sentences() {
    use ModelErrorKind as Kind;
    let said = |kind, message| body(kind, message);
    check(
        401,
        &said("authentication_error", "invalid x-api-key"),
        Kind::Authentication,
        "check ANTHROPIC_API_KEY",
    );
    check(402, &said("billing_error", "pay"), Kind::SpendLimit, "pay");
    check(402, "", Kind::SpendLimit, "add credit");
    check(403, &said("permission_error", "no"), Kind::Forbidden, "does not allow");
    check(
        404,
        &said("not_found_error", "model: claude-sonet-5-5"),
        Kind::UnknownModel,
        "did you mean `claude-sonnet-5-5`?",
    );
    check(404, "<html>nope</html>", Kind::InvalidRequest, "check ANTHROPIC_BASE_URL");
    check(
        400,
        &said("invalid_request_error", "prompt is too long: 2 > 1"),
        Kind::PromptTooLong,
        "start a new one",
    );
    check(
        400,
        &said("invalid_request_error", "Your credit balance is too low"),
        Kind::SpendLimit,
        "credit balance",
    );
    check(
        400,
        &said("invalid_request_error", "messages: bad"),
        Kind::InvalidRequest,
        "messages: bad",
    );
    check(413, "", Kind::RequestTooLarge, "larger than");
    check(429, &said("rate_limit_error", "slow down"), Kind::RateLimited, "slow down");
    check(429, &said("rate_limit_error", "the spend cap is hit"), Kind::SpendLimit, "spend cap");
    check(
        400,
        &said("invalid_request_error", "You have reached your specified API usage limits"),
        Kind::SpendLimit,
        "usage limits",
    );
    check(409, &said("conflict_error", "again"), Kind::Server, "(409)");
    check(511, "<html><title>Hotel\n</title>", Kind::Network, "`Hotel`");
    check(500, &said("api_error", "Internal"), Kind::Server, "(500)");
    check(529, &said("overloaded_error", "Overloaded"), Kind::Overloaded, "overloaded");
    check(502, "<html>Bad gateway</html>", Kind::Server, "web page");
    check(
        404,
        r#"{"error":{"message":"model 'x' not found","type":"api_error","code":"model_not_found"}}"#,
        Kind::UnknownModel,
        "no model",
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"request exceeds the available context size","type":"exceed_context_size_error"}}"#,
        Kind::PromptTooLong,
        "too long",
    );
    check(400, r#"{"error":"model is required"}"#, Kind::InvalidRequest, "model is required");
}

#[test]
fn refused_media_are_named() {
    for said in [
        "messages.3.content.1.image.source.base64.data: image exceeds 5 MB maximum: 7 > 5 bytes",
        "image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        "A maximum of 100 PDF pages may be provided",
        "The PDF specified is password protected",
        "Could not process image",
    ] {
        let body = body("invalid_request_error", said);
        check(400, &body, ModelErrorKind::MediaTooLarge, &said[..20]);
    }
    for (status, said) in [
        (400, "Invalid content type. image_url is only supported by certain models."),
        (422, "messages[1]: unknown variant `image_url`, expected `text`"),
        (400, "At most 0 image(s) may be provided in one request."),
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
        (404, "No endpoints found that support image input"),
    ] {
        let body = body("error", said);
        check(status, &body, ModelErrorKind::MediaTooLarge, &said[..20]);
    }
    let body = body("invalid_request_error", "messages.1: image block not permitted here");
    check(400, &body, ModelErrorKind::InvalidRequest, "not permitted");
}

#[test]
fn the_gap_of_a_prompt_that_is_too_long_is_kept() {
    for (said, gap) in [
        ("prompt is too long: 215000 tokens > 200000 maximum", Some(15_000)),
        ("prompt is too long: 215,000 tokens > 200,000 maximum", Some(15_000)),
        (
            "input length and `max_tokens` exceed context limit: 188000 + 21000 > 200000, lower it",
            Some(9000),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted \
             in 9000 tokens.",
            Some(808),
        ),
        ("prompt is too long", None),
        ("prompt is too long: 1 > 99999999999999999999999", None),
    ] {
        let body = body("invalid_request_error", said);
        let error = origin().refused(400, &HeaderMap::new(), &body);
        assert_eq!((error.kind, error.too_long_by), (ModelErrorKind::PromptTooLong, gap), "{said}");
    }
}

#[test]
fn a_page_in_place_of_the_api_is_somebody_between() {
    let error = origin().not_a_stream("<!doctype html><TITLE>\n Welcome to Wi-Fi </TITLE>");
    assert_eq!(error.kind, ModelErrorKind::Network);
    assert!(error.message.contains("`Welcome to Wi-Fi`"), "{error}");
    let error = origin().not_a_stream("{\"ok\":true}");
    assert_eq!(error.kind, ModelErrorKind::BrokenStream);
}

#[test]
fn the_servers_word_on_trying_again_is_kept() {
    let mut headers = HeaderMap::new();
    headers.insert("x-should-retry", "false".parse().unwrap());
    let limited = body("rate_limit_error", "enough");
    let error = origin().refused(429, &headers, &limited);
    assert_eq!((error.kind, error.may_retry), (ModelErrorKind::SpendLimit, Some(false)));
    headers.insert("x-should-retry", "true".parse().unwrap());
    let error = origin().refused(429, &headers, &limited);
    assert_eq!((error.kind, error.may_retry), (ModelErrorKind::RateLimited, Some(true)));
    headers.insert("x-should-retry", "perhaps".parse().unwrap());
    assert_eq!(origin().refused(500, &headers, "").may_retry, None);
}

#[test]
fn a_date_to_wait_for_is_read_by_the_servers_clock() {
    let mut headers = HeaderMap::new();
    headers.insert("retry-after", "Mon, 16 Nov 2026 12:01:00 GMT".parse().unwrap());
    assert_eq!(origin().refused(429, &headers, "").retry_after_ms, None);
    headers.insert("date", "Mon, 16 Nov 2026 12:00:30 GMT".parse().unwrap());
    assert_eq!(origin().refused(429, &headers, "").retry_after_ms, Some(30_000));
    headers.insert("date", "Mon, 16 Nov 2026 13:00:00 GMT".parse().unwrap());
    assert_eq!(origin().refused(429, &headers, "").retry_after_ms, Some(0));
}

#[test]
fn waiting_times_and_ids_come_from_headers() {
    let mut headers = HeaderMap::new();
    headers.insert("retry-after", "7".parse().unwrap());
    headers.insert("request-id", "req_1".parse().unwrap());
    let error = origin().refused(429, &headers, &body("rate_limit_error", "slow down"));
    assert_eq!((error.retry_after_ms, error.request_id.as_deref()), (Some(7000), Some("req_1")));
    assert!(error.message.contains("wait 7 s"));
    headers.insert("retry-after-ms", "1500".parse().unwrap());
    assert_eq!(origin().refused(429, &headers, "").retry_after_ms, Some(1500));
    headers.insert("retry-after-ms", "soon".parse().unwrap());
    assert_eq!(origin().refused(429, &headers, "").retry_after_ms, Some(7000));
}

#[test]
fn near_names_and_far_ones() {
    assert_eq!(nearest("claude-opus-55"), Some("claude-opus-5-5"));
    assert_eq!(nearest("xyz"), None);
    assert_eq!(nearest(""), None);
}
