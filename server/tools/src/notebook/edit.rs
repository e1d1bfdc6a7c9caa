//! Changes of cells, as edits of the notebook's text that touch nothing else.

use std::ops::Range;

use serde_json::{Map, Value, json};
use text::{Edit, Fingerprint, Splice};

use super::style::{Style, indentation};
use super::{Cell, CellType, Notebook, Source, span};

impl Notebook<'_> {
    /// Another source for a cell. What a changed code cell once printed is not true any more.
    pub(crate) fn replace(&self, at: usize, source: &str, to: Option<CellType>) -> Option<Edit> {
        let cell = self.cells.get(at)?;
        let to = to.filter(|to| to.name() != cell.raw.cell_type);
        let splices = match (to, cell.raw.source) {
            (None, Some(old)) => self.fields(cell, span(self.text, old), source),
            _ => self.whole(cell, source, to)?,
        };
        self.edit(splices)
    }

    /// A new cell behind another one, or in front of all.
    pub(crate) fn insert(
        &self,
        after: Option<usize>,
        source: &str,
        cell_type: CellType,
        id: &str,
    ) -> Option<Edit> {
        let style = Style::of(self.text);
        let mut cell = Map::new();
        cell.insert("cell_type".to_owned(), cell_type.name().into());
        if cell_type == CellType::Code {
            cell.insert("execution_count".to_owned(), Value::Null);
        }
        if self.has_ids {
            cell.insert("id".to_owned(), id.into());
        }
        cell.insert("metadata".to_owned(), json!({}));
        if cell_type == CellType::Code {
            cell.insert("outputs".to_owned(), json!([]));
        }
        let like = self.cells.first().map_or(Source::Lines(Vec::new()), |cell| cell.source.clone());
        cell.insert("source".to_owned(), like.with_text(source));
        let cell = Value::Object(cell);
        let Some(first) = self.cells.first() else {
            let list = style.write_list_of(&cell, indentation(self.text, self.list.start));
            return self.edit(vec![Splice::new(self.list.clone(), list)]);
        };
        let cell = style.write(&cell, indentation(self.text, first.span.start));
        let splice = match after {
            Some(after) => {
                let end = self.cells.get(after)?.span.end;
                Splice::new(end..end, format!("{}{cell}", self.between()))
            }
            None => {
                let start = first.span.start;
                Splice::new(start..start, format!("{cell}{}", self.between()))
            }
        };
        self.edit(vec![splice])
    }

    pub(crate) fn delete(&self, at: usize) -> Option<Edit> {
        let cell = &self.cells.get(at)?.span;
        let splice = match (self.cells.get(at + 1), at.checked_sub(1)) {
            (Some(next), _) => Splice::new(cell.start..next.span.start, ""),
            (None, Some(before)) => Splice::new(self.cells.get(before)?.span.end..cell.end, ""),
            (None, None) => Splice::new(self.list.clone(), "[]"),
        };
        self.edit(vec![splice])
    }

    /// An id that no cell has: always the same for the same call, so that a replay finds it again.
    pub(crate) fn new_id(&self, seed: &str) -> String {
        let ids = (0..).map(|round| {
            let mut id = Fingerprint::of(&format!("{seed} {round}")).to_string();
            id.truncate(8);
            id
        });
        let taken = |id: &String| self.cells.iter().any(|cell| cell.raw.id.as_ref() == Some(id));
        ids.into_iter().find(|id| !taken(id)).unwrap_or_default()
    }

    /// Only the members that change, so that the others keep their order and spelling.
    fn fields(&self, cell: &Cell<'_>, old: Range<usize>, source: &str) -> Vec<Splice> {
        let source = (old, cell.source.with_text(source));
        let mut members = vec![source];
        if cell.raw.cell_type == CellType::Code.name() {
            members.extend(cell.raw.outputs.map(|old| (span(self.text, old), json!([]))));
            let count = cell.raw.execution_count;
            members.extend(count.map(|old| (span(self.text, old), Value::Null)));
        }
        let style = Style::of(self.text);
        let splices = members.into_iter().flat_map(|(old, value)| {
            let new = style.write(&value, indentation(self.text, old.start));
            self.smallest(old, &new)
        });
        splices.collect()
    }

    /// The cell written anew, for it needs other members now.
    fn whole(&self, cell: &Cell<'_>, source: &str, to: Option<CellType>) -> Option<Vec<Splice>> {
        let mut members: Map<String, Value> =
            serde_json::from_str(&self.text[cell.span.clone()]).ok()?;
        let cell_type = to.map_or(cell.raw.cell_type.as_str(), |to| to.name());
        members.insert("cell_type".to_owned(), cell_type.into());
        if cell_type == CellType::Code.name() {
            members.insert("execution_count".to_owned(), Value::Null);
            members.insert("outputs".to_owned(), json!([]));
            members.shift_remove("attachments");
        } else {
            members.shift_remove("execution_count");
            members.shift_remove("outputs");
        }
        members.insert("source".to_owned(), cell.source.with_text(source));
        let indentation = indentation(self.text, cell.span.start);
        let new = Style::of(self.text).write(&Value::Object(members), indentation);
        Some(self.smallest(cell.span.clone(), &new))
    }

    /// What stands between two cells: a comma and some blanks.
    fn between(&self) -> String {
        match self.cells.as_slice() {
            [first, second, ..] => self.text[first.span.end..second.span.start].to_owned(),
            [only] => format!(",{}", &self.text[self.list.start + 1..only.span.start]),
            [] => ",".to_owned(),
        }
    }

    fn smallest(&self, old: Range<usize>, new: &str) -> Vec<Splice> {
        let change = text::diff(&self.text[old.clone()], new);
        let splices = change.splices().iter().map(|splice| {
            let range = splice.range.start + old.start..splice.range.end + old.start;
            Splice::new(range, splice.text.as_str())
        });
        splices.collect()
    }

    fn edit(&self, splices: Vec<Splice>) -> Option<Edit> {
        Edit::new(self.text.len(), splices).ok()
    }
}
