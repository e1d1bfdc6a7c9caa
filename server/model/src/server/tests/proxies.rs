//! Requests through a real proxy on this machine.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

/// A proxy that leads every plain request to our server, refuses tunnels, and keeps the heads it
/// was sent.
async fn proxy(server: &TestServer) -> (String, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let target = server.url().strip_prefix("http://").unwrap().to_owned();
    let (heads, received) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(client.read_u8().await.unwrap());
            }
            let text = String::from_utf8(head.clone()).unwrap();
            let is_tunnel = text.starts_with("CONNECT");
            heads.send(text).unwrap();
            if is_tunnel {
                let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
                client.write_all(refusal).await.unwrap();
                continue;
            }
            let mut there = TcpStream::connect(&target).await.unwrap();
            there.write_all(&head).await.unwrap();
            tokio::spawn(async move {
                drop(tokio::io::copy_bidirectional(&mut client, &mut there).await);
            });
        }
    });
    (address, received)
}

#[tokio::test]
async fn a_proxy_gets_what_goes_outside_and_nothing_else() {
    let server = server(Scenario::new().forever().text("ok")).await;
    let (address, mut heads) = proxy(&server).await;
    let through = format!("http://user:word@{address}");
    let env = |base: &str, exempt: &str| {
        Env::from([
            ("ANTHROPIC_BASE_URL", base),
            ("ANTHROPIC_API_KEY", "k"),
            ("HTTP_PROXY", &through),
            ("HTTPS_PROXY", &through),
            ("NO_PROXY", exempt),
        ])
    };
    let provider = |base, exempt| provider_for(&env(base, exempt), None).unwrap().0;
    let outside = provider("http://api.outside.invalid", "");
    assert_eq!(text_of(&ask(&outside, prompt("hi")).await.0), "ok");
    let head = heads.recv().await.unwrap();
    assert!(head.starts_with("POST http://api.outside.invalid/v1/messages "), "{head}");
    let lower = head.to_ascii_lowercase();
    assert!(lower.contains("proxy-authorization: basic"), "{head}");
    // This machine's own servers, and what is exempt, are reached without it.
    assert_eq!(text_of(&ask(&provider(server.url(), ""), prompt("hi")).await.0), "ok");
    let exempt = provider("http://api.outside.invalid", "outside.invalid");
    assert_eq!(fails(&exempt, "hi").await.kind, ModelErrorKind::Network);
    // A secure address goes through a tunnel, without a word of the request.
    let secure = provider("https://api.outside.invalid", "");
    let error = fails(&secure, "hi").await;
    assert_eq!(error.kind, ModelErrorKind::Network, "{error}");
    let head = heads.recv().await.unwrap();
    assert!(head.starts_with("CONNECT api.outside.invalid:443 "), "{head}");
    assert!(!head.to_ascii_lowercase().contains("x-api-key"), "{head}");
}
