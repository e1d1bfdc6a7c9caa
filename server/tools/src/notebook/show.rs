//! A notebook as the model reads it: its cells one after the other, with what they printed.

use serde_json::Value;

use super::{Cell, Notebook, Source};
use crate::show::{head_and_tail, reminder};
use crate::tool::Problem;

/// The most of a notebook that one call shows, of the source of one cell, and of what it printed.
const BYTES: usize = 80_000;
const SOURCE: usize = 40_000;
const OUTPUT: usize = 2_000;

/// The cells from `first` on, counted from one, at most `count` of them.
pub(crate) fn page(
    notebook: &Notebook<'_>,
    first: usize,
    count: Option<usize>,
) -> Result<String, Problem> {
    let total = notebook.len();
    let language = notebook.language.as_deref().unwrap_or("unknown language");
    let mut page = format!("A notebook ({language}) with {total} cells.\n");
    if total == 0 {
        return Ok(page);
    }
    if first > total {
        return Err(Problem(format!(
            "The notebook has {total} cells, and cell {first} is past its end. Give a smaller \
             offset; it counts cells here."
        )));
    }
    let wanted = count.unwrap_or(total).max(1);
    let mut last = first - 1;
    for (at, cell) in notebook.cells.iter().enumerate().skip(first - 1).take(wanted) {
        let shown = show(&notebook.name(at), cell);
        if page.len() + shown.len() > BYTES && last >= first {
            break;
        }
        page.push_str(&shown);
        last = at + 1;
    }
    if last < total && last < first.saturating_add(wanted).saturating_sub(1) {
        page.push_str(&reminder(&format!(
            "PARTIAL: these are the cells {first} to {last} of {total}. Read on with offset {}, \
             which counts cells in a notebook.",
            last + 1
        )));
    }
    Ok(page)
}

fn show(name: &str, cell: &Cell<'_>) -> String {
    let source = head_and_tail(cell.source.text().trim_end_matches('\n'), SOURCE);
    let cell_type = &cell.raw.cell_type;
    let mut shown = format!("<cell id=\"{name}\" type=\"{cell_type}\">\n{source}\n</cell>\n");
    let outputs = cell.raw.outputs.map(|outputs| serde_json::from_str(outputs.get()));
    let Some(Ok(Value::Array(outputs))) = outputs else { return shown };
    let printed: Vec<String> = outputs.iter().filter_map(printed).collect();
    if !printed.is_empty() {
        let printed = head_and_tail(printed.join("\n").trim_end(), OUTPUT);
        shown.push_str(&format!("<output of=\"{name}\">\n{printed}\n</output>\n"));
    }
    shown
}

/// What one output says in words. Pictures are only named.
fn printed(output: &Value) -> Option<String> {
    match output.get("output_type")?.as_str()? {
        "stream" => plain(output.get("text")?),
        "error" => {
            let part = |name: &str| output.get(name).and_then(Value::as_str).unwrap_or_default();
            let trace = output.get("traceback").and_then(Value::as_array);
            let trace = trace.into_iter().flatten().filter_map(Value::as_str);
            let trace = without_colours(&trace.collect::<Vec<_>>().join("\n"));
            let headline = format!("{}: {}", part("ename"), part("evalue"));
            Some(if trace.contains(&headline) { trace } else { format!("{trace}\n{headline}") })
        }
        _ => {
            let data = output.get("data")?.as_object()?;
            let text = data.get("text/plain").and_then(plain);
            let others = data.keys().filter(|kind| !kind.starts_with("text/"));
            let others = others.map(|kind| format!("[{kind}, not shown]"));
            let all: Vec<String> = text.into_iter().chain(others).collect();
            (!all.is_empty()).then(|| all.join("\n"))
        }
    }
}

fn plain(text: &Value) -> Option<String> {
    let text: Source = serde::Deserialize::deserialize(text).ok()?;
    Some(without_colours(&text.text()).trim_end_matches('\n').to_owned())
}

/// Tracebacks come as they look in a terminal.
fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| c.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
        plain.push_str(&piece[end..]);
    }
    plain
}
