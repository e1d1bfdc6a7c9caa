//! The user's own proxy, where the internet is reached through one only.
//!
//! Whether a host may be reached is decided as ever; only the way there is another.

use std::ffi::OsString;
use std::io;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use policy::Host;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest answer to CONNECT.
const LONGEST: usize = 16 * 1024;

/// What the user's environment says about proxies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upstream {
    http: Option<Server>,
    https: Option<Server>,
    direct: Vec<String>,
}

#[derive(Clone, PartialEq, Eq)]
struct Server {
    host: String,
    port: u16,
    /// The header that proves who we are.
    login: Option<String>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Upstream {
    /// From `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not.
    pub fn of(env: &[(OsString, OsString)]) -> Upstream {
        let find = |wanted: &str| {
            let named = |name: &str| env.iter().rev().find(|(key, _)| key == name);
            let found = named(&wanted.to_ascii_lowercase()).or_else(|| named(wanted));
            found.and_then(|(_, value)| value.to_str()).map(str::trim).filter(|it| !it.is_empty())
        };
        let server = |name: &str| {
            let text = find(name).or_else(|| find("ALL_PROXY"))?;
            let server = Server::parse(text);
            if server.is_none() {
                tracing::warn!(
                    name,
                    "commands in the sandbox do not use this proxy: only http:// proxies are known"
                );
            }
            server
        };
        let direct = find("NO_PROXY").unwrap_or_default().split([',', ' ']);
        let direct = direct.map(|name| name.trim().to_ascii_lowercase());
        Upstream {
            http: server("HTTP_PROXY"),
            https: server("HTTPS_PROXY"),
            direct: direct.filter(|name| !name.is_empty()).collect(),
        }
    }

    /// The way to this host, if it leads through a proxy.
    fn server(&self, host: &Host, port: u16) -> Option<&Server> {
        let server = if port == 80 { self.http.as_ref() } else { self.https.as_ref() }?;
        let local = host.is_localhost() || host.address().is_some_and(|it| it.is_loopback());
        (!local && !self.is_direct(host, port)).then_some(server)
    }

    pub(super) fn serves(&self, host: &Host, port: u16) -> bool {
        self.server(host, port).is_some()
    }

    fn is_direct(&self, host: &Host, port: u16) -> bool {
        let name = host.to_string();
        self.direct.iter().any(|entry| {
            let (entry, only) = match entry.rsplit_once(':') {
                Some((start, digits)) if !start.contains(':') => (start, digits.parse().ok()),
                _ => (entry.as_str(), None),
            };
            let entry = entry.strip_prefix('*').unwrap_or(entry);
            let suffix = entry.strip_prefix('.').unwrap_or(entry);
            let below = || name.strip_suffix(suffix).is_some_and(|rest| rest.ends_with('.'));
            only.is_none_or(|only: u16| only == port)
                && (entry.is_empty() || name == suffix || below())
        })
    }

    /// A tunnel to the host, through the proxy.
    pub(super) async fn connect(&self, host: &Host, port: u16) -> io::Result<TcpStream> {
        let server = self.server(host, port).ok_or(io::ErrorKind::NotFound)?;
        let mut stream = TcpStream::connect((server.host.as_str(), server.port)).await?;
        let place = host.with_port(port);
        let login = server.login.as_deref().unwrap_or_default();
        let request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{login}\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        // Byte by byte: what comes after the head belongs to the tunnel.
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() == LONGEST {
                return Err(io::Error::other("the proxy's answer is too long"));
            }
            head.push(stream.read_u8().await?);
        }
        let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        if line.starts_with("HTTP/1.") && line.split(' ').nth(1) == Some("200") {
            return Ok(stream);
        }
        Err(io::Error::other(format!("the proxy {}:{} says {line:?}", server.host, server.port)))
    }
}

impl Server {
    /// `http://user:password@host:port`, with or without all but the host.
    fn parse(text: &str) -> Option<Server> {
        let rest = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => return None,
            None => text,
        };
        let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let (login, place) = match rest.rsplit_once('@') {
            Some((login, place)) => (Some(login), place),
            None => (None, rest),
        };
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (place, 80),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let known = host.parse::<IpAddr>().is_ok() || Host::parse(host).is_ok();
        let login = login.map(|login| {
            format!("Proxy-Authorization: Basic {}\r\n", STANDARD.encode(decoded(login)))
        });
        known.then(|| Server { host: host.to_owned(), port, login })
    }
}

/// Without the percent signs of an address.
fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *byte == b'%') {
            Some(value) => {
                all.push(value);
                at += 3;
            }
            None => {
                all.push(*byte);
                at += 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(env: &[(&str, &str)]) -> Upstream {
        let env: Vec<_> = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Upstream::of(&env)
    }

    #[test]
    fn the_environment_says_which_way() {
        let check = |env: &[(&str, &str)], host: &str, port: u16, expect: Option<&str>| {
            let upstream = upstream(env);
            let server = upstream.server(&Host::parse(host).unwrap(), port);
            let found = server.map(|server| format!("{server:?}"));
            assert_eq!(found.as_deref(), expect, "{env:?} {host}:{port}");
        };
        check(&[], "a.io", 443, None);
        let both = [("HTTPS_PROXY", "http://p:8080/"), ("http_proxy", "q")];
        check(&both, "a.io", 443, Some("p:8080"));
        check(&both, "a.io", 80, Some("q:80"));
        check(&both, "a.io", 22, Some("p:8080"));
        check(&both, "127.0.0.1", 443, None);
        check(&both, "localhost", 443, None);
        check(&[("ALL_PROXY", "http://[::1]:1")], "a.io", 443, Some("::1:1"));
        check(&[("HTTPS_PROXY", "socks5://p:1")], "a.io", 443, None);
        let some = [("https_proxy", "p:1"), ("no_proxy", "b.io, .c.io,*.d.io,10.0.0.1,e.io:8443")];
        for (host, port, direct) in [
            ("a.io", 443, false),
            ("b.io", 443, true),
            ("x.b.io", 443, true),
            ("xb.io", 443, false),
            ("y.c.io", 443, true),
            ("z.d.io", 443, true),
            ("10.0.0.1", 443, true),
            ("10.0.0.11", 443, false),
            ("e.io", 443, false),
            ("e.io", 8443, true),
        ] {
            check(&some, host, port, (!direct).then_some("p:1"));
        }
        check(&[("HTTPS_PROXY", "p:1"), ("NO_PROXY", "*")], "a.io", 443, None);
    }

    #[test]
    fn a_login_is_sent_and_not_shown() {
        let server = Server::parse("http://me:p%40ss@p:1").unwrap();
        assert_eq!(server.login.as_deref(), Some("Proxy-Authorization: Basic bWU6cEBzcw==\r\n"));
        assert!(!format!("{server:?}").contains("ss"));
    }
}
