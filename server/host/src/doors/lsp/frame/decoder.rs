//! Takes bytes as they come and gives messages. After damage it goes on with the next header that
//! can be recognised, so that no wrong length keeps the server from hearing what follows.
//!
//! A header inside of a body proves that the announced length was wrong: JSON text escapes the
//! control characters that end a header line.

use super::header::{self, Line, Match};

/// A message longer than this is not read but skipped: 50 MB of text, escaped, fits.
const MAX_LENGTH: usize = 128 * 1024 * 1024;
/// A header line has a word and a number in it.
const MAX_HEADER: usize = 4096;
/// So much of the beginning and of the end of a skipped message is kept, to tell what it was.
const KEPT: usize = 16 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(in crate::doors) enum Frame {
    Message(Vec<u8>),
    /// One sentence about what was wrong. A message may be lost.
    Malformed(String),
    /// One sentence about a message that will be skipped.
    TooLong(String),
    /// The end of such a message: its first and last bytes.
    Skipped {
        start: Vec<u8>,
        end: Vec<u8>,
    },
}

#[derive(Debug)]
pub(in crate::doors) struct FrameDecoder {
    bytes: Vec<u8>,
    /// The start of what was not taken yet.
    at: usize,
    /// Where the search for a header inside of a body goes on.
    searched: usize,
    state: State,
    /// Damage was reported since the last message; what belongs to it is not reported again.
    damaged: bool,
    max_length: usize,
}

#[derive(Debug)]
enum State {
    Header(Header),
    Body { length: usize },
    Skipping { left: usize, kept: Option<Kept> },
}

#[derive(Debug, Default)]
struct Header {
    length: Option<usize>,
    problem: Option<String>,
    /// Something was read since the last message.
    begun: bool,
}

#[derive(Debug, Default)]
struct Kept {
    start: Vec<u8>,
    end: Vec<u8>,
}

impl Default for FrameDecoder {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            at: 0,
            searched: 0,
            state: State::Header(Header::default()),
            damaged: false,
            max_length: MAX_LENGTH,
        }
    }
}

impl FrameDecoder {
    pub(in crate::doors) fn push(&mut self, bytes: &[u8]) {
        // Moved only when more is gone than is left, so that a long message is not moved again
        // and again.
        if self.at > self.bytes.len() / 2 {
            self.bytes.drain(..self.at);
            self.searched = self.searched.saturating_sub(self.at);
            self.at = 0;
        }
        // One huge message must not hold its memory for good.
        if self.bytes.is_empty() && self.bytes.capacity() > 1 << 20 {
            self.bytes = Vec::new();
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, if it is there.
    pub(in crate::doors) fn next(&mut self) -> Option<Frame> {
        loop {
            let step = match &self.state {
                State::Header(_) => self.read_header(),
                State::Body { length } => self.read_body(*length),
                State::Skipping { .. } => self.skip(),
            };
            match step {
                Step::Frame(frame) => return Some(frame),
                Step::Again => {}
                Step::NeedsMore => return None,
            }
        }
    }

    /// Nothing has come for a while. A message that is whole although its header announced more is
    /// damage that nothing else would ever reveal.
    pub(in crate::doors) fn on_idle(&mut self) -> Option<Frame> {
        let State::Body { length } = self.state else { return None };
        let rest = self.rest();
        let whole = matches!(rest.first(), Some(b'{' | b'['))
            && serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok();
        let found = rest.len();
        whole.then(|| self.end_body_early(length, found))
    }

    /// Whether a body is under way that `on_idle` may end.
    pub(in crate::doors) fn is_inside_body(&self) -> bool {
        matches!(self.state, State::Body { .. }) && !self.rest().is_empty()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let end = self.at.saturating_add(count).min(self.bytes.len());
        let taken = self.bytes.get(self.at..end).unwrap_or_default().to_vec();
        self.at = end;
        taken
    }

    fn begin_header(&mut self) {
        self.state = State::Header(Header::default());
        self.searched = self.at;
    }

    fn malformed(&mut self, problem: String) -> Step {
        self.damaged = true;
        Step::Frame(Frame::Malformed(problem))
    }

    fn read_header(&mut self) -> Step {
        let rest = self.rest();
        let end = rest.iter().take(MAX_HEADER).position(|byte| *byte == b'\n');
        let Some(end) = end else {
            return if rest.len() < MAX_HEADER { Step::NeedsMore } else { self.drop_garbage() };
        };
        let line = header::read_line(rest.get(..end).unwrap_or_default());
        self.at += end + 1;
        let State::Header(header) = &mut self.state else { return Step::Again };
        match line {
            // Empty lines between frames hurt nobody.
            Line::Empty if !header.begun => {}
            Line::Empty => return self.end_header(),
            Line::Length(length) => match header.length {
                Some(other) if other != length => {
                    header.problem = Some("A frame has two different lengths.".to_owned());
                }
                _ => header.length = Some(length),
            },
            Line::Problem(problem) => header.problem = Some(problem),
            Line::Ignored => {}
            Line::Garbage { length } => return self.on_garbage(length),
        }
        if let State::Header(header) = &mut self.state {
            header.begun = true;
        }
        Step::Again
    }

    /// What is no header line: the rest of a message whose length was too small, or noise. A header
    /// may follow right behind it, on the same line.
    fn on_garbage(&mut self, length: Option<usize>) -> Step {
        self.state = State::Header(Header { length, problem: None, begun: length.is_some() });
        if self.damaged {
            return Step::Again;
        }
        self.malformed("There are bytes between two messages that belong to none.".to_owned())
    }

    /// A line without an end. The beginning of a header may be at the end of it.
    fn drop_garbage(&mut self) -> Step {
        self.at += MAX_HEADER - header::LONGEST;
        self.on_garbage(None)
    }

    fn end_header(&mut self) -> Step {
        let State::Header(header) =
            std::mem::replace(&mut self.state, State::Header(Header::default()))
        else {
            return Step::Again;
        };
        self.searched = self.at;
        match (header.length, header.problem) {
            (Some(length), problem) if length > self.max_length => {
                let kept = problem.is_none().then(Kept::default);
                self.state = State::Skipping { left: length, kept };
                self.damaged = true;
                Step::Frame(Frame::TooLong(format!("A message of {length} bytes is too long.")))
            }
            (Some(length), None) => {
                self.state = State::Body { length };
                Step::Again
            }
            (Some(length), Some(problem)) => {
                self.state = State::Skipping { left: length, kept: None };
                self.malformed(problem)
            }
            (None, problem) => self
                .malformed(problem.unwrap_or_else(|| "A frame has no Content-Length.".to_owned())),
        }
    }

    fn read_body(&mut self, length: usize) -> Step {
        let have = self.rest().len().min(length);
        match header::find(&self.bytes, self.searched, self.at + have) {
            Match::At(found) if found > self.at => {
                return Step::Frame(self.end_body_early(length, found - self.at));
            }
            Match::At(_) => {
                self.begin_header();
                return self.malformed(format!("A message of {length} bytes has no body."));
            }
            Match::MayBeAt(begin) => self.searched = begin,
            Match::None => self.searched = self.at + have,
        }
        if have < length {
            return Step::NeedsMore;
        }
        let body = self.bytes.get(self.at..self.at + length).unwrap_or_default();
        if let Some(end) = header::begun_behind_message(body) {
            return Step::Frame(self.end_body_early(length, end));
        }
        let body = self.take(length);
        self.begin_header();
        self.damaged = false;
        Step::Frame(Frame::Message(body))
    }

    fn end_body_early(&mut self, announced: usize, found: usize) -> Frame {
        self.at += found;
        self.begin_header();
        self.damaged = true;
        Frame::Malformed(format!(
            "Content-Length announced {announced} bytes, but the message ends after {found}."
        ))
    }

    fn skip(&mut self) -> Step {
        let State::Skipping { left, .. } = &self.state else { return Step::Again };
        let left = *left;
        let have = self.rest().len().min(left);
        let (count, ends) = match header::find(&self.bytes, self.searched, self.at + have) {
            Match::At(found) => (found - self.at, true),
            Match::MayBeAt(begin) if have < left => (begin - self.at, false),
            Match::MayBeAt(_) | Match::None => (have, have == left),
        };
        let skipped = self.take(count);
        self.searched = self.at;
        let State::Skipping { left, kept } = &mut self.state else { return Step::Again };
        *left -= count;
        if let Some(kept) = kept {
            kept.add(&skipped);
        }
        if !ends {
            return Step::NeedsMore;
        }
        let kept = kept.take();
        self.begin_header();
        kept.map_or(Step::Again, |Kept { start, end }| Step::Frame(Frame::Skipped { start, end }))
    }
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.start.len()).min(bytes.len());
        let (start, rest) = bytes.split_at(room);
        self.start.extend_from_slice(start);
        self.end.extend_from_slice(rest.get(rest.len().saturating_sub(KEPT)..).unwrap_or_default());
        let over = self.end.len().saturating_sub(KEPT);
        self.end.drain(..over);
    }
}

enum Step {
    Frame(Frame),
    Again,
    NeedsMore,
}

#[cfg(test)]
mod tests;
