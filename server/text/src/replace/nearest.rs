//! The place that somebody who misquoted a text most likely meant.
//!
//! First by lines that are equal but for the blanks around them: each one votes for the place where
//! the quote would start. Only when there is none, by the one line that shares most pairs of
//! characters. Both read the text once, and the second only a bounded part of it.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::fmt;

use super::difference::{Difference, differences};

/// How much of the text the search for a similar line reads.
const SIMILAR_BYTES: usize = 4 * 1024 * 1024;
/// Lines longer than this are data, not something that is quoted line by line.
const LONG_LINE: usize = 2_000;
/// The share of common pairs, in percent, from which two lines are alike.
const ALIKE: usize = 50;
/// How much of the text is quoted back.
const QUOTED_LINES: usize = 20;
const QUOTED_BYTES: usize = 2_000;

/// A text that is like the one that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// The line, counted from one, where it starts.
    pub line: usize,
    pub text: String,
    /// How it differs, each with the first line where it does.
    pub differs: Vec<(Difference, usize)>,
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the nearest is at line {}", self.line)?;
        for (number, (difference, line)) in self.differs.iter().enumerate() {
            let joint = match number {
                0 => " and differs in",
                last if last + 1 == self.differs.len() => " and in",
                _ => ", in",
            };
            write!(f, "{joint} {difference} (line {line})")?;
        }
        write!(f, ":\n{}", self.text)
    }
}

/// The most similar text, if one is similar at all.
pub(super) fn nearest(text: &str, wanted: &str) -> Option<Nearest> {
    let lines = lines(text);
    let wanted: Vec<&str> = wanted.lines().collect();
    let start = by_votes(&lines, &wanted).or_else(|| by_likeness(&lines, &wanted))?;
    let found = &lines[start..];
    let differs = differences(&wanted, found).into_iter();
    let differs = differs.map(|(difference, at)| (difference, start + at + 1)).collect();
    Some(Nearest { line: start + 1, text: quote(found, wanted.len()), differs })
}

/// Lines without their terminators; a lone `\r` ends one as well.
fn lines(text: &str) -> Vec<&str> {
    text.lines().flat_map(|line| line.split('\r')).collect()
}

fn by_votes(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in wanted.iter().enumerate() {
        // A brace or a blank line is everywhere and says nothing.
        if line.chars().any(char::is_alphanumeric) {
            places.entry(line.trim()).or_default().push(index);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for index in places.get(line.trim()).into_iter().flatten().take(8) {
            *votes.entry(at.saturating_sub(*index)).or_default() += line.trim().len();
        }
    }
    // Of equals the first, so that the answer is always the same.
    let best = votes.into_iter().max_by_key(|(start, weight)| (*weight, Reverse(*start)));
    best.map(|(start, _)| start)
}

fn by_likeness(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (index, line) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let line = line.trim();
    if line.is_empty() || line.len() > LONG_LINE {
        return None;
    }
    let pairs = pairs_of(line);
    let mut best: Option<(usize, usize)> = None;
    let mut read = 0;
    for (at, candidate) in lines.iter().enumerate() {
        read += candidate.len();
        if read > SIMILAR_BYTES {
            break;
        }
        let candidate = candidate.trim();
        if candidate.len() * 3 < line.len() || candidate.len() > line.len() * 3 {
            continue;
        }
        let likeness = likeness(&pairs, &pairs_of(candidate));
        if likeness >= ALIKE && best.is_none_or(|(highest, _)| likeness > highest) {
            best = Some((likeness, at));
        }
    }
    best.map(|(_, at)| at.saturating_sub(index))
}

/// The pairs of neighbouring bytes, sorted so that two lists can be compared in one walk.
fn pairs_of(line: &str) -> Vec<[u8; 2]> {
    let mut pairs: Vec<[u8; 2]> =
        line.as_bytes().windows(2).map(|pair| [pair[0], pair[1]]).collect();
    pairs.sort_unstable();
    pairs
}

/// The share of pairs that two lines have in common, in percent.
fn likeness(one: &[[u8; 2]], other: &[[u8; 2]]) -> usize {
    let mut common = 0;
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        match a.cmp(b) {
            Ordering::Less => _ = left.next(),
            Ordering::Greater => _ = right.next(),
            Ordering::Equal => {
                common += 1;
                left.next();
                right.next();
            }
        }
    }
    match one.len() + other.len() {
        0 => 0,
        all => 200 * common / all,
    }
}

fn quote(lines: &[&str], count: usize) -> String {
    let shown = count.clamp(1, QUOTED_LINES).min(lines.len());
    let mut quoted = lines[..shown].join("\n");
    if quoted.len() > QUOTED_BYTES {
        quoted.truncate(quoted.floor_char_boundary(QUOTED_BYTES));
        quoted.push('…');
    }
    quoted
}
