//! NotebookEdit: the cells of a notebook.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use workspace::FileText;

use crate::change::{Change, check_seen, look};
use crate::context::Context;
use crate::notebook::{CellType, Notebook, is_notebook};
use crate::place::{Place, blocking, is_denied, shown_as_given};
use crate::tool::{Kind, Plan, Problem, Tool};

/// So many cells are listed for somebody who named one that is not there.
const LISTED: usize = 30;

pub(crate) struct NotebookEdit;

/// Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell, or
/// deletes one. Read the notebook first: it shows the cells with their ids. What a changed code
/// cell had printed is cleared.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The notebook, best as an absolute path.
    notebook_path: String,
    /// The whole new source of the cell. Not needed to delete.
    new_source: Option<String>,
    /// The cell to replace or delete; for `insert`, the cell to insert behind, and the new one comes
    /// first if this is left out. An id as Read shows it.
    cell_id: Option<String>,
    /// The type of the cell. Needed for `insert`; without it, a replaced cell keeps its type.
    cell_type: Option<CellType>,
    /// What to do: `replace` (the default), `insert` or `delete`.
    #[serde(default)]
    edit_mode: EditMode,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EditMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

impl Tool for NotebookEdit {
    type Input = Input;
    const NAME: &'static str = "NotebookEdit";
    const KIND: Kind = Kind::Edit;
    const RARE: bool = true;

    fn title(input: &Input, cwd: &Path) -> String {
        let path = shown_as_given(cwd, &input.notebook_path);
        match (input.edit_mode, &input.cell_id) {
            (EditMode::Insert, _) => format!("Insert a cell into {path}"),
            (EditMode::Replace, Some(cell)) => format!("Edit cell {cell} of {path}"),
            (EditMode::Delete, Some(cell)) => format!("Delete cell {cell} of {path}"),
            (_, None) => format!("Edit {path}"),
        }
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let place = Place::find(&cx, &input.notebook_path).await?;
        if is_denied(&cx, Self::NAME, &place.edit()) {
            return Ok(Change::refused(&place));
        }
        let path = place.path.display();
        if !is_notebook(&place.path) {
            return Err(Problem(format!("{path} is not a notebook. Change it with Edit.")));
        }
        let Some(file) = look(&cx, &place).await? else {
            let advice = "Correct the path, or create the notebook with Write.";
            return Err(Problem(format!("{path} does not exist. {advice}")));
        };
        check_seen(&cx, &place, &file)?;
        let call_id = cx.call_id.clone();
        let change = blocking(move || change(place, file, &input, &call_id)).await??;
        Ok(change.plan(Self::NAME))
    }
}

fn change(place: Place, file: FileText, input: &Input, call_id: &str) -> Result<Change, Problem> {
    let text = file.text.to_string();
    let path = place.path.display();
    let notebook = Notebook::parse(&text).map_err(|reason| {
        let advice = "Read it and mend it with Edit, or write it anew.";
        Problem(format!("{path} is not a notebook that can be edited: {reason}. {advice}"))
    })?;
    let named = input.cell_id.as_deref().map(|id| find(&notebook, id)).transpose()?;
    let source = input.new_source.as_deref();
    let missing = || Problem::new("new_source is missing. Give the whole source of the cell.");
    let cell_missing = || Problem::new("cell_id is missing. Name the cell that is meant.");
    let (edit, summary) = match input.edit_mode {
        EditMode::Replace => {
            let at = named.ok_or_else(cell_missing)?;
            let edit = notebook.replace(at, source.ok_or_else(missing)?, input.cell_type);
            (edit, format!("Replaced the source of cell {} of {path}.", notebook.name(at)))
        }
        EditMode::Insert => {
            let Some(cell_type) = input.cell_type else {
                let advice = "Say what the new cell is: code or markdown.";
                return Err(Problem(format!("cell_type is missing. {advice}")));
            };
            let source = source.ok_or_else(missing)?;
            let id = notebook.new_id(&format!("{call_id} {source}"));
            let edit = notebook.insert(named, source, cell_type, &id);
            let place = named.map_or(0, |after| after + 1);
            let behind = match named {
                Some(after) => format!("behind cell {}", notebook.name(after)),
                None => "as the first one".to_owned(),
            };
            let id = if notebook.has_ids() { id } else { format!("cell-{place}") };
            (edit, format!("Inserted cell {id} into {path}, {behind}."))
        }
        EditMode::Delete => {
            let at = named.ok_or_else(cell_missing)?;
            (notebook.delete(at), format!("Deleted cell {} of {path}.", notebook.name(at)))
        }
    };
    let edit =
        edit.ok_or_else(|| Problem(format!("{path} could not be changed. Read it again.")))?;
    if edit.is_empty() {
        return Err(Problem("The cell already says exactly this. Nothing was changed.".to_owned()));
    }
    let mut change = Change::new(place, Some(file), edit);
    change.summary = Some(summary);
    Ok(change)
}

fn find(notebook: &Notebook<'_>, id: &str) -> Result<usize, Problem> {
    if let Some(at) = notebook.find(id) {
        return Ok(at);
    }
    let names: Vec<_> = (0..notebook.len().min(LISTED)).map(|at| notebook.name(at)).collect();
    let more = if notebook.len() > LISTED { ", …" } else { "" };
    let list = match names.as_slice() {
        [] => "The notebook has no cells.".to_owned(),
        names => format!("There are: {}{more}.", names.join(", ")),
    };
    Err(Problem(format!("There is no cell {id:?}. {list}")))
}

#[cfg(test)]
mod tests;
