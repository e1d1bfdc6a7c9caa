//! Where a body in chunks ends. Whatever follows is not a part of the request, and does not go on.

/// The longest line between chunks, and the most of trailers.
const LONGEST: usize = 8 * 1024;

/// Reads along as a body passes by.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    state: State,
    /// Of the chunk that is being read.
    size: u64,
    digits: usize,
    line: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Size,
    /// What a client adds behind the size; nobody uses it.
    Extension,
    SizeEnd,
    Data,
    DataCr,
    DataLf,
    /// At the start of a line behind the last chunk.
    Trailer,
    TrailerLine,
    TrailerLf,
    LastLf,
    Done,
}

impl Chunks {
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// How many of these bytes belong to the body. `None` for what is no chunk.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() && !self.is_done() {
            if self.state == State::Data {
                let left = usize::try_from(self.size).unwrap_or(usize::MAX);
                let taken = left.min(bytes.len() - at);
                self.size -= u64::try_from(taken).ok()?;
                at += taken;
                if self.size == 0 {
                    self.state = State::DataCr;
                }
                continue;
            }
            self.step(bytes[at])?;
            at += 1;
        }
        Some(at)
    }

    fn step(&mut self, byte: u8) -> Option<()> {
        self.line += 1;
        if self.line > LONGEST {
            return None;
        }
        self.state = match (self.state, byte) {
            (State::Size, b'\r') if self.digits > 0 => State::SizeEnd,
            (State::Size, b';') if self.digits > 0 => State::Extension,
            (State::Size, digit) => {
                let digit = char::from(digit).to_digit(16)?;
                self.size = self.size.checked_mul(16)?.checked_add(digit.into())?;
                self.digits += 1;
                State::Size
            }
            (State::Extension, b'\r') => State::SizeEnd,
            (State::Extension, byte) if is_text(byte) => State::Extension,
            (State::SizeEnd, b'\n') => {
                (self.digits, self.line) = (0, 0);
                if self.size == 0 { State::Trailer } else { State::Data }
            }
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => {
                self.line = 0;
                State::Size
            }
            (State::Trailer, b'\r') => State::LastLf,
            (State::Trailer | State::TrailerLine, byte) if is_text(byte) => State::TrailerLine,
            (State::TrailerLine, b'\r') => State::TrailerLf,
            (State::TrailerLf, b'\n') => State::Trailer,
            (State::LastLf, b'\n') => State::Done,
            _ => return None,
        };
        Some(())
    }
}

fn is_text(byte: u8) -> bool {
    byte == b'\t' || byte >= 0x20 && byte != 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How much is the body, if it is one and ends.
    fn whole(bytes: &[u8], piece: usize) -> Option<usize> {
        let mut chunks = Chunks::default();
        let mut read = 0;
        for piece in bytes.chunks(piece.max(1)) {
            read += chunks.read(piece)?;
        }
        chunks.is_done().then_some(read)
    }

    #[test]
    fn a_body_ends_where_it_says() {
        let check = |text: &str, expect: Option<usize>| {
            for piece in [1, 2, 7, 1000] {
                assert_eq!(whole(text.as_bytes(), piece), expect, "{text:?} by {piece}");
            }
        };
        check("0\r\n\r\n", Some(5));
        check("0\r\n\r\nGET http://other/", Some(5));
        check("3\r\nabc\r\n0\r\n\r\nx", Some(13));
        check("A;x=y\r\n0123456789\r\n00\r\nTrailer: v\r\nB: c\r\n\r\n", Some(43));
        check("3\r\nabcd\r\n0\r\n\r\n", None);
        check("3\nabc\r\n0\r\n\r\n", None);
        check("\r\n\r\n", None);
        check(" 3\r\nabc\r\n0\r\n\r\n", None);
        check("0x3\r\nabc\r\n0\r\n\r\n", None);
        check("-1\r\n", None);
        check("ffffffffffffffffff\r\n", None);
        check("3\r\nab", None);
        check("0\r\nA: \0\r\n\r\n", None);
    }

    proptest! {
        #[test]
        fn any_chunks_in_any_pieces(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..6), piece in 1..50_usize, more in any::<Vec<u8>>()) {
            let mut body = Vec::new();
            for part in &parts {
                body.extend(format!("{:x}\r\n", part.len()).into_bytes());
                body.extend(part);
                body.extend(b"\r\n");
            }
            body.extend(b"0\r\n\r\n");
            let length = body.len();
            body.extend(more);
            prop_assert_eq!(whole(&body, piece), Some(length));
        }
    }
}
