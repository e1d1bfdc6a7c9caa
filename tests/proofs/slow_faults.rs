//! A model that is slow, silent or out of reach: patience ends by itself, the user is told why, and
//! the next prompt works.

use host::session::Limits;
use kit::{Profile, Project, Server, model, model_with};
use model::Scenario;
use protocol::event::{ProblemKind, StopReason};
use protocol::session::{ConfigChange, SessionConfig, SessionConfigParams};
use tokio::net::TcpListener;

const FAULTS: &str = include_str!("../../fixtures/model/faults.toml");

/// One fault, with no patience in one way and all in the others.
async fn after(word: &'static str, variable: &'static str, ms: &'static str, says: &str) {
    let model = model(Scenario::parse(FAULTS).unwrap()).await;
    let project = Project::new("");
    let mut env = model_with(&model).to_vec();
    env.push(("BOWLINE_MAX_RETRIES", "1".to_owned()));
    env.push((variable, ms.to_owned()));
    let server = Server::start_with(&project, env, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let turned = client.ask(&session, word).await;
    assert_eq!(turned.ended.stop_reason, StopReason::ModelError, "{word}: {turned:?}");
    let error = turned.ended.error.unwrap();
    assert!(error.message.contains(says), "{word}: {error:?}");
    let turned = client.ask(&session, "go on").await;
    assert_eq!(turned.text(), "All is well.", "{word}: {turned:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn patience_with_a_silent_model_ends() {
    tokio::join!(
        after("no-head", "BOWLINE_FIRST_BYTE_TIMEOUT_MS", "1000", "said nothing for 1 s"),
        after("black-hole", "BOWLINE_STREAM_IDLE_TIMEOUT_MS", "1000", "said nothing for 1 s"),
        after("drip", "BOWLINE_STREAM_IDLE_TIMEOUT_MS", "1000", "said nothing for 1 s"),
        after("only-pings", "BOWLINE_STREAM_PING_TIMEOUT_MS", "1000", "but said nothing"),
        after("only-pings", "BOWLINE_REQUEST_TIMEOUT_MS", "1000", "not complete after 1 s"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn how_long_a_provider_may_make_us_wait_can_be_set() {
    let says = "Send the prompt again in a minute";
    after("limited-date", "BOWLINE_MAX_RETRY_AFTER_MS", "59000", says).await;
}

/// A server that cannot be reached; the same session then works with a model that can.
async fn out_of_reach(url: &str, says: &str) {
    let project = Project::new("");
    let env = [
        ("ANTHROPIC_BASE_URL", url.to_owned()),
        ("ANTHROPIC_API_KEY", "test".to_owned()),
        ("BOWLINE_MAX_RETRIES", "1".to_owned()),
    ];
    let server = Server::start_with(&project, env, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let turned = client.ask(&session, "hello").await;
    let error = turned.ended.error.as_ref().unwrap();
    assert_eq!(error.kind, ProblemKind::Network, "{error:?}");
    assert!(error.message.contains(says), "{url}: {error:?}");
    assert!(turned.types().contains(&"retry"), "it may pass: {:?}", turned.types());
    let set = ConfigChange { model: Some("rehearsal".to_owned()), ..ConfigChange::default() };
    let session_id = session.clone();
    client.request::<SessionConfig>(SessionConfigParams { session_id, set: Some(set) }).await;
    let turned = client.ask(&session, "help").await;
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn, "{turned:?}");
    assert!(!turned.text().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_an_address_is_named() {
    out_of_reach("https://model.invalid", "The host model.invalid was not found").await;
}

/// Whoever answers there does not speak TLS.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_cannot_be_secured_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.try_write(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    out_of_reach(&format!("https://127.0.0.1:{port}"), "127.0.0.1").await;
    server.abort();
}
