//! Edit: one text in a file for another.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use text::{Fingerprint, ReplaceError, Splice};
use workspace::FileText;

use crate::change::{Change, look};
use crate::context::Context;
use crate::place::{Place, blocking, is_denied, sentence, shown_as_given};
use crate::tool::{Kind, Plan, Problem, Tool};

const STALE: &str = "Somebody else changed this file since you read it; the edit went in all the \
                     same. Read it again before you rely on the rest of it.";

pub(crate) struct Edit;

/// Replaces text in a file. `old_string` must stand in the file exactly as given, indentation
/// included and without the line numbers that Read puts in front, and only once; quote more of the
/// text around it to make it so, or set `replace_all`. The file must have been read before. An
/// empty `old_string` creates a file that does not exist yet.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The file, best as an absolute path.
    file_path: String,
    /// The text to replace.
    old_string: String,
    /// What stands there afterwards.
    new_string: String,
    /// Replace every occurrence instead of the only one.
    #[serde(default)]
    replace_all: bool,
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
        let file = look(&cx, &place).await?;
        let seen = cx.session.with_reads(|reads| reads.seen(&place.resolved));
        let change = match (file, seen) {
            (None, _) => create(place, &input)?,
            // Before anything is told about the text: the model must have been allowed to see it.
            (Some(_), None) => {
                let path = place.path.display();
                return Err(Problem(format!("You have not read {path} yet. Read it first.")));
            }
            (Some(file), Some(seen)) => {
                blocking(move || replace(place, file, seen, &input)).await??
            }
        };
        Ok(change.plan("Edit"))
    }
}

fn create(place: Place, input: &Input) -> Result<Change, Problem> {
    if input.old_string.is_empty() {
        return insert_all(place, None, &input.new_string);
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
    input: &Input,
) -> Result<Change, Problem> {
    if input.old_string.is_empty() && file.text.is_empty() {
        return insert_all(place, Some(file), &input.new_string);
    }
    let text = file.text.to_string();
    let stale = seen != file.fingerprint();
    let found = text::replace(&text, &input.old_string, &input.new_string, input.replace_all);
    let found = found.map_err(|error| explain(&place, stale, &error))?;
    let mut change = Change::new(place, Some(file), found.edit);
    change.count = found.count;
    if stale {
        change.notes.push(STALE.to_owned());
    }
    Ok(change)
}

fn explain(place: &Place, stale: bool, error: &ReplaceError) -> Problem {
    let path = place.path.display();
    let missing = matches!(error, ReplaceError::NotFound { .. } | ReplaceError::Ambiguous { .. });
    let changed = if stale && missing {
        " The file has changed since you read it; read it again."
    } else {
        ""
    };
    let Problem(reason) = sentence(error);
    Problem(format!("{path} was not changed. {reason}{changed}"))
}

#[cfg(test)]
mod tests;
