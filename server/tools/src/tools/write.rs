//! Write: a file as a whole, new or replaced.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use text::{Edit, Newline, Splice};
use workspace::FileText;

use crate::change::{Change, check_seen, look};
use crate::context::Context;
use crate::place::{Place, blocking, is_denied, shown_as_given};
use crate::tool::{Kind, Plan, Problem, Tool};

pub(crate) struct Write;

/// Writes a whole file: a new one, or another text for an old one. An existing file must have been
/// read before, and must not have changed since. To change parts of a file, use Edit. Missing
/// folders are created; encoding, line ends and mode of an existing file stay as they are.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The file, best as an absolute path.
    file_path: String,
    /// The whole text of the file.
    content: String,
}

impl Tool for Write {
    type Input = Input;
    const NAME: &'static str = "Write";
    const KIND: Kind = Kind::Edit;

    fn title(input: &Input, cwd: &Path) -> String {
        format!("Write {}", shown_as_given(cwd, &input.file_path))
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let place = Place::find(&cx, &input.file_path).await?;
        if is_denied(&cx, Self::NAME, &place.edit()) {
            return Ok(Change::refused(&place));
        }
        let change = match look(&cx, &place).await? {
            None => create(place, &input.content)?,
            Some(file) => {
                check_seen(&cx, &place, &file)?;
                if !cx.session.with_reads(|reads| reads.saw_all(&place.resolved)) {
                    let path = place.path.display();
                    return Err(Problem(format!(
                        "You have read only a part of {path}. Read the rest of it first, or change \
                         parts of it with Edit, so that nothing in it is lost."
                    )));
                }
                blocking(move || replace(place, file, &input.content)).await??
            }
        };
        Ok(change.plan("Write"))
    }
}

fn create(place: Place, content: &str) -> Result<Change, Problem> {
    let edit = Edit::new(0, vec![Splice::new(0..0, content)]);
    Ok(Change::new(place, None, edit.map_err(|error| Problem(error.to_string()))?))
}

fn replace(place: Place, file: FileText, content: &str) -> Result<Change, Problem> {
    let old = file.text.to_string();
    // Models write `\n`. A file with other ends of line keeps them.
    let new = match file.format.newline {
        newline @ (Newline::CrLf | Newline::Cr) if Newline::of(content) == Newline::Lf => {
            newline.convert(content)
        }
        _ => content.into(),
    };
    if old == *new {
        let path = place.path.display();
        return Err(Problem(format!("{path} already says exactly this. Nothing was changed.")));
    }
    let edit = text::diff(&old, &new);
    Ok(Change::new(place, Some(file), edit))
}

#[cfg(test)]
mod tests;
