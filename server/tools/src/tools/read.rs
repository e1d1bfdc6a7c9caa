//! Read: the text of a file as the user sees it.

mod outline;

use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use text::Text;
use workspace::Origin;

use crate::context::Context;
use crate::notebook::{self, Notebook, is_notebook};
use crate::origin;
use crate::place::{Place, blocking, sentence, shown_as_given};
use crate::show::{line_count, numbered, reminder};
use crate::tool::{Kind, Outcome, Plan, Preview, Problem, Tool};

/// So many lines are shown when no limit is given.
const LINES: usize = 2_000;
/// The most of a file that one call shows.
const BYTES: usize = 80_000;

pub(crate) struct Read;

/// Reads a text file. Unsaved changes in the user's editor are part of what you see. Every line
/// comes with its number and a tab in front, which are not part of the file. Without a range the
/// first 2000 lines are shown, with an outline of the rest; use `offset` and `limit` for other parts
/// of a large file. Read a file before you change it. A notebook (.ipynb) is shown as its cells, and
/// `offset` and `limit` count those. Folders and binary files cannot be read; list folders with Glob.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The file, best as an absolute path.
    file_path: String,
    /// The first line to show, counted from 1.
    offset: Option<usize>,
    /// How many lines to show.
    limit: Option<usize>,
}

impl Tool for Read {
    type Input = Input;
    const NAME: &'static str = "Read";
    const KIND: Kind = Kind::Read;

    fn title(input: &Input, cwd: &Path) -> String {
        let path = shown_as_given(cwd, &input.file_path);
        let first = input.offset.unwrap_or(1).max(1);
        match input.limit {
            Some(limit) => {
                let last = first.saturating_add(limit).saturating_sub(1);
                format!("Read {path} (lines {first}–{last})")
            }
            None if first > 1 => format!("Read {path} (from line {first})"),
            None => format!("Read {path}"),
        }
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let place = Place::find(&cx, &input.file_path).await?;
        let subjects = vec![place.read()];
        let path = place.path.clone();
        // Another file under the same name is another question.
        let identity = place.found.map(|stamp| format!("{:?}", stamp.identity()));
        let plan = Plan::new(subjects, move |cx| run(input, place, cx));
        let plan = plan.identity(identity.into_iter().collect());
        Ok(plan.preview(Preview::Read { path: path.clone() }).location(path))
    }
}

async fn run(input: Input, place: Place, cx: Context) -> Result<Outcome, Problem> {
    place.check_unmoved().await?;
    let file = place.text(&cx).await?.map_err(|error| sentence(&error))?;
    let mut lines = None;
    let mut shown = if is_notebook(&place.path) {
        cells(&file.text, &input)?
    } else {
        let page = page(&file.text, &input)?;
        lines = Some((page.shown.clone(), page.total));
        let outline = match page.cut_at.filter(|_| input.offset.is_none()) {
            Some(last) => {
                let (path, text) = (place.resolved.clone(), file.text.clone());
                blocking(move || outline::behind(&path, &text, last)).await?
            }
            None => String::new(),
        };
        page.lines + &outline + &page.note
    };
    cx.session.with_reads(|reads| {
        match lines {
            Some((shown, of)) => {
                reads.note_lines(&place.resolved, file.fingerprint(), shown, of);
            }
            None => reads.note(&place.resolved, file.fingerprint()),
        }
        reads.keep_seen(&place.resolved, file.text.clone());
        if let Origin::Disk { stamp } = file.origin {
            reads.note_disk(&place.resolved, stamp, Some(file.text.clone()));
        }
    });
    if let Some(note) = origin::note(&file) {
        shown.push_str(&reminder(&note));
    }
    Ok(Outcome::text(shown))
}

/// The cells of a notebook; the bare text of one that is broken, so that it can be mended.
fn cells(text: &Text, input: &Input) -> Result<String, Problem> {
    match Notebook::parse(&text.to_string()) {
        Ok(notebook) => notebook::page(&notebook, input.offset.unwrap_or(1).max(1), input.limit),
        Err(reason) => {
            let note = format!("This is not a notebook that can be shown as cells: {reason}.");
            let page = page(text, input)?;
            Ok(page.lines + &page.note + &reminder(&note))
        }
    }
}

#[derive(Default)]
struct Page {
    lines: String,
    note: String,
    /// The last line shown, when the file goes on and nobody asked it to end here.
    cut_at: Option<usize>,
    /// Which lines these are, counted from zero, and how many there are.
    shown: Range<usize>,
    total: usize,
}

/// The lines that were asked for.
fn page(text: &Text, input: &Input) -> Result<Page, Problem> {
    let total = line_count(text);
    if total == 0 {
        let note = reminder("The file exists, and it is empty.");
        return Ok(Page { note, ..Page::default() });
    }
    let first = input.offset.unwrap_or(1).max(1);
    if first > total {
        return Err(Problem(format!(
            "The file has {total} lines, and line {first} is past its end. Give a smaller offset."
        )));
    }
    let wanted = input.limit.unwrap_or(LINES);
    if wanted == 0 {
        return Err(Problem::new("A limit of 0 lines shows nothing. Give a larger one."));
    }
    let shown = numbered(text, first, wanted, BYTES);
    let asked_for = first.saturating_add(wanted).saturating_sub(1).min(total);
    if input.limit.is_some() && shown.last < asked_for {
        return Err(Problem(format!(
            "Lines {first} to {asked_for} are more than {BYTES} bytes, which is too much for one \
             call. Lines {first} to {} would fit.",
            shown.last
        )));
    }
    let lines = first - 1..shown.last;
    let mut page = Page { lines: shown.text, shown: lines, total, ..Page::default() };
    if input.limit.is_none() && shown.last < total {
        page.note = reminder(&format!(
            "PARTIAL: these are lines {first} to {} of {total}. Read on with offset {}, or search \
             with Grep.",
            shown.last,
            shown.last + 1
        ));
        page.cut_at = Some(shown.last);
    }
    Ok(page)
}

#[cfg(test)]
mod tests;
