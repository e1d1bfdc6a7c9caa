//! Redaction of a text that comes in pieces: whole lines go on, the last one waits for its end.

use super::Redactor;
use super::pem::Pem;

/// A line longer than this is treated in pieces, cut where no token is cut in two.
const LONGEST_LINE: usize = 16 * 1024;

/// Made by [`Redactor::stream`].
#[derive(Debug)]
pub struct RedactStream {
    redactor: Redactor,
    /// The line that has not ended yet.
    held: String,
    pem: Pem,
}

impl RedactStream {
    pub(super) fn new(redactor: Redactor) -> RedactStream {
        RedactStream { redactor, held: String::new(), pem: Pem::default() }
    }

    /// What can be passed on now.
    pub fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        loop {
            match rest.find(['\n', '\r']) {
                Some(end) => {
                    self.hold(&rest[..=end], &mut out);
                    self.emit(&mut out);
                    rest = &rest[end + 1..];
                }
                None => {
                    self.hold(rest, &mut out);
                    return out;
                }
            }
        }
    }

    /// What was held back. The stream can be used for another text after this.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        self.emit(&mut out);
        self.pem = Pem::default();
        out
    }

    fn hold(&mut self, text: &str, out: &mut String) {
        self.held.push_str(text);
        while self.held.len() > LONGEST_LINE {
            let rest = self.held.split_off(cut(&self.held));
            self.emit(out);
            self.held = rest;
        }
    }

    fn emit(&mut self, out: &mut String) {
        let line = std::mem::take(&mut self.held);
        if !line.is_empty() {
            out.push_str(&self.redactor.line(&self.pem.line(&line)));
        }
    }
}

/// Where a long line is cut: after the last character that belongs to no token, if there is one in
/// the second half of what is allowed.
fn cut(line: &str) -> usize {
    let most = line.floor_char_boundary(LONGEST_LINE);
    let token = |c: char| c.is_alphanumeric() || "_-+/=.~%:@".contains(c);
    let free = line[..most].rfind(|c| !token(c)).filter(|at| *at >= LONGEST_LINE / 2);
    free.map_or(most, |at| line.ceil_char_boundary(at + 1))
}
