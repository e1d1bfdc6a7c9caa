//! The lines of a journal, one at a time: whatever is in the file, memory stays bounded.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// No record is longer. A line that is was damaged, and is passed over without being kept.
pub(super) const LONGEST: u64 = 64 * 1024 * 1024;

pub(super) struct Lines {
    reader: BufReader<File>,
    at: u64,
}

/// Where a line is. Its bytes are in the buffer of whoever asked, without the newline.
pub(super) struct Line {
    pub(super) start: u64,
    /// Longer than any record; the buffer holds nothing of it.
    pub(super) too_long: bool,
}

/// Where a line is, and how long; nothing of it is kept but its head.
pub(super) struct Skimmed {
    pub(super) start: u64,
    pub(super) len: usize,
    pub(super) too_long: bool,
}

/// Enough to tell what kind a line is.
const HEAD: usize = 64;

impl Lines {
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self { reader: BufReader::with_capacity(1 << 18, File::open(path)?), at: 0 })
    }

    /// The next line, or nothing at the end of the file.
    pub(super) fn next(&mut self, buffer: &mut Vec<u8>) -> std::io::Result<Option<Line>> {
        buffer.clear();
        let start = self.at;
        let read = (&mut self.reader).take(LONGEST).read_until(b'\n', buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.at += read as u64;
        let too_long = read as u64 == LONGEST && buffer.last() != Some(&b'\n');
        if too_long {
            *buffer = Vec::new();
            self.skip_line()?;
        } else if buffer.last() == Some(&b'\n') {
            buffer.pop();
        }
        Ok(Some(Line { start, too_long }))
    }

    /// The next line without its content: its place and its head, which costs no copy of it.
    pub(super) fn skim(&mut self, head: &mut Vec<u8>) -> std::io::Result<Option<Skimmed>> {
        head.clear();
        let (start, mut len) = (self.at, 0);
        loop {
            let there = self.reader.fill_buf()?;
            if there.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', there);
            let part = end.unwrap_or(there.len());
            let room = HEAD.saturating_sub(head.len());
            head.extend_from_slice(&there[..part.min(room)]);
            let used = end.map_or(part, |end| end + 1);
            self.reader.consume(used);
            (self.at, len) = (self.at + used as u64, len + part);
            if end.is_some() {
                break;
            }
        }
        let over = self.at == start;
        Ok((!over).then_some(Skimmed { start, len, too_long: len as u64 >= LONGEST }))
    }

    fn skip_line(&mut self) -> std::io::Result<()> {
        loop {
            let there = self.reader.fill_buf()?;
            let end = there.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(there.len(), |end| end + 1);
            let over = end.is_some() || there.is_empty();
            self.reader.consume(used);
            self.at += used as u64;
            if over {
                return Ok(());
            }
        }
    }
}
