//! Header lines of messages, and headers where none should be.

use memchr::memchr2_iter;

const NAME: &[u8] = b"content-length:";
/// A header line that is longer than this is not recognised outside of its place.
pub(super) const LONGEST: usize = 64;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Empty,
    Length(usize),
    /// A header that means nothing to us.
    Ignored,
    /// A header that cannot be; one sentence.
    Problem(String),
    /// No header; the length of one that begins in the middle of the line.
    Garbage {
        length: Option<usize>,
    },
}

pub(super) fn read_line(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Line::Empty;
    }
    let (name, value) = match line.iter().position(|byte| *byte == b':') {
        Some(colon) => line.split_at(colon),
        None => (line, &b""[..]),
    };
    let is_name =
        |name: &[u8]| name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    if value.is_empty() || name.is_empty() || !is_name(name) {
        return Line::Garbage { length: length_within(line) };
    }
    let value = value.get(1..).unwrap_or_default().trim_ascii();
    if name.eq_ignore_ascii_case(b"content-length") {
        return number(value).map_or_else(
            || {
                let shown: String = String::from_utf8_lossy(value).chars().take(40).collect();
                Line::Problem(format!("{shown:?} is not a length."))
            },
            Line::Length,
        );
    }
    if let Some(length) = length_within(line) {
        return Line::Garbage { length: Some(length) };
    }
    if name.eq_ignore_ascii_case(b"content-type") {
        return Line::Ignored;
    }
    Line::Problem("A header line is neither Content-Length nor Content-Type.".to_owned())
}

fn number(digits: &[u8]) -> Option<usize> {
    let all = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    // A number that does not fit is a length all the same, and too long.
    all.then(|| std::str::from_utf8(digits).ok()?.parse().map_or(Some(usize::MAX), Some)).flatten()
}

/// The length that the last header within a line announces, at its end.
fn length_within(line: &[u8]) -> Option<usize> {
    let at = line.len().checked_sub(NAME.len())?;
    let begin = (0..=at).rev().find(|at| begins(line.get(*at..).unwrap_or_default()))?;
    number(line.get(begin + NAME.len()..)?.trim_ascii())
}

fn begins(bytes: &[u8]) -> bool {
    bytes.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}

/// Where a header is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Match {
    At(usize),
    /// Here it may begin, once more bytes are there.
    MayBeAt(usize),
    None,
}

/// Looks for a whole header line `Content-Length: n` between two places.
pub(super) fn find(bytes: &[u8], from: usize, to: usize) -> Match {
    let Some(piece) = bytes.get(from..to) else { return Match::None };
    for at in memchr2_iter(b'C', b'c', piece) {
        match prefix(piece.get(at..).unwrap_or_default()) {
            Prefix::Whole => return Match::At(from + at),
            Prefix::Begun => return Match::MayBeAt(from + at),
            Prefix::Other => {}
        }
    }
    Match::None
}

#[derive(PartialEq, Eq)]
enum Prefix {
    Whole,
    /// It may become a header with more bytes.
    Begun,
    Other,
}

/// What bytes that begin where a header may begin are of one.
fn prefix(bytes: &[u8]) -> Prefix {
    let named = bytes.len().min(NAME.len());
    let (Some(name), Some(expected)) = (bytes.get(..named), NAME.get(..named)) else {
        return Prefix::Other;
    };
    if !name.eq_ignore_ascii_case(expected) {
        return Prefix::Other;
    }
    let mut rest = bytes.get(named..).unwrap_or_default();
    rest = rest.get(..rest.len().min(LONGEST - NAME.len())).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
    rest = rest.get(blanks..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match (digits, rest.get(digits..).unwrap_or_default()) {
        (_, []) | (1.., [b'\r']) if bytes.len() < LONGEST => Prefix::Begun,
        (1.., [b'\n', ..] | [b'\r', b'\n', ..]) => Prefix::Whole,
        _ => Prefix::Other,
    }
}

/// A body that has its announced length, and the beginning of the next header at its end: where the
/// message itself ends.
pub(super) fn begun_behind_message(body: &[u8]) -> Option<usize> {
    let tail = body.get(body.len().saturating_sub(LONGEST)..)?;
    let closed = tail.iter().rposition(|byte| matches!(byte, b'}' | b']'))? + 1;
    let behind = tail.get(closed..).unwrap_or_default();
    let begin = behind.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let found = prefix(behind.get(begin..)?) != Prefix::Other;
    found.then_some(body.len() - tail.len() + closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check =
            |line: &str, expect: Line| assert_eq!(read_line(line.as_bytes()), expect, "{line:?}");
        check("\r", Line::Empty);
        check("Content-Length: 5\r", Line::Length(5));
        check("content-length:5", Line::Length(5));
        check("Content-Length: 99999999999999999999999", Line::Length(usize::MAX));
        check("Content-Type: x; charset=utf-8", Line::Ignored);
        for wrong in ["Content-Length: -1", "Content-Length: x", "Content-Length:", "X-Y: 1"] {
            assert!(matches!(read_line(wrong.as_bytes()), Line::Problem(_)), "{wrong}");
        }
        check("{\"a\": 1}", Line::Garbage { length: None });
        check("noise", Line::Garbage { length: None });
        check("\"}Content-Length: 7\r", Line::Garbage { length: Some(7) });
        check("\"}Content-Length: 7 \"", Line::Garbage { length: None });
    }

    #[test]
    fn headers_inside_of_bodies() {
        let check = |body: &str, expect: Match| {
            assert_eq!(find(body.as_bytes(), 0, body.len()), expect, "{body:?}");
        };
        check("{}Content-Length: 7\r\n", Match::At(2));
        check("{}\ncontent-length:7\n", Match::At(3));
        check("{\"a\":\"Content-Length: 7\\r\\n\"}", Match::None);
        check("{\"a\":\"Content-Length", Match::MayBeAt(6));
        check("{}Content-Length: 7\r", Match::MayBeAt(2));
        check("cccC", Match::MayBeAt(3));
        check(&format!("Content-Length: {}", "1".repeat(100)), Match::None);
    }

    #[test]
    fn a_header_that_the_announced_length_cuts() {
        let header = "Content-Length: 77\r\n\r\n";
        for cut in 1..header.len() {
            let body = format!("{{}}{}", &header[..cut]);
            assert_eq!(begun_behind_message(body.as_bytes()), Some(2), "{body:?}");
        }
        for whole in ["{}", "{}\n", "null", "c", "{\"a\":\"} c\"}"] {
            assert_eq!(begun_behind_message(whole.as_bytes()), None, "{whole:?}");
        }
    }
}
