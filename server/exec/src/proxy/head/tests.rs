//! Heads that are understood, and heads that are refused.

use super::*;

fn forwarded(text: &str) -> Result<(String, u16, String, Body), &'static str> {
    match request(text.as_bytes())? {
        Wanted::Forward { host, port, head, body } => {
            Ok((host.to_string(), port, String::from_utf8(head).unwrap(), body))
        }
        Wanted::Tunnel { host, port } => {
            Ok((host.to_string(), port, "tunnel".into(), Body::Bytes(0)))
        }
    }
}

#[test]
fn tunnels_go_to_the_host_they_name() {
    let check = |target: &str, expect: Option<(&str, u16)>| {
        let got = forwarded(&format!("CONNECT {target} HTTP/1.1\r\nHost: other\r\n\r\n")).ok();
        assert_eq!(
            got.map(|(host, port, ..)| (host, port)),
            expect.map(|(h, p)| (h.into(), p)),
            "{target}"
        );
    };
    check("good.io:443", Some(("good.io", 443)));
    check("GOOD.io.:443", Some(("good.io", 443)));
    check("[::1]:22", Some(("::1", 22)));
    check("0x7f.1:80", Some(("127.0.0.1", 80)));
    for odd in [
        "good.io",
        "good.io:",
        "good.io:0",
        "good.io:65536",
        "good.io:+80",
        "a@b:80",
        "::1:80",
        "good.io:80:80",
        "good%00.io:80",
        "/x",
        ":80",
        "[::1]",
        "good.io\\x:80",
    ] {
        check(odd, None);
    }
}

#[test]
fn a_request_goes_on_without_what_concerns_us() {
    let text = "GET http://Good.io:8080/a?b=..%2f HTTP/1.1\r\nHost: evil.com\r\nAccept: */*\r\n\
                Proxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\n\
                Connection: keep-alive, X-Secret\r\nX-Secret: 1\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\n\r\n";
    let (host, port, head, body) = forwarded(text).unwrap();
    assert_eq!((host.as_str(), port, body), ("good.io", 8080, Body::Bytes(0)));
    assert_eq!(
        head,
        "GET /a?b=..%2f HTTP/1.1\r\nHost: good.io:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    );
    let framed =
        "POST http://good.io?x HTTP/1.0\r\nContent-Length: 3\r\nConnection: content-length\r\n\r\n";
    let (_, port, head, body) = forwarded(framed).unwrap();
    assert_eq!((port, body), (80, Body::Bytes(3)));
    assert!(
        head.starts_with("POST /?x HTTP/1.0\r\n") && head.contains("Content-Length: 3"),
        "{head}"
    );
}

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    for text in [
        "",
        "GET /relative HTTP/1.1",
        "GET https://good.io/ HTTP/1.1",
        "GET file:///etc/passwd HTTP/1.1",
        "GET ftp://good.io/ HTTP/1.1",
        "GET http:///x HTTP/1.1",
        "GET http://good.io/ HTTP/2",
        "GET  http://good.io/ HTTP/1.1",
        "GET http://good.io/ x HTTP/1.1",
        "G{T http://good.io/ HTTP/1.1",
        "GET http://good.io@evil.com/ HTTP/1.1",
        "GET http://good.io\\@evil.com/ HTTP/1.1",
        "GET http://good.io/#x HTTP/1.1",
        "GET http://good.io/a/../b HTTP/1.1",
        "GET http://good.io/a/%2e%2e/b HTTP/1.1",
        "GET http://good.io/ü HTTP/1.1",
        "GET http://good.io/ HTTP/1.1\r\nA : b",
        "GET http://good.io/ HTTP/1.1\r\nA: b\r\n folded",
        "GET http://good.io/ HTTP/1.1\r\nA: b\nC: d",
        "GET http://good.io/ HTTP/1.1\r\nA: b\rC: d",
        "GET http://good.io/ HTTP/1.1\r\nA: \0",
        "GET http://good.io/ HTTP/1.1\r\nno colon",
        "POST http://good.io/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked",
        "POST http://good.io/ HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4",
        "POST http://good.io/ HTTP/1.1\r\nContent-Length: +3",
    ] {
        assert!(request(format!("{text}\r\n\r\n").as_bytes()).is_err(), "{text:?}");
    }
    let many = format!("GET http://a.io/ HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
    assert!(request(many.as_bytes()).is_err());
}

#[test]
fn an_answer_ends_the_connection_unless_it_is_interim() {
    let (head, more) =
        response(b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nA: b\r\n\r\n").unwrap();
    assert_eq!(head, b"HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n\r\n");
    assert!(!more);
    assert!(response(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap().1);
    assert!(response(b"SSH-2.0\r\n\r\n").is_err());
}

proptest::proptest! {
    #[test]
    fn heads_never_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = request(&bytes);
        let _ = request(&[&bytes[..], b"\r\n\r\n"].concat());
        let _ = response(&[b"HTTP/1.1 ", &bytes[..], b"\r\n\r\n"].concat());
    }
}
