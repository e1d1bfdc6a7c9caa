//! A token from a refresh token, kept, and the request that carries it.

use std::sync::Arc;

use agent::StreamEvent;

use super::*;
use crate::provider::provider_for;
use crate::testing::{Disk, canned, request};

#[tokio::test]
async fn a_token_is_fetched_once_and_sent_with_each_request() {
    let sse = include_str!("../../../../fixtures/model/recorded.sse");
    let answer = ("text/event-stream", sse.as_bytes().to_vec());
    let grant = br#"{"access_token":"ya29.canary","expires_in":3599}"#.to_vec();
    let (url, mut heard) = canned(vec![("application/json", grant), answer.clone(), answer]).await;
    let adc = format!(
        r#"{{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r/1","token_uri":"{url}/token"}}"#
    );
    let env = Env::from([
        ("BOWLINE_USE_VERTEX", "1"),
        ("ANTHROPIC_VERTEX_PROJECT_ID", "p1"),
        ("CLOUD_ML_REGION", "us-east5"),
        ("ANTHROPIC_VERTEX_BASE_URL", &format!("{url}/v1")),
    ])
    .with_outside(Arc::new(Disk(vec![(
        "~/.config/gcloud/application_default_credentials.json",
        adc,
    )])));
    let (provider, id) = provider_for(&env, Some("sonnet")).unwrap();
    assert_eq!((provider.name(), id.as_str()), ("vertex", "claude-sonnet-5-5"));
    for _ in 0..2 {
        let events: Vec<_> = provider.stream(request(&id)).collect().await;
        assert!(matches!(events.last(), Some(Ok(StreamEvent::Stopped { .. }))), "{events:?}");
    }
    let (head, form) = heard.recv().await.unwrap();
    assert!(head.starts_with("POST /token "), "{head}");
    assert!(form.contains("grant_type=refresh_token") && form.contains("r%2F1"), "{form}");
    for _ in 0..2 {
        let (head, body) = heard.recv().await.unwrap();
        let path = "/v1/projects/p1/locations/us-east5/publishers/anthropic/models/\
                    claude-sonnet-5-5:streamRawPredict";
        assert!(head.starts_with(&format!("POST {path} ")), "{head}");
        assert!(head.contains("authorization: Bearer ya29.canary"), "{head}");
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["anthropic_version"], "vertex-2023-10-16");
        assert_eq!((body.get("model"), &body["stream"]), (None, &true.into()));
    }
}

#[test]
fn dates_are_set_off() {
    assert_eq!(model_id("claude-opus-4-5-20251101"), "claude-opus-4-5@20251101");
    assert_eq!(model_id("claude-sonnet-5-5"), "claude-sonnet-5-5");
}
