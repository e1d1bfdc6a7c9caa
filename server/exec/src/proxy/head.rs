//! The heads of HTTP messages: what is asked for, and what is passed on. Whatever two programs
//! could read differently is refused.

use policy::{Host, is_ambiguous_path};

const MOST_HEADERS: usize = 128;

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// CONNECT: a tunnel to a host.
    Tunnel { host: Host, port: u16 },
    /// One request, to be made for the client: its head as the server gets it.
    Forward { host: Host, port: u16, head: Vec<u8>, body: Body },
}

/// How much the client has to say after the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Bytes(u64),
    /// In chunks: it says itself where it ends.
    Open,
}

/// Headers that concern one connection only, or us.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
    "host",
];

/// Reads a request's head, up to and with the empty line.
pub(super) fn request(head: &[u8]) -> Result<Wanted, &'static str> {
    let lines = lines(head)?;
    let (first, headers) = lines.split_first().ok_or("the request is empty.")?;
    let first = std::str::from_utf8(first).map_err(|_| "the request is not plain text.")?;
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("the request's first line is not HTTP.");
    };
    if !matches!(version, "HTTP/1.0" | "HTTP/1.1") || !is_token(method.as_bytes()) {
        return Err("the request's first line is not HTTP/1.");
    }
    let headers = parse_headers(headers)?;
    if method == "CONNECT" {
        let (host, port) = authority(target)?;
        let port = port.ok_or("CONNECT needs a port.")?;
        return Ok(Wanted::Tunnel { host, port });
    }
    let (place, path) = absolute(target)?;
    let (host, port) = authority(place)?;
    let port = port.unwrap_or(80);
    let body = body(&headers)?;
    // The host as we read it, whatever the client's own header says.
    let place = host.with_port(port);
    let place = place.strip_suffix(":80").unwrap_or(&place);
    let mut head = format!("{method} {path} {version}\r\nHost: {place}\r\n").into_bytes();
    keep(&headers, &mut head);
    Ok(Wanted::Forward { host, port, head, body })
}

/// Reads a response's head and gives it back with an end of the connection, or, for an interim
/// answer, as it is. The second value is whether more heads follow.
pub(super) fn response(head: &[u8]) -> Result<(Vec<u8>, bool), &'static str> {
    let lines = lines(head)?;
    let (first, headers) = lines.split_first().ok_or("the answer is empty.")?;
    let status = first.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    if !first.starts_with(b"HTTP/1.") || status.len() != 3 {
        return Err("the answer is not HTTP/1.");
    }
    if status.starts_with(b"1") {
        return Ok((head.to_vec(), true));
    }
    let mut kept = [first, b"\r\n".as_slice()].concat();
    keep(&parse_headers(headers)?, &mut kept);
    Ok((kept, false))
}

/// Adds the headers that go on, and the end of the head.
fn keep(headers: &[Header<'_>], head: &mut Vec<u8>) {
    let listed: Vec<String> = headers
        .iter()
        .filter(|header| header.is("connection"))
        .flat_map(|header| {
            String::from_utf8_lossy(header.value)
                .to_ascii_lowercase()
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect::<Vec<_>>()
        })
        // Framing goes on, whatever a client says about it.
        .filter(|name| name != "content-length" && name != "transfer-encoding")
        .collect();
    for header in headers {
        let dropped = HOP_BY_HOP.iter().any(|name| header.is(name))
            || listed.iter().any(|name| header.is(name));
        if !dropped {
            head.extend_from_slice(header.name);
            head.extend_from_slice(b": ");
            head.extend_from_slice(header.value);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
}

struct Header<'a> {
    name: &'a [u8],
    value: &'a [u8],
}

impl Header<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// The lines of a head. Only CR LF ends a line, and nothing else of that kind may occur.
fn lines(head: &[u8]) -> Result<Vec<&[u8]>, &'static str> {
    let head = head.strip_suffix(b"\r\n\r\n").ok_or("the head has no end.")?;
    let mut lines = Vec::new();
    let mut rest = head;
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n");
        let line = &rest[..end.unwrap_or(rest.len())];
        if line.iter().any(|byte| (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f) {
            return Err("the head holds control characters.");
        }
        lines.push(line);
        match end {
            Some(end) => rest = &rest[end + 2..],
            None => return Ok(lines),
        }
        if lines.len() > MOST_HEADERS {
            return Err("the head has too many lines.");
        }
    }
}

fn parse_headers<'a>(lines: &[&'a [u8]]) -> Result<Vec<Header<'a>>, &'static str> {
    let parse = |line: &&'a [u8]| {
        let colon = line.iter().position(|byte| *byte == b':').ok_or("a header has no colon.")?;
        let (name, value) = line.split_at(colon);
        if !is_token(name) {
            return Err("a header has an odd name.");
        }
        Ok(Header { name, value: value[1..].trim_ascii() })
    };
    lines.iter().map(parse).collect()
}

fn is_token(text: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(plain)
}

fn body(headers: &[Header<'_>]) -> Result<Body, &'static str> {
    let mut lengths = headers.iter().filter(|header| header.is("content-length"));
    let codings = headers.iter().filter(|header| header.is("transfer-encoding")).count();
    match (lengths.next(), lengths.next(), codings) {
        (None, None, 0) => Ok(Body::Bytes(0)),
        (None, None, 1) => Ok(Body::Open),
        (Some(length), None, 0) => std::str::from_utf8(length.value)
            .ok()
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .map(Body::Bytes)
            .ok_or("the length of the body is not a number."),
        _ => Err("the length of the body is given twice."),
    }
}

/// The authority and the path of `http://…`.
fn absolute(target: &str) -> Result<(&str, String), &'static str> {
    let scheme = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    let Some(rest) = scheme.and_then(|_| target.get(7..)) else {
        return Err("only http:// addresses and CONNECT go through this proxy.");
    };
    if !rest.bytes().all(|byte| byte.is_ascii_graphic()) || rest.contains(['#', '\\']) {
        return Err("the address holds characters that it may not.");
    }
    let (place, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if is_ambiguous_path(path.split('?').next().unwrap_or(path)) {
        return Err("the path climbs, which can be read in two ways.");
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Ok((place, format!("{slash}{path}")))
}

/// `host`, `host:port`, `[v6]:port`.
fn authority(text: &str) -> Result<(Host, Option<u16>), &'static str> {
    if text.contains('@') {
        return Err("the address carries a login.");
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let bracketed = host.starts_with('[') && host.ends_with(']');
    if host.contains(':') && !bracketed {
        return Err("an IPv6 address needs brackets.");
    }
    let host = Host::parse(host).map_err(|_| "the address has no host that can be looked up.")?;
    let port = match port {
        None => None,
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(
            port.parse()
                .ok()
                .filter(|port| *port != 0)
                .ok_or("the port is not a number from 1 to 65535.")?,
        ),
        Some(_) => return Err("the port is not a number."),
    };
    Ok((host, port))
}

#[cfg(test)]
mod tests;
