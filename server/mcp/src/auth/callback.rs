//! Where the browser comes back to after a sign-in: a tiny server on this machine, there for one
//! sign-in only.
//!
//! Anybody on this machine, and any page in the browser, may knock. What counts is a request to our
//! own address with the secret that only the sign-in page was told; all else is answered and
//! forgotten.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

/// The longest head of a request; codes are long at times.
const LARGEST_HEAD: usize = 16 * 1024;
/// How long one visitor may take to say what it wants.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Visitors at once. Browsers open a connection or two ahead of time.
const VISITORS: usize = 16;
const PATH: &str = "/callback";

/// What a sign-in page sends the browser back with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: String,
    /// Who says so (RFC 9207).
    pub(crate) issuer: Option<String>,
}

/// Listens from the moment it is made.
pub(crate) struct Callback {
    listener: TcpListener,
    port: u16,
}

impl Callback {
    /// `port` is the one that the configuration names; any other will do without.
    pub(crate) async fn listen(port: Option<u16>) -> Result<Callback, String> {
        let wanted = port.unwrap_or(0);
        let listener = TcpListener::bind(("127.0.0.1", wanted)).await.map_err(|error| {
            format!("Port {wanted} of this machine cannot be listened on ({error}); free it or choose another `oauth.callbackPort`.")
        })?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        Ok(Callback { listener, port })
    }

    /// `host` is what the sign-in service knows this machine by.
    pub(crate) fn address(&self, host: &str) -> String {
        format!("http://{host}:{}{PATH}", self.port)
    }

    /// Waits for the browser. The caller sees to the deadline.
    pub(crate) async fn wait(&self, state: &str) -> Result<Answer, String> {
        let mut visitors = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if visitors.len() < VISITORS => {
                    // One connection that failed says nothing about the next.
                    if let Ok((stream, _)) = accepted {
                        visitors.spawn(visit(stream, self.port, state.to_owned()));
                    }
                }
                Some(visit) = visitors.join_next() => {
                    if let Ok(Some(answer)) = visit {
                        return answer;
                    }
                }
            }
        }
    }
}

/// One request. `None` when it is not the one that is waited for.
async fn visit(mut stream: TcpStream, port: u16, state: String) -> Option<Result<Answer, String>> {
    let head = timeout(HEAD_WITHIN, read_head(&mut stream)).await.ok().flatten();
    let reading = head.as_deref().map_or(Reading::Other, |head| read(head, port, &state));
    let (status, text) = match &reading {
        Reading::Answer(_) => ("200 OK", "You are signed in. This page can be closed."),
        Reading::Refused(_) => ("200 OK", "You are not signed in. This page can be closed."),
        Reading::Other => ("404 Not Found", "There is nothing here."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>Bowline</title><p>{text}</p>\n");
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    // Whoever has left does not miss the page.
    drop(timeout(HEAD_WITHIN, stream.write_all(response.as_bytes())).await);
    drop(timeout(HEAD_WITHIN, stream.shutdown()).await);
    match reading {
        Reading::Answer(answer) => Some(Ok(answer)),
        Reading::Refused(why) => Some(Err(why)),
        Reading::Other => None,
    }
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&piece[..count]);
        if head.len() > LARGEST_HEAD {
            return None;
        }
    }
    String::from_utf8(head).ok()
}

#[derive(Debug, PartialEq, Eq)]
enum Reading {
    Answer(Answer),
    /// The sign-in page says no.
    Refused(String),
    Other,
}

fn read(head: &str, port: u16, state: &str) -> Reading {
    let mut lines = head.lines();
    let mut request = lines.next().unwrap_or_default().split(' ');
    let (Some("GET"), Some(target)) = (request.next(), request.next()) else {
        return Reading::Other;
    };
    let headers = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':'));
    let hosts: Vec<&str> = headers
        .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, value)| value.trim())
        .collect();
    // A page of another name that was made to lead here is not our address.
    let ours = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    if !matches!(hosts[..], [host] if ours.iter().any(|name| name == host)) {
        return Reading::Other;
    }
    let Some(query) = target.strip_prefix(PATH).and_then(|rest| rest.strip_prefix('?')) else {
        return Reading::Other;
    };
    read_query(query, state)
}

/// What an address says that the user copied from the browser, where that cannot reach this
/// machine.
pub(crate) fn read_address(address: &str, state: &str) -> Result<Answer, String> {
    let url = Url::parse(address.trim()).map_err(|_| "That is no address.".to_owned())?;
    match read_query(url.query().unwrap_or_default(), state) {
        Reading::Answer(answer) => Ok(answer),
        Reading::Refused(why) => Err(why),
        Reading::Other => Err("That address does not belong to this sign-in.".to_owned()),
    }
}

fn read_query(query: &str, state: &str) -> Reading {
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    let only = |wanted: &str| {
        let mut found = pairs.iter().filter(|(name, _)| name == wanted);
        // Twice the same name is two readings of one answer.
        found.next().filter(|_| found.next().is_none()).map(|(_, value)| value.as_ref())
    };
    if only("state") != Some(state) {
        return Reading::Other;
    }
    if let Some(error) = only("error") {
        let more = only("error_description").unwrap_or_default();
        return Reading::Refused(super::one_line(&format!("{error} {more}")));
    }
    match only("code") {
        Some(code) if !code.is_empty() => Reading::Answer(Answer {
            code: code.to_owned(),
            issuer: only("iss").map(str::to_owned),
        }),
        _ => Reading::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(target: &str, host: &str) -> String {
        format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\r\n")
    }

    fn answer(code: &str, issuer: Option<&str>) -> Reading {
        Reading::Answer(Answer { code: code.to_owned(), issuer: issuer.map(str::to_owned) })
    }

    #[test]
    fn only_the_right_request_counts() {
        let check = |target: &str, host: &str, expect: Reading| {
            assert_eq!(read(&head(target, host), 99, "s3"), expect, "{target} {host}");
        };
        let here = "127.0.0.1:99";
        check("/callback?code=a%2Fb&state=s3", here, answer("a/b", None));
        check(
            "/callback?state=s3&code=c&iss=https%3A%2F%2Fx",
            "localhost:99",
            answer("c", Some("https://x")),
        );
        check("/callback?code=c&state=wrong", here, Reading::Other);
        check("/callback?code=c", here, Reading::Other);
        check("/callback?code=&state=s3", here, Reading::Other);
        check("/callback?code=c&code=d&state=s3", here, Reading::Other);
        check("/callback?code=c&state=s3&state=s3", here, Reading::Other);
        check("/callback/x?code=c&state=s3", here, Reading::Other);
        check("/favicon.ico", here, Reading::Other);
        check("/callback?code=c&state=s3", "evil.example:99", Reading::Other);
        check("/callback?code=c&state=s3", "127.0.0.1:98", Reading::Other);
        let refused = Reading::Refused("access_denied no way".to_owned());
        check("/callback?error=access_denied&error_description=no%0Away&state=s3", here, refused);
        check("/callback?error=access_denied&state=x", here, Reading::Other);
        let post = head("/callback?code=c&state=s3", here).replacen("GET", "POST", 1);
        assert_eq!(read(&post, 99, "s3"), Reading::Other);
    }

    #[tokio::test]
    async fn others_may_knock_and_nobody_is_kept_waiting() {
        let callback = Callback::listen(None).await.unwrap();
        let address = callback.address("127.0.0.1");
        let port = callback.port;
        let visitors = async {
            // Opened ahead of time, as browsers do, and never used.
            let idle = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            for target in ["/", "/callback?code=x&state=bad", "/callback?code=good&state=s"] {
                let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let text = head(target, &format!("127.0.0.1:{port}"));
                stream.write_all(text.as_bytes()).await.unwrap();
                let mut said = String::new();
                stream.read_to_string(&mut said).await.unwrap();
                let expect = if target.contains("good") { "200" } else { "404" };
                assert!(said.starts_with(&format!("HTTP/1.1 {expect}")), "{said}");
            }
            drop(idle);
        };
        let (got, ()) = tokio::join!(callback.wait("s"), visitors);
        assert_eq!(got.unwrap().code, "good");
        let pasted = read_address(&format!("{address}?code=p&state=s"), "s").unwrap();
        assert_eq!(pasted.code, "p");
        assert!(read_address("https://x/?code=p&state=t", "s").is_err());
    }
}
