//! A text without what a search may overlook, and the way back to the places in the text itself.
//!
//! Folded texts are compared as they are, so a search in a big file stays a plain search. The fold
//! is done a second time to find the way back, instead of keeping a table as big as the file.

use std::ops::Range;

use crate::quote::straight;

/// What is overlooked besides blanks and differences at the ends of lines, which always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overlook {
    pub(super) quotes: bool,
    pub(super) indentation: bool,
}

pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// A piece of a folded text, and the bytes it stands for.
struct Piece<'a> {
    folded: &'a str,
    bytes: Range<usize>,
}

pub(super) fn fold(text: &str, overlook: Overlook) -> String {
    let mut folded = String::with_capacity(text.len());
    each_piece(text, overlook, |piece| folded.push_str(piece.folded));
    folded
}

/// The bytes that ranges of the folded text stand for. The ranges are in order, do not overlap, and
/// are not empty. What was folded away at their ends is not part of them.
pub(super) fn unfold(text: &str, overlook: Overlook, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::with_capacity(ranges.len());
    let mut ranges = ranges.iter().peekable();
    let (mut at, mut start) = (0, None);
    each_piece(text, overlook, |Piece { folded, bytes }| {
        let end = at + folded.len();
        while let Some(range) = ranges.peek() {
            if start.is_none() && range.start < end {
                start = Some(bytes.start + (range.start - at));
            }
            let Some(from) = start.filter(|_| range.end <= end) else { break };
            let verbatim = folded.len() == bytes.len();
            found.push(from..if verbatim { bytes.start + (range.end - at) } else { bytes.end });
            start = None;
            ranges.next();
        }
        at = end;
    });
    found
}

fn each_piece<'a>(text: &'a str, overlook: Overlook, mut each: impl FnMut(Piece<'a>)) {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let content = rest.bytes().position(|byte| matches!(byte, b'\n' | b'\r'));
        let content = content.unwrap_or(rest.len());
        let line = rest[..content].trim_end_matches(BLANKS);
        let indent = match overlook.indentation {
            true => line.len() - line.trim_start_matches(BLANKS).len(),
            false => 0,
        };
        each_run(at + indent, &line[indent..], overlook.quotes, &mut each);
        at += content;
        let terminator = match &rest[content..] {
            rest if rest.starts_with("\r\n") => 2,
            rest => rest.len().min(1),
        };
        if terminator > 0 {
            each(Piece { folded: "\n", bytes: at..at + terminator });
        }
        at += terminator;
    }
}

/// The pieces of a line: all of it, or what is between curly quotes and those straightened.
fn each_run<'a>(mut at: usize, line: &'a str, quotes: bool, each: &mut impl FnMut(Piece<'a>)) {
    let mut rest = line;
    // Most lines have no curly quotes, which is quickly seen.
    let quotes = quotes && !line.is_ascii();
    while let Some(curly) = quotes.then(|| rest.find(is_curly)).flatten() {
        let (run, tail) = rest.split_at(curly);
        each(Piece { folded: run, bytes: at..at + curly });
        at += curly;
        let quote = tail.chars().next().unwrap_or_default();
        let folded = if straight(quote) == '"' { "\"" } else { "'" };
        each(Piece { folded, bytes: at..at + quote.len_utf8() });
        at += quote.len_utf8();
        rest = &tail[quote.len_utf8()..];
    }
    each(Piece { folded: rest, bytes: at..at + rest.len() });
}

pub(super) fn is_curly(c: char) -> bool {
    straight(c) != c
}

#[cfg(test)]
mod tests;
