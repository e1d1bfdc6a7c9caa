//! Which key goes to which server, and what a helper may do.

use exec::Walls;

use super::*;

const HOST: &str = "api.anthropic.com";

fn ring(home: &std::path::Path) -> Arc<KeyRing> {
    let locations = Locations {
        bowline_home: home.join("bowline"),
        home: Some(home.to_owned()),
        managed: home.to_owned(),
    };
    let path = ("PATH".into(), "/usr/bin:/bin".into());
    KeyRing::new(&locations, vec![path], Secrets::default())
}

async fn key(ring: &KeyRing, fresh: bool) -> Result<String, String> {
    match ring.key(Service::Anthropic, HOST, fresh).await? {
        Some(Key::Own(key)) => Ok(format!("own {key}")),
        Some(Key::Any(key)) => Ok(format!("any {key}")),
        None => Ok("none".to_owned()),
    }
}

#[tokio::test]
async fn the_helper_comes_before_the_stored_key() {
    let home = tempfile::tempdir().unwrap();
    let ring = ring(home.path());
    assert!(!ring.has(Service::Anthropic, HOST));
    assert_eq!(key(&ring, false).await.unwrap(), "none");
    let place = ring.store(Service::Anthropic, HOST, "stored-key-1").await.unwrap();
    assert!(place.ends_with("credentials.json") || place == "the keychain");
    assert!(ring.has(Service::Anthropic, HOST));
    assert_eq!(key(&ring, false).await.unwrap(), "own stored-key-1");
    ring.use_helper(Some(("echo helped-key-1".into(), Walls::Open)));
    assert_eq!(key(&ring, false).await.unwrap(), "any helped-key-1");
    // It speaks for one service only.
    assert!(!ring.has(Service::OpenAi, "api.openai.com"));
    ring.use_helper(Some(("  ".into(), Walls::Open)));
    assert!(ring.remove(Service::Anthropic).await.unwrap());
    assert_eq!(ring.origin(Service::Anthropic, HOST).unwrap(), Origin::Nowhere);
    // Whatever was a key once is shown no more.
    let shown = ring.secrets.redactor().redact("stored-key-1 helped-key-1").into_owned();
    assert_eq!(shown, "[secret] [secret]");
}

#[tokio::test]
async fn a_stored_key_goes_to_its_own_server_only() {
    let home = tempfile::tempdir().unwrap();
    let ring = ring(home.path());
    ring.store(Service::Anthropic, HOST, "stored-key-1").await.unwrap();
    for other in ["evil.com", "api.anthropic.com:8443", "api.anthropic.com.evil.com"] {
        assert!(!ring.has(Service::Anthropic, other), "{other}");
        assert!(ring.key(Service::Anthropic, other, false).await.unwrap().is_none(), "{other}");
    }
}

#[tokio::test]
async fn a_helper_runs_once_until_its_key_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let ring = ring(home.path());
    ring.use_helper(Some((
        "echo x >> runs; echo key-$(wc -l < runs | tr -d ' ')".into(),
        Walls::Open,
    )));
    let (one, two) = tokio::join!(key(&ring, false), key(&ring, false));
    assert_eq!((one.unwrap().as_str(), two.unwrap().as_str()), ("any key-1", "any key-1"));
    assert_eq!(key(&ring, true).await.unwrap(), "any key-2");
    assert_eq!(key(&ring, false).await.unwrap(), "any key-2");
}

#[tokio::test]
async fn what_a_helper_prints_is_not_told_when_it_fails() {
    let home = tempfile::tempdir().unwrap();
    let ring = ring(home.path());
    for (command, why) in [
        ("echo canary-1; echo canary-2 >&2; exit 3", "exit code 3"),
        ("true", "did not print a key"),
        ("echo two canaries", "did not print a key"),
        ("kill -9 $$", "was stopped"),
    ] {
        ring.use_helper(Some((command.into(), Walls::Open)));
        let error = key(&ring, false).await.unwrap_err();
        assert!(error.contains(why) && !error.contains("canar"), "{error}");
    }
}
