//! Several replacements as one edit, all of them or none.

use std::borrow::Cow;

use super::{ReplaceError, Replacement, replace};
use crate::diff::diff;
use crate::edit::Edit;

/// One of several replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<'a> {
    pub old: &'a str,
    pub new: &'a str,
    /// Every place where `old` stands, instead of the only one.
    pub all: bool,
}

/// Makes the changes in order, each in what the one before left. If one fails, nothing is done, and
/// its index comes with the error.
pub fn replace_many(
    text: &str,
    changes: &[Change<'_>],
) -> Result<Replacement, (usize, ReplaceError)> {
    let mut done = Replacement { edit: Edit::identity(text.len()), count: 0, leniency: None };
    let mut current = Cow::Borrowed(text);
    for (index, change) in changes.iter().enumerate() {
        let found = replace(&current, change.old, change.new, change.all);
        let found = found.map_err(|error| (index, error))?;
        let changed = apply(&current, &found.edit);
        // The two always fit; if they did not, the edit between the texts is the same change.
        let joined = Edit::compose(&done.edit, &found.edit);
        done.edit = joined.unwrap_or_else(|_| diff(text, &changed));
        done.count += found.count;
        done.leniency = done.leniency.max(found.leniency);
        current = Cow::Owned(changed);
    }
    Ok(done)
}

fn apply(text: &str, edit: &Edit) -> String {
    let mut changed = String::with_capacity(edit.len_after());
    let mut at = 0;
    for splice in edit.splices() {
        changed.push_str(&text[at..splice.range.start]);
        changed.push_str(&splice.text);
        at = splice.range.end;
    }
    changed.push_str(&text[at..]);
    changed
}

#[cfg(test)]
mod tests;
