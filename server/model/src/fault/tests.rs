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
    check(402, &said("billing_error", "pay"), Kind::Forbidden, "pay");
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
        Kind::Forbidden,
        "credit balance",
    );
    check(
        400,
        &said("invalid_request_error", "messages: bad"),
        Kind::InvalidRequest,
        "messages: bad",
    );
    check(413, "", Kind::RequestTooLarge, "larger than");
    check(429, &said("rate_limit_error", "spend cap"), Kind::RateLimited, "spend cap");
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
