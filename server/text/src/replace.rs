//! The search behind the Edit tool: replace one text by another.
//!
//! First exactly, where the only liberty is the end of lines: models write `\n`, and a file may
//! not. Only when that finds nothing, some differences are overlooked that are no mistake about
//! what is meant, and never silently. A search that fails says where the nearest text is and how it
//! differs, so that it can be put right.

mod difference;
mod error;
mod fold;
mod indent;
mod leniency;
mod lenient;
mod many;
mod nearest;
mod rewrite;

use std::borrow::Cow;

use crate::diff::diff;
use crate::edit::{Edit, Splice};
use crate::newline::{Newline, tears_crlf};

pub use difference::Difference;
pub use error::ReplaceError;
pub use leniency::Leniency;
pub use many::{Change, replace_many};
pub use nearest::Nearest;

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
            return Err(ReplaceError::ambiguous(text, &found, None));
        }
        let change = diff(&old, &new);
        let splices = found.iter().flat_map(|at| moved(&change, *at)).collect();
        let edit = Edit::from_sorted(text.len(), splices);
        return Ok(Replacement { edit, count: found.len(), leniency: None });
    }
    let found = lenient::replace(text, old, new, all)?;
    found.ok_or_else(|| ReplaceError::NotFound { nearest: nearest::nearest(text, old) })
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

#[cfg(test)]
mod tests;
