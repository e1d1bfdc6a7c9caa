//! Messages in a stream of bytes: a header that says how long the body is, and the body.

use serde_json::Value;

/// No message is longer; a number that is a mistake must not become memory.
const LONGEST: usize = 64 * 1024 * 1024;
/// What may stand between two messages. Servers print things they should not.
const LONGEST_HEADER: usize = 64 * 1024;

/// Takes bytes as they come and gives the bodies of whole messages.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    /// The start of what was not taken yet.
    at: usize,
    /// What the header said so far.
    announced: Option<usize>,
    /// The length of the body, once its header is over.
    body: Option<usize>,
    /// How many bytes of headers since the last body.
    header: usize,
}

/// A stream that cannot be followed any further; the end of a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lost(pub(super) String);

impl Frames {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        // Moved only when more is gone than is left, so that a long message is not moved again
        // and again.
        if self.at > self.bytes.len() / 2 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole body, if it is there.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, Lost> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if let Some(length) = self.body {
                let Some(body) = rest.get(..length) else { return Ok(None) };
                let body = body.to_vec();
                self.at += length;
                (self.body, self.header) = (None, 0);
                return Ok(Some(body));
            }
            let end = rest.iter().position(|byte| *byte == b'\n');
            let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if self.header + line.len() > LONGEST_HEADER {
                return Err(Lost("writes something else than messages to its output".into()));
            }
            let Some(end) = end else { return Ok(None) };
            let line = String::from_utf8_lossy(line).trim().to_owned();
            self.at += end + 1;
            self.header += end + 1;
            if line.is_empty() {
                // A blank line that ends no header is one of the things servers print.
                self.body = self.announced.take();
            } else if let Some(length) = content_length(&line) {
                self.announced = Some(length?);
            }
        }
    }
}

/// Other headers, and lines that are none, mean nothing to us. After a message with a wrong length the
/// rest of it precedes the next header on the same line.
fn content_length(line: &str) -> Option<Result<usize, Lost>> {
    const NAME: &str = "content-length";
    let colon = line.rfind(':')?;
    let (before, value) = (line.get(..colon)?.trim_end(), line.get(colon + 1..)?);
    let begin = before.len().checked_sub(NAME.len())?;
    if !before.get(begin..)?.eq_ignore_ascii_case(NAME) {
        return None;
    }
    let length = value.trim().parse::<usize>().ok().filter(|length| *length <= LONGEST);
    if begin > 0 {
        return length.map(Ok);
    }
    Some(length.ok_or_else(|| {
        let value: String = value.trim().chars().take(40).collect();
        Lost(format!("announces a message of `{}` bytes", value.escape_debug()))
    }))
}

/// A message as it goes over the wire.
pub(super) fn encode(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body.as_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn all(bytes: &[u8]) -> Result<Vec<String>, Lost> {
        let mut frames = Frames::default();
        frames.push(bytes);
        let mut bodies = Vec::new();
        while let Some(body) = frames.next()? {
            bodies.push(String::from_utf8(body).unwrap());
        }
        Ok(bodies)
    }

    #[test]
    fn headers_of_every_kind() {
        let check = |bytes: &str, expect: &[&str]| {
            assert_eq!(all(bytes.as_bytes()).unwrap(), expect, "{bytes:?}");
        };
        check("Content-Length: 2\r\n\r\n{}", &["{}"]);
        check("content-length:2\n\n{}", &["{}"]);
        check("Content-Type: x; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", &["{}"]);
        check("Content-Length: 2\r\nX: 1\r\n\r\n{}Content-Length: 2\r\n\r\n[]", &["{}", "[]"]);
        check("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", &["", "{}"]);
        check("Starting up ...\n\n: \nContent-Length: 2\r\n\r\n{}", &["{}"]);
        check("Content-Length: 2\r\n\r\n{", &[]);
        check("", &[]);
    }

    #[test]
    fn messages_after_a_wrong_length_are_read() {
        for length in [1, 4, 9, 13] {
            let bad = format!("Content-Length: {length}\r\n\r\n{{\"a\":1}}");
            let good = "Content-Length: 2\r\n\r\n{}".repeat(3);
            let bodies = all(format!("{bad}{good}").as_bytes()).unwrap();
            assert_eq!(bodies.last().map(String::as_str), Some("{}"), "{length}: {bodies:?}");
        }
    }

    #[test]
    fn a_stream_that_makes_no_sense_is_given_up() {
        let check = |bytes: &str, expect: &str| {
            assert_eq!(all(bytes.as_bytes()), Err(Lost(expect.into())));
        };
        check("Content-Length: x\r\n\r\n", "announces a message of `x` bytes");
        check("Content-Length: -1\r\n\r\n", "announces a message of `-1` bytes");
        check("Content-Length: 99999999999\r\n\r\n", "announces a message of `99999999999` bytes");
        let flood = "writes something else than messages to its output";
        check(&"x".repeat(LONGEST_HEADER + 1), flood);
        check(&"x\n".repeat(LONGEST_HEADER), flood);
    }

    proptest! {
        /// However the bytes are cut, the messages are the same.
        #[test]
        fn any_split_gives_the_same_messages(
            bodies in prop::collection::vec("[a-é]{0,20}", 0..8),
            cuts in prop::collection::vec(1..40_usize, 1..40),
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|body| encode(&json!(body))).collect();
            let mut frames = Frames::default();
            let mut found = Vec::new();
            let mut rest = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                let (piece, more) = rest.split_at((*cut).min(rest.len()));
                frames.push(piece);
                while let Some(body) = frames.next().unwrap() {
                    found.push(serde_json::from_slice::<String>(&body).unwrap());
                }
                rest = more;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(found, bodies);
        }

        #[test]
        fn no_bytes_can_hurt(bytes in any::<Vec<u8>>()) {
            drop(all(&bytes));
        }
    }
}
