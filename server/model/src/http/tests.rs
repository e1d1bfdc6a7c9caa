//! Which client is built when, and what it trusts.

use std::time::SystemTime;

use super::*;
use crate::outside::Nothing;

/// One file, which holds no certificate.
struct Garbage;

impl Outside for Garbage {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match path {
            "/garbage" => {
                Ok(b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----".to_vec())
            }
            "/empty" => Ok(b"nothing of use".to_vec()),
            "/good" => Ok(include_bytes!("../../../../fixtures/model/authority.pem").to_vec()),
            _ => Err("no such file".to_owned()),
        }
    }

    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

fn with(name: &str, value: &str) -> Http {
    Http::new(|asked| (asked == name).then(|| value.to_owned()), Arc::new(Garbage))
}

#[test]
fn authorities_of_the_users_own_are_added_or_named_as_unusable() {
    let outside = url("https://example.com");
    for name in ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] {
        with(name, "/good").client(&outside).unwrap();
        for (path, words) in [
            ("/missing", "cannot be read: no such file"),
            ("/garbage", "holds no certificate"),
            ("/empty", "holds no certificate"),
        ] {
            let error = with(name, path).client(&outside).unwrap_err();
            assert!(error.message.contains(words) && error.message.contains(name), "{error}");
        }
    }
    let error = with("CLAUDE_CODE_CLIENT_CERT", "/garbage").client(&outside).unwrap_err();
    assert!(error.message.contains("CLAUDE_CODE_CLIENT_CERT"), "{error}");
    // What is only for the outside does not get between us and this machine.
    with("NODE_EXTRA_CA_CERTS", "/missing").client(&url("http://127.0.0.1:1")).unwrap();
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[test]
fn both_clients_build_on_demand_only() {
    let http = Http::new(|_| None, Arc::new(Nothing));
    assert!(!http.is_built());
    http.client(&url("http://127.0.0.1:1")).unwrap();
    assert!(http.0.full.get().is_none());
    http.client(&url("https://example.com")).unwrap();
    assert!(http.0.full.get().is_some());
}

#[test]
fn loopback_is_recognised() {
    for (text, expected) in [
        ("http://localhost:11434/v1", true),
        ("http://127.0.0.2", true),
        ("http://[::1]:80", true),
        ("http://192.168.0.2", false),
        ("https://api.anthropic.com", false),
    ] {
        assert_eq!(is_loopback(&url(text)), expected, "{text}");
    }
}

#[test]
fn a_malformed_proxy_is_an_error_not_a_panic() {
    let http = with("HTTPS_PROXY", "::not a proxy");
    let error = http.client(&url("https://example.com")).unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Network);
}
