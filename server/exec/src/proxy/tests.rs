//! The proxy over loopback, with a resolver and a doorman of our own.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::*;

/// Says what it is told to, and counts the questions.
struct Door {
    open: Mutex<Vec<&'static str>>,
    /// Whether names may lead to this machine, where all the servers of these tests are.
    loopback: AtomicBool,
    asked: Mutex<Vec<String>>,
    /// Each answer takes one of these.
    answers: Semaphore,
}

impl Door {
    fn new(open: &[&'static str]) -> Arc<Door> {
        Arc::new(Door {
            open: Mutex::new(open.to_vec()),
            loopback: AtomicBool::new(true),
            asked: Mutex::default(),
            answers: Semaphore::new(Semaphore::MAX_PERMITS),
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Doorman for Door {
    fn admit<'a>(&'a self, host: &'a Host, _: u16) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(host.to_string());
            self.answers.acquire().await.unwrap().forget();
            let open = self.open.lock().unwrap().iter().any(|name| *name == host.to_string());
            if open { Ok(()) } else { Err("no rule allows it.".into()) }
        })
    }

    fn names_address(&self, _: &Host, address: IpAddr) -> bool {
        address.is_loopback() && self.loopback.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
struct Names {
    known: HashMap<&'static str, Vec<IpAddr>>,
    looked: AtomicUsize,
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        self.looked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            match name {
                "late.io" => std::future::pending().await,
                name => self.known.get(name).cloned().ok_or_else(|| std::io::Error::other("no")),
            }
        })
    }
}

fn names() -> Arc<Names> {
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    let known = [
        ("good.io", vec![address("127.0.0.1")]),
        ("other.io", vec![address("127.0.0.1")]),
        ("rebind.io", vec![address("10.0.0.1")]),
        ("mixed.io", vec![address("1.1.1.1"), address("169.254.169.254")]),
        ("mapped.io", vec![address("::ffff:192.168.0.1")]),
        ("empty.io", vec![]),
    ];
    Arc::new(Names { known: known.into(), looked: AtomicUsize::new(0) })
}

struct Stand {
    proxy: Arc<Proxy>,
    serving: Serving,
    http: SocketAddr,
    socks: SocketAddr,
}

fn serve(door: &Arc<Door>, limits: Limits) -> Stand {
    serve_through(door, limits, Upstream::default())
}

fn serve_through(door: &Arc<Door>, limits: Limits, upstream: Upstream) -> Stand {
    let proxy = Proxy::with(door.clone(), names(), (upstream, [None; 2]), limits);
    let listener = || TcpListener::bind("127.0.0.1:0").unwrap();
    let (http, socks) = (listener(), listener());
    let places = (http.local_addr().unwrap(), socks.local_addr().unwrap());
    let serving = proxy.serve(http, socks);
    Stand { proxy, serving, http: places.0, socks: places.1 }
}

fn quick() -> Limits {
    Limits { resolve: Duration::from_millis(50), ..Limits::default() }
}

/// A server that answers every connection with `text`, after it heard something, and keeps it open.
async fn server(text: &'static str) -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut heard = [0; 4096];
            let _ = stream.read(&mut heard).await;
            let _ = stream.write_all(text.as_bytes()).await;
            open.push(stream);
        }
    });
    port
}

/// Echoes, until the client ends.
async fn echo() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
            });
        }
    });
    port
}

async fn say(to: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

async fn ask(to: SocketAddr, text: &str) -> String {
    let mut stream = say(to, text).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

async fn hear(stream: &mut TcpStream, expect: &str) {
    let mut heard = vec![0; expect.len()];
    stream.read_exact(&mut heard).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&heard), expect);
}

const OPENED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

async fn tunnel(stand: &Stand, host: &str, port: u16) -> TcpStream {
    let text = format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\n");
    let mut stream = say(stand.http, &text).await;
    hear(&mut stream, OPENED).await;
    stream
}

#[tokio::test]
async fn a_tunnel_carries_both_ways_and_ends_with_either_side() {
    let door = Door::new(&["good.io"]);
    let stand = serve(&door, quick());
    let port = echo().await;
    let text = format!("CONNECT good.io:{port} HTTP/1.1\r\n\r\nearly ");
    let mut stream = say(stand.http, &text).await;
    hear(&mut stream, OPENED).await;
    stream.write_all(b"and late").await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "early and late");
    assert!(stand.serving.refused().is_empty());
}

#[tokio::test]
async fn a_refusal_is_one_sentence_that_names_the_host() {
    let door = Door::new(&[]);
    let stand = serve(&door, quick());
    let answer = ask(stand.http, "CONNECT evil.com:443 HTTP/1.1\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(answer.ends_with("\r\n\r\nBowline refused evil.com:443: no rule allows it.\n"));
    // A body that nobody wants does not cost the client the answer.
    let body = "x".repeat(50_000);
    let post = format!("POST http://evil.com/ HTTP/1.1\r\nContent-Length: 50000\r\n\r\n{body}");
    let answer = ask(stand.http, &post).await;
    assert!(answer.contains("Bowline refused evil.com:80"), "{answer}");
    assert_eq!(stand.serving.refused(), [("evil.com".into(), 443), ("evil.com".into(), 80)]);
}

#[tokio::test]
async fn names_that_lead_inside_or_nowhere_are_refused() {
    let all = ["good.io", "rebind.io", "mixed.io", "mapped.io", "empty.io", "none.io", "late.io"];
    let door = Door::new(&all);
    door.loopback.store(false, Ordering::Relaxed);
    let stand = serve(&door, quick());
    for (host, status, part) in [
        ("good.io", "403", "127.0.0.1"),
        ("rebind.io", "403", "10.0.0.1"),
        ("mixed.io", "403", "169.254.169.254"),
        ("mapped.io", "403", "192.168.0.1"),
        ("empty.io", "502", "not found"),
        ("none.io", "502", "not found"),
        ("late.io", "502", "did not answer"),
    ] {
        let answer = ask(stand.http, &format!("CONNECT {host}:80 HTTP/1.1\r\n\r\n")).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {answer}");
        assert!(answer.contains(part) && answer.contains(host), "{host}: {answer}");
    }
}

#[tokio::test]
async fn an_address_is_asked_about_as_what_it_is() {
    let door = Door::new(&["127.0.0.1", "localhost"]);
    door.loopback.store(false, Ordering::Relaxed);
    let stand = serve(&door, quick());
    let port = echo().await;
    for spelling in ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"] {
        drop(tunnel(&stand, spelling, port).await);
    }
    let answer = ask(stand.http, "CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert_eq!(door.asked(), ["127.0.0.1", "localhost", "169.254.169.254"]);
}

#[tokio::test]
async fn a_plain_request_is_made_once_and_a_redirect_is_asked_about_anew() {
    let door = Door::new(&["good.io"]);
    let stand = serve(&door, quick());
    let moved = "HTTP/1.1 302 Found\r\nLocation: http://evil.com/\r\nConnection: keep-alive\r\n\
                 Content-Length: 0\r\n\r\n";
    let port = server(moved).await;
    let get = format!(
        "GET http://good.io:{port}/a HTTP/1.1\r\n\r\nGET http://evil.com/ HTTP/1.1\r\n\r\n"
    );
    let mut stream = say(stand.http, &get).await;
    let expect = "HTTP/1.1 302 Found\r\nLocation: http://evil.com/\r\nContent-Length: 0\r\n\
                  Connection: close\r\n\r\n";
    hear(&mut stream, expect).await;
    drop(stream);
    assert_eq!(door.asked(), ["good.io"]);
    let answer = ask(stand.http, "GET http://evil.com/ HTTP/1.1\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    for odd in ["GET file:///etc/passwd HTTP/1.1\r\n\r\n", "GET ftp://good.io/ HTTP/1.1\r\n\r\n"] {
        assert!(ask(stand.http, odd).await.starts_with("HTTP/1.1 400 "));
    }
    let long = format!("GET http://good.io/ HTTP/1.1\r\nA: {}", "a".repeat(40_000));
    assert!(ask(stand.http, &long).await.starts_with("HTTP/1.1 431 "));
}

#[tokio::test]
async fn a_body_goes_with_its_request_and_nothing_after_it() {
    let door = Door::new(&["good.io"]);
    let stand = serve(&door, quick());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let post = format!(
        "POST http://good.io:{port}/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello\
         GET http://evil.com/ HTTP/1.1\r\nCookie: secret\r\n\r\n"
    );
    let mut client = say(stand.http, &post).await;
    let (mut server, _) = listener.accept().await.unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: good.io:{port}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\
         Connection: close\r\n\r\nhello"
    );
    hear(&mut server, &head).await;
    let answer = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    server.write_all(answer.as_bytes()).await.unwrap();
    server.shutdown().await.unwrap();
    let mut heard = String::new();
    client.read_to_string(&mut heard).await.unwrap();
    let closed = answer.replace("2\r\n\r\nok", "2\r\nConnection: close\r\n\r\nok");
    assert_eq!(heard, closed);
    let mut rest = Vec::new();
    drop(client);
    let _ = server.read_to_end(&mut rest).await;
    assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
}

/// A SOCKS5 exchange: the request after the greeting, and the code of the answer.
async fn socks(stand: &Stand, request: &[u8]) -> (u8, TcpStream) {
    let mut stream = TcpStream::connect(stand.socks).await.unwrap();
    stream.write_all(&[5, 2, 2, 0]).await.unwrap();
    let mut greeting = [0; 2];
    stream.read_exact(&mut greeting).await.unwrap();
    assert_eq!(greeting, [5, 0]);
    stream.write_all(request).await.unwrap();
    let mut answer = [0; 10];
    stream.read_exact(&mut answer).await.unwrap();
    (answer[1], stream)
}

fn named(name: &[u8], port: u16) -> Vec<u8> {
    let length = u8::try_from(name.len()).unwrap();
    [&[5, 1, 0, 3, length], name, &port.to_be_bytes()].concat()
}

#[tokio::test]
async fn socks_opens_names_and_addresses_and_nothing_odd() {
    let door = Door::new(&["good.io", "127.0.0.1", "none.io"]);
    let stand = serve(&door, quick());
    let port = echo().await;
    let bytes = port.to_be_bytes();
    let by_address = [&[5, 1, 0, 1, 127, 0, 0, 1], &bytes[..]].concat();
    let mapped = "::ffff:127.0.0.1".parse::<std::net::Ipv6Addr>().unwrap().octets();
    let by_v6 = [&[5, 1, 0, 4], &mapped[..], &bytes].concat();
    for request in [named(b"good.io", port), named(b"0x7f.1", port), by_address, by_v6] {
        let (code, mut stream) = socks(&stand, &request).await;
        assert_eq!(code, 0, "{request:?}");
        stream.write_all(b"ping").await.unwrap();
        hear(&mut stream, "ping").await;
    }
    for (request, code) in [
        (named(b"evil.com", port), 2),
        (named(b"good.io\0.evil.com", port), 2),
        (named(b"", port), 2),
        (named(&[b'a'; 255], port), 2),
        (named(b"\xff\xfe", port), 2),
        (named(b"good.io", 0), 2),
        (named(b"none.io", port), 4),
        ([&[5, 2, 0, 1, 127, 0, 0, 1], &bytes[..]].concat(), 7),
        (vec![5, 1, 0, 9], 8),
    ] {
        assert_eq!(socks(&stand, &request).await.0, code, "{request:?}");
    }
    assert_eq!(stand.serving.refused(), [("evil.com".to_owned(), port)]);
}

#[tokio::test]
async fn socks_without_a_free_method_is_refused() {
    let stand = serve(&Door::new(&[]), quick());
    let mut stream = TcpStream::connect(stand.socks).await.unwrap();
    stream.write_all(&[5, 1, 2]).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer, [5, 0xff]);
}

#[tokio::test]
async fn one_question_for_all_who_want_the_same() {
    let mut door = Door::new(&["good.io"]);
    Arc::get_mut(&mut door).unwrap().answers = Semaphore::new(0);
    let stand = serve(&door, quick());
    let port = echo().await;
    let text = format!("CONNECT good.io:{port} HTTP/1.1\r\n\r\n");
    let mut waiting = Vec::new();
    for _ in 0..20 {
        waiting.push(say(stand.http, &text).await);
    }
    while door.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    door.answers.add_permits(1);
    for stream in &mut waiting {
        hear(stream, OPENED).await;
    }
    // And the answer holds for whoever comes later.
    drop(tunnel(&stand, "good.io", port).await);
    assert_eq!(door.asked(), ["good.io"]);
}

#[tokio::test]
async fn a_question_ends_with_whoever_asked_it() {
    let mut door = Door::new(&["good.io"]);
    Arc::get_mut(&mut door).unwrap().answers = Semaphore::new(0);
    let stand = serve(&door, quick());
    let _stream = say(stand.http, "CONNECT good.io:80 HTTP/1.1\r\n\r\n").await;
    while door.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(stand.serving);
    // The doorman's future is gone: nobody takes the permit any more.
    while Arc::strong_count(&door) > 3 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_change_of_the_rules_cuts_what_they_no_longer_admit() {
    let door = Door::new(&["good.io", "other.io"]);
    let stand = serve(&door, quick());
    let port = echo().await;
    let mut cut = tunnel(&stand, "good.io", port).await;
    let mut kept = tunnel(&stand, "other.io", port).await;
    door.open.lock().unwrap().retain(|name| *name == "other.io");
    stand.proxy.recheck();
    let mut rest = Vec::new();
    let _ = cut.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
    kept.write_all(b"still here").await.unwrap();
    hear(&mut kept, "still here").await;
    assert_eq!(stand.serving.refused(), [("good.io".to_owned(), port)]);
    let answer = ask(stand.http, &format!("CONNECT good.io:{port} HTTP/1.1\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

#[tokio::test]
async fn a_flood_waits_outside() {
    let door = Door::new(&["good.io"]);
    let stand = serve(&door, Limits { connections: 4, ..quick() });
    let port = echo().await;
    let mut inside = Vec::new();
    for _ in 0..4 {
        inside.push(tunnel(&stand, "good.io", port).await);
    }
    let text = format!("CONNECT good.io:{port} HTTP/1.1\r\n\r\n");
    let mut outside = say(stand.http, &text).await;
    assert_eq!(stand.serving.service.free_seats(), 0);
    drop(inside.pop());
    hear(&mut outside, OPENED).await;
}

#[tokio::test]
async fn silence_and_half_requests_end() {
    let door = Door::new(&["good.io"]);
    let short = Duration::from_millis(20);
    let stand = serve(&door, Limits { idle: short, handshake: short, ..quick() });
    let port = echo().await;
    let mut stream = tunnel(&stand, "good.io", port).await;
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(ask(stand.http, "CONNECT good").await.starts_with("HTTP/1.1 408 "));
    assert_eq!(ask(stand.socks, "\x05").await, "");
}

#[tokio::test]
async fn everything_closes_when_it_is_dropped() {
    let door = Door::new(&["good.io"]);
    let stand = serve(&door, quick());
    let port = echo().await;
    let mut stream = tunnel(&stand, "good.io", port).await;
    drop(stand.serving);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
    while TcpStream::connect(stand.http).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[test]
fn programs_find_the_proxy_by_their_variables() {
    let variables: HashMap<_, _> = environment(1, 2).into_iter().collect();
    let get = |name: &str| variables[&OsString::from(name)].to_str().unwrap().to_owned();
    assert_eq!(get("HTTPS_PROXY"), "http://127.0.0.1:1");
    assert_eq!(get("all_proxy"), "socks5h://127.0.0.1:2");
    assert!(!get("NO_PROXY").contains("169.254"));
}

/// The user's own proxy: our own program again, in front of an echo.
#[tokio::test]
async fn the_users_own_proxy_is_the_way_out() {
    let beyond = serve(&Door::new(&["good.io", "far.io"]), quick());
    let env = [("https_proxy".into(), format!("http://{}", beyond.http).into())];
    let door = Door::new(&["good.io", "far.io", "rebind.io"]);
    let stand = serve_through(&door, quick(), Upstream::of(&env));
    let port = echo().await;
    let mut stream = tunnel(&stand, "good.io", port).await;
    stream.write_all(b"through").await.unwrap();
    hear(&mut stream, "through").await;
    // Not known here, nor there: it is the other one who says so.
    let answer = ask(stand.http, "CONNECT far.io:443 HTTP/1.1\r\n\r\n").await;
    assert!(answer.contains("502") && answer.contains("through your proxy"), "{answer}");
    // Known here, and leading inside.
    let answer = ask(stand.http, "CONNECT rebind.io:443 HTTP/1.1\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

/// A second request behind a body in chunks may be meant for another host.
#[tokio::test]
async fn nothing_follows_a_body_in_chunks() {
    let door = Door::new(&["good.io"]);
    let stand = serve(&door, quick());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let request = format!(
        "POST http://good.io:{port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
         3\r\nabc\r\n0\r\n\r\nGET http://evil.io/ HTTP/1.1\r\n\r\n"
    );
    let mut client = say(stand.http, &request).await;
    let (mut server, _) = listener.accept().await.unwrap();
    let mut heard = Vec::new();
    while !heard.ends_with(b"0\r\n\r\n") {
        heard.push(server.read_u8().await.unwrap());
    }
    client.write_all(b"more").await.unwrap();
    server.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
    server.shutdown().await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("ok"), "{answer}");
    let mut rest = Vec::new();
    let _ = server.read_to_end(&mut rest).await;
    assert_eq!(rest, b"");
}
