//! Some lines of a text, with their numbers.

use std::ops::Range;

use text::Text;

use crate::show::{line_count, numbered, reminder};
use crate::tool::Problem;

/// So many lines are shown when no limit is given.
const LINES: usize = 2_000;
/// The most of a file that one call shows.
const BYTES: usize = 80_000;

#[derive(Default)]
pub(super) struct Page {
    pub(super) lines: String,
    pub(super) note: String,
    /// The last line shown, when the file goes on and nobody asked it to end here.
    pub(super) cut_at: Option<usize>,
    /// Which lines these are, counted from zero, and how many there are.
    pub(super) shown: Range<usize>,
    pub(super) total: usize,
}

/// The lines that were asked for.
pub(super) fn page(
    text: &Text,
    offset: Option<usize>,
    limit: Option<usize>,
) -> Result<Page, Problem> {
    let total = line_count(text);
    if total == 0 {
        let note = reminder("The file exists, and it is empty.");
        return Ok(Page { note, ..Page::default() });
    }
    let first = offset.unwrap_or(1).max(1);
    if first > total {
        return Err(Problem(format!(
            "The file has {total} lines, and line {first} is past its end. Give a smaller offset."
        )));
    }
    let wanted = limit.unwrap_or(LINES);
    if wanted == 0 {
        return Err(Problem::new("A limit of 0 lines shows nothing. Give a larger one."));
    }
    let shown = numbered(text, first, wanted, BYTES);
    let asked_for = first.saturating_add(wanted).saturating_sub(1).min(total);
    if limit.is_some() && shown.last < asked_for {
        return Err(Problem(format!(
            "Lines {first} to {asked_for} are more than {BYTES} bytes, which is too much for one \
             call. Lines {first} to {} would fit.",
            shown.last
        )));
    }
    let lines = first - 1..shown.last;
    let mut page = Page { lines: shown.text, shown: lines, total, ..Page::default() };
    if limit.is_none() && shown.last < total {
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
