//! Keys on their way to a server: which one, how often, and that nobody else hears of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;

use super::*;
use crate::keys::{Key, Keys, Service};

/// Gives a new key whenever the old one was refused.
#[derive(Default)]
struct Ring {
    refused: AtomicUsize,
}

impl Keys for Ring {
    fn has(&self, service: Service, _: &str) -> bool {
        service == Service::Anthropic
    }

    fn key<'a>(
        &'a self,
        _: Service,
        _: &'a str,
        fresh: bool,
    ) -> BoxFuture<'a, Result<Option<Key>, String>> {
        let number = self.refused.fetch_add(usize::from(fresh), Ordering::Relaxed);
        let number = number + usize::from(fresh);
        Box::pin(async move { Ok(Some(Key::Any(format!("canary-key-{number}")))) })
    }
}

fn with_ring(url: &str) -> Provider {
    let env = Env::from([("ANTHROPIC_BASE_URL", url)]).with_keys(Arc::new(Ring::default()));
    provider_for(&env, None).unwrap().0
}

#[tokio::test]
async fn a_refused_key_is_replaced_once() {
    let refusal = |scenario: Scenario| scenario.error(401, "authentication_error", "no");
    let script = refusal(Scenario::new()).answer().text("ok").answer();
    let server = server(refusal(refusal(script).answer())).await;
    let provider = with_ring(server.url());
    assert_eq!(ask(&provider, prompt("hi")).await.1, None);
    let error = fails(&provider, "hi").await;
    assert_eq!(error.kind, ModelErrorKind::Authentication);
    let sent: Vec<_> = server.requests().iter().map(|r| r.headers["x-api-key"].clone()).collect();
    assert_eq!(sent, ["canary-key-0", "canary-key-1", "canary-key-1", "canary-key-2"]);
    assert_eq!(server.requests()[0].headers["authorization"], "Bearer canary-key-0");
}

#[tokio::test]
async fn a_key_in_the_environment_comes_first() {
    let server = server(Scenario::new().text("ok")).await;
    let env = Env::from([("ANTHROPIC_BASE_URL", server.url()), ("ANTHROPIC_API_KEY", "mine")]);
    let env = env.with_keys(Arc::new(Ring::default()));
    ask(&provider_for(&env, None).unwrap().0, prompt("hi")).await;
    assert_eq!(server.requests()[0].headers["x-api-key"], "mine");
}

#[tokio::test]
async fn a_stored_key_chooses_the_provider() {
    let env = Env::from([]).with_keys(Arc::new(Ring::default()));
    assert_eq!(provider_for(&env, None).unwrap().0.name(), "anthropic");
    assert!(provider_for(&env, Some("openai:x")).is_err());
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_get_it_shown() {
    let said = "your key canary-key-7 is wrong";
    let script = Scenario::new().error(400, "invalid_request_error", said).answer();
    let script = script.text("a").error_event("api_error", said);
    let server = server(script).await;
    let provider = anthropic(server.url(), "canary-key-7");
    for _ in 0..2 {
        let error = fails(&provider, "hi").await;
        assert!(error.message.contains("your key [secret] is wrong"), "{}", error.message);
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    }
}

#[tokio::test]
async fn a_redirect_takes_the_key_nowhere() {
    let other = server(Scenario::new().forever().text("thanks")).await;
    let moved = format!("{}/v1/messages", other.url());
    let script = [301, 302, 307, 308].iter().fold(Scenario::new(), |script, status| {
        script.refuse(*status, "", &[("location", &moved)]).answer()
    });
    let server = server(script).await;
    let provider = anthropic(server.url(), "canary-key-7");
    for _ in 0..4 {
        assert!(fails(&provider, "hi").await.message.contains("redirects"));
    }
    assert!(other.requests().is_empty());
}
