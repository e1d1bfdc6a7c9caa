//! A recorded exchange with the service: signed in, framed out.

use std::sync::Arc;

use agent::StreamEvent;

use super::frames::tests::{chunk, frame};
use super::*;
use crate::provider::provider_for;
use crate::testing::{Disk, canned, request};

fn env(url: &str) -> Env {
    Env::from([
        ("CLAUDE_CODE_USE_BEDROCK", "1"),
        ("AWS_REGION", "eu-west-1"),
        ("ANTHROPIC_BEDROCK_BASE_URL", url),
    ])
    .with_outside(Arc::new(Disk(vec![(
        PROFILES,
        "[other]\naws_access_key_id = no\n[default]\naws_access_key_id = AKIDEXAMPLE\n\
         aws_secret_access_key=c2VjcmV0\naws_session_token = token-1\n"
            .to_owned(),
    )])))
}

fn framed() -> Vec<u8> {
    let sse = include_str!("../../../../fixtures/model/recorded.sse");
    let data = sse.lines().filter_map(|line| line.strip_prefix("data: "));
    data.flat_map(|json| chunk(json.trim_end())).collect()
}

#[tokio::test]
async fn a_request_is_signed_and_its_frames_are_read() {
    let kind = "application/vnd.amazon.eventstream";
    let (url, mut heard) = canned(vec![(kind, framed())]).await;
    let (provider, id) = provider_for(&env(&url), Some("sonnet")).unwrap();
    assert_eq!(provider.name(), "bedrock");
    let events: Vec<_> = provider.stream(request(&id)).collect().await;
    assert!(matches!(events.last(), Some(Ok(StreamEvent::Stopped { .. }))), "{events:?}");
    let (head, body) = heard.recv().await.unwrap();
    let path = "/model/eu.anthropic.claude-sonnet-5-5/invoke-with-response-stream";
    assert!(head.starts_with(&format!("POST {path} ")), "{head}");
    assert!(head.contains("x-amz-security-token: token-1"), "{head}");
    assert!(head.contains("x-amz-date: 20260101T000000Z"), "{head}");
    assert!(
        head.contains(
            "authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/eu-west-1/bedrock/\
             aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, \
             Signature="
        ),
        "{head}"
    );
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["anthropic_version"], "bedrock-2023-05-31");
    assert_eq!((body.get("model"), body.get("stream")), (None, None));
}

#[tokio::test]
async fn an_exception_in_the_stream_is_told() {
    let names =
        [(":message-type", "exception"), (":exception-type", "serviceUnavailableException")];
    let bytes = frame(&names, br#"{"message":"busy"}"#);
    let (url, _heard) = canned(vec![("application/vnd.amazon.eventstream", bytes)]).await;
    let (provider, id) = provider_for(&env(&url), None).unwrap();
    let events: Vec<_> = provider.stream(request(&id)).collect().await;
    let error = events.into_iter().find_map(Result::err).unwrap();
    assert_eq!(error.kind, ModelErrorKind::Overloaded, "{error}");
}

#[tokio::test]
async fn missing_things_are_named() {
    let none = Env::from([("BOWLINE_USE_BEDROCK", "1")]);
    let error = provider_for(&none, None).err().unwrap();
    assert!(error.to_string().contains("AWS_REGION"), "{error}");
    let region = Env::from([("BOWLINE_USE_BEDROCK", "1"), ("AWS_REGION", "us-east-1")]);
    let (provider, id) = provider_for(&region, None).unwrap();
    let events: Vec<_> = provider.stream(request(&id)).collect().await;
    let error = events.into_iter().find_map(Result::err).unwrap();
    assert!(error.message.contains("AWS_ACCESS_KEY_ID"), "{error}");
}

#[test]
fn ids_of_the_service_stay() {
    let (bedrock, ours) = (Bedrock::new(&env("http://127.0.0.1:1")).unwrap(), "claude-opus-5-5");
    assert_eq!(bedrock.model_id(ours), "eu.anthropic.claude-opus-5-5");
    for id in ["us.anthropic.claude-x-v1:0", "arn:aws:bedrock:us-east-1:1:inference-profile/x"] {
        assert_eq!(bedrock.model_id(id), id);
    }
}
