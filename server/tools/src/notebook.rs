//! Notebooks: cells inside of JSON. The model reads and changes cells; the file keeps its own way of
//! writing JSON everywhere else, because only the bytes of what changed are written anew.

mod edit;
mod show;
mod style;

use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use show::page;

/// A notebook, and where its cells stand in the text.
pub(crate) struct Notebook<'a> {
    text: &'a str,
    /// The list of cells with its brackets.
    list: Range<usize>,
    cells: Vec<Cell<'a>>,
    /// Whether every cell must have an id: from format 4.5 on.
    has_ids: bool,
    language: Option<String>,
}

struct Cell<'a> {
    span: Range<usize>,
    raw: RawCell<'a>,
    source: Source,
}

#[derive(Deserialize)]
struct RawNotebook<'a> {
    #[serde(borrow)]
    cells: Option<&'a RawValue>,
    #[serde(default)]
    metadata: Value,
    nbformat: Option<u32>,
    nbformat_minor: Option<u32>,
}

/// What is needed of a cell; all else stays as it is.
#[derive(Deserialize)]
struct RawCell<'a> {
    id: Option<String>,
    cell_type: String,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    outputs: Option<&'a RawValue>,
    #[serde(borrow)]
    execution_count: Option<&'a RawValue>,
}

/// A text as notebooks keep it: in one piece, or as a list of lines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Source {
    Whole(String),
    Lines(Vec<String>),
}

/// What a new cell can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CellType {
    Code,
    Markdown,
}

impl CellType {
    fn name(self) -> &'static str {
        match self {
            CellType::Code => "code",
            CellType::Markdown => "markdown",
        }
    }
}

/// Whether a file is a notebook by its name.
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

impl<'a> Notebook<'a> {
    /// The error says what is wrong, to be put behind "is not a notebook".
    pub(crate) fn parse(text: &'a str) -> Result<Notebook<'a>, String> {
        let top: RawNotebook<'_> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Some(list) = top.cells else {
            return Err(match top.nbformat {
                Some(old) if old < 4 => {
                    format!("it is in the old format {old}; convert it with `jupyter nbconvert`")
                }
                _ => "it has no list of cells".to_owned(),
            });
        };
        let raw: Vec<&RawValue> = serde_json::from_str(list.get())
            .map_err(|_| "what it calls its cells is no list".to_owned())?;
        let cells = raw.into_iter().enumerate().map(|(at, cell)| {
            Cell::parse(text, cell).map_err(|error| format!("its cell {at} is broken ({error})"))
        });
        let version = (top.nbformat.unwrap_or(4), top.nbformat_minor.unwrap_or(0));
        let language = ["/language_info/name", "/kernelspec/language"]
            .iter()
            .find_map(|pointer| top.metadata.pointer(pointer)?.as_str().map(str::to_owned));
        Ok(Notebook {
            text,
            list: span(text, list),
            cells: cells.collect::<Result<_, _>>()?,
            has_ids: version >= (4, 5),
            language,
        })
    }

    /// The name the model knows a cell by: its id, or its place counted from zero.
    pub(crate) fn name(&self, at: usize) -> String {
        let id = self.cells.get(at).and_then(|cell| cell.raw.id.clone());
        id.unwrap_or_else(|| format!("cell-{at}"))
    }

    /// The cell of a name. A real id counts more than a place.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let by_id = self.cells.iter().position(|cell| cell.raw.id.as_deref() == Some(name));
        let by_place = || name.strip_prefix("cell-")?.parse().ok();
        by_id.or_else(by_place).filter(|at| *at < self.cells.len())
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn has_ids(&self) -> bool {
        self.has_ids
    }
}

impl<'a> Cell<'a> {
    fn parse(text: &str, raw: &'a RawValue) -> Result<Cell<'a>, serde_json::Error> {
        let cell: RawCell<'_> = serde_json::from_str(raw.get())?;
        let source = match cell.source {
            Some(source) => serde_json::from_str(source.get())?,
            None => Source::Whole(String::new()),
        };
        Ok(Cell { span: span(text, raw), raw: cell, source })
    }
}

impl Source {
    fn text(&self) -> String {
        match self {
            Source::Whole(text) => text.clone(),
            Source::Lines(lines) => lines.concat(),
        }
    }

    /// Another text, kept in the same way.
    fn with_text(&self, text: &str) -> Value {
        match self {
            Source::Whole(_) => text.into(),
            Source::Lines(_) => text.split_inclusive('\n').map(Value::from).collect(),
        }
    }
}

/// Where a part that borrows from the text stands in it.
fn span(text: &str, part: &RawValue) -> Range<usize> {
    let start = part.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + part.get().len()
}

#[cfg(test)]
mod tests;
