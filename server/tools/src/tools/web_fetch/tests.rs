//! Addresses and parts of pages; the fetching itself is tested where it happens.

use super::*;
use crate::testing::Desk;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

#[test]
fn addresses() {
    let check = |given: &str, expect: &str| {
        let got = address(given).map_or_else(|_| "no".to_owned(), |url| url.to_string());
        assert_eq!(got, expect, "{given}");
    };
    check("http://example.com/a#b", "https://example.com/a");
    check("https://example.com", "https://example.com/");
    check("http://localhost:3000/", "http://localhost:3000/");
    check("http://127.0.0.1/", "http://127.0.0.1/");
    check("http://example.com:8080/", "http://example.com:8080/");
    check("ftp://example.com/", "no");
    check("file:///etc/passwd", "no");
    check("example.com", "no");
}

#[test]
fn parts_of_a_long_page() {
    let long = "é".repeat(WINDOW + 5);
    let (part, next) = window(&long, 0);
    assert_eq!((part.chars().count(), next), (WINDOW, Some(WINDOW as u64)));
    let (part, next) = window(&long, WINDOW as u64);
    assert_eq!((part.chars().count(), next), (5, None));
    assert_eq!(window(&long, u64::MAX), ("", None));
}

#[tokio::test]
async fn a_page_is_asked_about_and_then_read_by_the_quick_model() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 1024];
            let _ = stream.read(&mut head).await;
            let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n\
                        <h1>Tide</h1><p>High at six";
            let _ = stream.write_all(page.as_bytes()).await;
        }
    });
    let desk = Desk::new(&[]);
    let input = json!({"url": url, "prompt": "When is the tide high?"});
    let text = desk.ok("WebFetch", input.clone()).await;
    assert_eq!(text, "quick: When is the tide high?");
    let asked = desk.editor.quick.lock().unwrap().remove(0);
    assert!(asked.prompt.contains("# Tide\n\nHigh at six"), "{}", asked.prompt);
    assert!(desk.user.asked()[0].reason.contains("an address of this machine"));
    *desk.editor.no_quick.lock().unwrap() = true;
    let text = desk.ok("WebFetch", input).await;
    assert!(text.contains("It begins:\n# Tide"), "{text}");
    let text = desk.err("WebFetch", json!({"url": "file:///etc/passwd", "prompt": "x"})).await;
    assert!(text.contains("only http and https"), "{text}");
}
