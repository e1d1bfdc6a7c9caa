//! A small web on this machine.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Answers every request for a path with these bytes. Gives the address and a count of requests.
async fn serve(
    answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
) -> (Url, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            let mut head = vec![0; 4096];
            let read = stream.read(&mut head).await.unwrap_or_default();
            let head = String::from_utf8_lossy(&head[..read]).into_owned();
            let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
            let _ = stream.write_all(&answer(&path)).await;
            let _ = stream.shutdown().await;
        }
    });
    (url, count)
}

fn page(body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
    format!("{head}{body}").into_bytes()
}

fn moved(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nConnection: close\r\n\r\n").into_bytes()
}

#[tokio::test]
async fn a_page_is_fetched_once_and_redirects_stay_on_their_host() {
    let (url, count) = serve(|path| match path {
        "/" => page("<h1>Harbour</h1><p>One &amp; two"),
        "/old" => moved("/"),
        "/away" => moved("https://example.com/x"),
        "/loop" => moved("/loop"),
        "/file" => moved("file:///etc/passwd"),
        _ => b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\ngone".to_vec(),
    })
    .await;
    let web = Web::default();
    let text = async |path: &str| match web.get(&url.join(path).unwrap()).await.unwrap() {
        Fetched::Page(page) => format!("{} {:?}", page.status, page.body),
        Fetched::Elsewhere { to, status } => format!("{status} {to}"),
    };
    let harbour = r##"200 Text("# Harbour\n\nOne & two\n")"##;
    assert_eq!(text("/").await, harbour);
    assert_eq!(text("/").await, harbour);
    assert_eq!(count.load(Ordering::Relaxed), 1, "the second time it is remembered");
    assert_eq!(text("/old").await, harbour);
    assert_eq!(text("/away").await, "302 https://example.com/x");
    assert_eq!(text("/missing").await, r#"404 Text("gone")"#);
    let error = async |path: &str| web.get(&url.join(path).unwrap()).await.unwrap_err().to_string();
    assert!(error("/loop").await.contains("more than 10 times"));
    assert!(error("/file").await.contains("only http and https"));
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    let (url, _) = serve(|_| page(&"x".repeat(MOST_BYTES + 1))).await;
    let error = Web::default().get(&url).await.unwrap_err();
    assert!(matches!(error, WebError::TooLarge), "{error}");
}

#[test]
fn where_redirects_lead() {
    let check = |from: &str, to: &str, expect: &str| {
        let from: Url = from.parse().unwrap();
        let got = match redirect(&from, to) {
            Ok(next) if same_host(&from, &next) => format!("follow {next}"),
            Ok(next) => format!("ask {next}"),
            Err(_) => "no".to_owned(),
        };
        assert_eq!(got, expect, "{from} {to}");
    };
    check("https://a.io/x", "/y", "follow https://a.io/y");
    check("https://a.io/x", "https://www.a.io/y", "follow https://www.a.io/y");
    check("http://a.io/x", "https://a.io/y", "follow https://a.io/y");
    check("https://a.io/x", "http://a.io/y", "no");
    check("https://a.io/x", "https://a.io.evil.com/", "ask https://a.io.evil.com/");
    check("https://a.io/x", "https://a.io:8443/", "ask https://a.io:8443/");
    check("https://a.io/x", "//b.io/", "ask https://b.io/");
    check("https://a.io/x", "https://u:p@a.io/", "no");
    check("https://a.io/x", "ftp://a.io/", "no");
}
