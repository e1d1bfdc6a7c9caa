//! Edit: one text in a file for another, or several at once.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use text::{Fingerprint, ReplaceError, Splice};
use workspace::FileText;

use crate::change::{Change, look};
use crate::context::Context;
use crate::notebook::is_notebook;
use crate::place::{Place, blocking, is_denied, sentence, shown_as_given};
use crate::tool::{Kind, Plan, Problem, Tool};

const STALE: &str = "Somebody else changed this file since you read it; the edit went in all the \
                     same. Read it again before you rely on the rest of it.";

pub(crate) struct Edit;

/// Replaces text in a file. `old_string` must stand in the file as it is quoted, without the line
/// numbers that Read puts in front, and only once; quote more of the text around it to make it so,
/// or set `replace_all`. To change several places of one file, give `edits` instead: they are made
/// in order, each in the text the one before left, and either all of them or none. The file must
/// have been read before. An empty `old_string` creates a file that does not exist yet.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The file, best as an absolute path.
    file_path: String,
    /// The text to replace.
    old_string: Option<String>,
    /// What stands there afterwards.
    new_string: Option<String>,
    /// Replace every occurrence instead of the only one.
    #[serde(default)]
    replace_all: bool,
    /// Several replacements in this file, instead of the one above.
    edits: Option<Vec<Replace>>,
}

/// One replacement.
#[derive(Deserialize, JsonSchema)]
struct Replace {
    /// The text to replace.
    old_string: String,
    /// What stands there afterwards.
    new_string: String,
    /// Replace every occurrence instead of the only one.
    #[serde(default)]
    replace_all: bool,
}

impl Input {
    /// What is to be replaced, in whichever of the two forms it was given.
    fn replacements(self) -> Result<Vec<Replace>, Problem> {
        match (self.edits, self.old_string, self.new_string) {
            (Some(edits), None, None) if edits.is_empty() => {
                Err(Problem::new("edits is empty. Say what to replace."))
            }
            (Some(edits), None, None) => Ok(edits),
            (Some(_), _, _) => Err(Problem::new(
                "Give either old_string and new_string, or edits, and not both. Nothing was changed.",
            )),
            (None, Some(old_string), Some(new_string)) => {
                Ok(vec![Replace { old_string, new_string, replace_all: self.replace_all }])
            }
            (None, Some(_), None) => {
                Err(Problem::new("new_string is missing. Give an empty one to take the text away."))
            }
            (None, None, _) => Err(Problem::new(
                "old_string is missing. Quote the text to replace, or give several edits.",
            )),
        }
    }
}

impl Tool for Edit {
    type Input = Input;
    const NAME: &'static str = "Edit";
    const KIND: Kind = Kind::Edit;

    fn title(input: &Input, cwd: &Path) -> String {
        format!("Edit {}", shown_as_given(cwd, &input.file_path))
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let place = Place::find(&cx, &input.file_path).await?;
        if is_denied(&cx, Self::NAME, &place.edit()) {
            return Ok(Change::refused(&place));
        }
        let edits = input.replacements()?;
        let file = look(&cx, &place).await?;
        let seen = cx.session.with_reads(|reads| reads.seen(&place.resolved));
        let change = match (file, seen) {
            (None, _) => create(place, &edits)?,
            // Before anything is told about the text: the model must have been allowed to see it.
            (Some(_), None) => {
                let path = place.path.display();
                return Err(Problem(format!("You have not read {path} yet. Read it first.")));
            }
            (Some(file), Some(seen)) => {
                blocking(move || replace(place, file, seen, &edits)).await??
            }
        };
        Ok(change.plan("Edit"))
    }
}

fn create(place: Place, edits: &[Replace]) -> Result<Change, Problem> {
    if let [only] = edits
        && only.old_string.is_empty()
    {
        return insert_all(place, None, &only.new_string);
    }
    let path = place.path.display();
    let advice = "Correct the path, or create the file with Write.";
    Err(Problem(format!("{path} does not exist. {advice}")))
}

fn insert_all(place: Place, file: Option<FileText>, new: &str) -> Result<Change, Problem> {
    let edit = text::Edit::new(0, vec![Splice::new(0..0, new)]);
    Ok(Change::new(place, file, edit.map_err(|error| sentence(&error))?))
}

fn replace(
    place: Place,
    file: FileText,
    seen: Fingerprint,
    edits: &[Replace],
) -> Result<Change, Problem> {
    if let [only] = edits
        && only.old_string.is_empty()
        && file.text.is_empty()
    {
        return insert_all(place, Some(file), &only.new_string);
    }
    let stale = seen != file.fingerprint();
    let changes: Vec<text::Change<'_>> = edits
        .iter()
        .map(|edit| text::Change {
            old: &edit.old_string,
            new: &edit.new_string,
            all: edit.replace_all,
        })
        .collect();
    let found = text::replace_many(&file.text.to_string(), &changes);
    let found = found.map_err(|(at, error)| explain(&place, stale, (at, edits.len()), &error))?;
    if found.edit.apply(&file.text).is_ok_and(|new| new == file.text) {
        let path = place.path.display();
        return Err(Problem(format!(
            "{path} was not changed: one edit undoes the other. Say what it should become."
        )));
    }
    let mut change = Change::new(place, Some(file), found.edit);
    change.count = found.count;
    if stale {
        change.notes.push(STALE.to_owned());
    }
    if let Some(leniency) = found.leniency {
        change.notes.push(format!(
            "The text to replace was not found as it was quoted, but nearly so: {leniency}. Check \
             the result."
        ));
    }
    Ok(change)
}

/// What stood in the way of one of several edits.
fn explain(place: &Place, stale: bool, (at, of): (usize, usize), error: &ReplaceError) -> Problem {
    let path = place.path.display();
    let missing = matches!(error, ReplaceError::NotFound { .. } | ReplaceError::Ambiguous { .. });
    let which = if of > 1 {
        format!(" None of the {of} edits was made, because of edit {}:", at + 1)
    } else {
        String::new()
    };
    let changed = match (stale && missing, is_notebook(&place.path) && missing) {
        (true, _) => " The file has changed since you read it; read it again.",
        (false, true) => " The cells of a notebook are changed with NotebookEdit.",
        (false, false) => "",
    };
    let Problem(reason) = sentence(error);
    Problem(format!("{path} was not changed.{changed}{which} {reason}"))
}

#[cfg(test)]
mod tests;
