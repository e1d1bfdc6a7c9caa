//! Objects of vi that an operator takes whole: a word, what stands in quotes or in brackets.

use std::ops::Range;

use super::motion::{line_end, line_start};

/// `kind` is `i` for what is inside, `a` for all of it.
pub(super) fn range(text: &str, at: usize, kind: char, letter: char) -> Option<Range<usize>> {
    let around = kind == 'a';
    match letter {
        'w' => Some(word(text, at, around, |c| match c {
            c if c.is_whitespace() => 0,
            c if c.is_alphanumeric() || c == '_' => 1,
            _ => 2,
        })),
        'W' => Some(word(text, at, around, |c| u8::from(!c.is_whitespace()))),
        '"' | '\'' | '`' => quoted(text, at, around, letter),
        '(' | ')' | 'b' => pair(text, at, around, ('(', ')')),
        '[' | ']' => pair(text, at, around, ('[', ']')),
        '{' | '}' | 'B' => pair(text, at, around, ('{', '}')),
        '<' | '>' => pair(text, at, around, ('<', '>')),
        _ => None,
    }
    .filter(|range| !range.is_empty())
}

fn word(text: &str, at: usize, around: bool, kind: fn(char) -> u8) -> Range<usize> {
    let (first, last) = (line_start(text, at), line_end(text, at));
    let (before, after) = (&text[first..at], &text[at..last]);
    let Some(here) = after.chars().next().map(kind) else { return at..at };
    let same = |c: char| kind(c) == here;
    let start = first + before.trim_end_matches(same).len();
    let mut end = last - after.trim_start_matches(same).len();
    if around && here != 0 {
        end = last - text[end..last].trim_start().len();
    }
    start..end
}

/// The pair of quotes on the line that is around the place, or the next one behind it.
fn quoted(text: &str, at: usize, around: bool, quote: char) -> Option<Range<usize>> {
    let (first, last) = (line_start(text, at), line_end(text, at));
    let marks: Vec<usize> =
        text[first..last].match_indices(quote).map(|(mark, _)| first + mark).collect();
    let pairs = marks.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let (open, close) = pairs.into_iter().find(|(_, close)| *close >= at)?;
    Some(if around { open..close + 1 } else { open + 1..close })
}

/// The innermost pair around the place, over lines.
fn pair(text: &str, at: usize, around: bool, (open, close): (char, char)) -> Option<Range<usize>> {
    let here = text[at..].chars().next();
    let mut depth = 0;
    let from = match here == Some(open) {
        true => Some(at),
        false => text[..at].char_indices().rev().find_map(|(place, letter)| {
            depth += i32::from(letter == close) - i32::from(letter == open);
            (depth < 0).then_some(place)
        }),
    }?;
    let mut depth = 0;
    let to = text[from..].char_indices().find_map(|(place, letter)| {
        depth += i32::from(letter == open) - i32::from(letter == close);
        (depth == 0).then_some(from + place)
    })?;
    Some(if around { from..to + close.len_utf8() } else { from + open.len_utf8()..to })
}
