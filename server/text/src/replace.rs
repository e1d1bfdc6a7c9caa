//! The search behind the Edit tool: replace one text by another, exactly.
//!
//! The only liberty is the end of lines: models write `\n`, and a file may not. Nothing else is
//! guessed here; a search that fails says where the nearest text is, so that it can be put right.

mod leniency;
mod many;
mod nearest;

use std::borrow::Cow;

use crate::diff::diff;
use crate::edit::{Edit, Splice};
use crate::newline::{Newline, line_breaks, tears_crlf};

pub use leniency::Leniency;
pub use many::{Change, replace_many};

/// What a search found, as an edit of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// It touches only what differs between the old and the new text, so that context which was
    /// quoted to find the place does not collide with what others write there.
    pub edit: Edit,
    /// How many places changed.
    pub count: usize,
    /// What was overlooked to find them; nothing when the text stands there exactly.
    pub leniency: Option<Leniency>,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    #[error("the text to replace is empty; quote the text that is to change")]
    Empty,
    #[error("the old and the new text are the same; there is nothing to change")]
    Same,
    #[error("the text to replace was not found; {}", hint(.nearest.as_ref()))]
    NotFound {
        /// The line, counted from one, where the most similar text starts, and that text.
        nearest: Option<(usize, String)>,
    },
    #[error(
        "the text to replace was found {count} times (lines {}); quote more of the text around it, \
         or replace all",
        list(lines, *count)
    )]
    Ambiguous {
        count: usize,
        /// Where they start, counted from one; the first twenty.
        lines: Vec<usize>,
    },
}

const LINES_LISTED: usize = 20;

/// Replaces the one place where `old` stands, or all of them.
pub fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Replacement, ReplaceError> {
    if old.is_empty() {
        return Err(ReplaceError::Empty);
    }
    if old == new {
        return Err(ReplaceError::Same);
    }
    let newline = Newline::of(text);
    for (old, new) in spellings(newline, old, new) {
        let found = find(text, &old);
        if found.is_empty() {
            continue;
        }
        if old == new {
            return Err(ReplaceError::Same);
        }
        if found.len() > 1 && !all {
            let lines = line_numbers(text, &found);
            return Err(ReplaceError::Ambiguous { count: found.len(), lines });
        }
        let change = diff(&old, &new);
        let splices = found.iter().flat_map(|at| moved(&change, *at)).collect();
        let edit = Edit::from_sorted(text.len(), splices);
        return Ok(Replacement { edit, count: found.len(), leniency: None });
    }
    Err(ReplaceError::NotFound { nearest: nearest::nearest(text, old) })
}

/// The pairs to try, in order: as given, then with the ends of lines that the file uses.
fn spellings<'a>(
    newline: Newline,
    old: &'a str,
    new: &'a str,
) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    // Who quotes no end of line does not know which one the file has; who does, knows.
    let new_as_given = match newline {
        Newline::CrLf | Newline::Cr if Newline::of(old) == Newline::None => newline.convert(new),
        _ => Cow::Borrowed(new),
    };
    let mut pairs = vec![(Cow::Borrowed(old), new_as_given)];
    let others = match newline {
        Newline::Mixed => vec![Newline::CrLf, Newline::Lf, Newline::Cr],
        Newline::None => vec![],
        one => vec![one],
    };
    let other = others.into_iter().map(|one| (one.convert(old), one.convert(new)));
    pairs.extend(other.filter(|(converted, _)| converted != old));
    pairs
}

/// Where `old` stands, without overlaps. Half of a `\r\n` is no match.
fn find(text: &str, old: &str) -> Vec<usize> {
    let starts = text.match_indices(old).map(|(at, _)| at);
    starts.filter(|at| !tears_crlf(text, *at) && !tears_crlf(text, at + old.len())).collect()
}

fn moved(change: &Edit, by: usize) -> impl Iterator<Item = Splice> {
    change.splices().iter().map(move |splice| {
        Splice::new(splice.range.start + by..splice.range.end + by, splice.text.as_str())
    })
}

fn line_numbers(text: &str, offsets: &[usize]) -> Vec<usize> {
    let mut line = 1;
    let mut from = 0;
    let mut numbers = Vec::new();
    for at in offsets.iter().take(LINES_LISTED) {
        line += line_breaks(&text[from..*at]);
        from = *at;
        numbers.push(line);
    }
    numbers
}

fn hint(nearest: Option<&(usize, String)>) -> String {
    match nearest {
        Some((line, text)) => {
            format!(
                "read the file again and quote it exactly; the nearest is at line {line}:\n{text}"
            )
        }
        None => "nothing in the file is like it; read the file again".to_owned(),
    }
}

fn list(lines: &[usize], count: usize) -> String {
    let mut list = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if lines.len() < count {
        list.push_str(", …");
    }
    list
}

#[cfg(test)]
mod tests;
