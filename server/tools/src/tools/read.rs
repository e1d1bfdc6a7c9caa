//! Read: a file as the user sees it: text, cells of a notebook, a picture, pages of a PDF.

mod lines;
mod outline;

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use text::{Fingerprint, Text};
use workspace::{FileText, Origin};

use crate::context::Context;
use crate::media::{self, Form, MediaFile};
use crate::notebook::{self, Notebook, is_notebook};
use crate::origin;
use crate::place::{Place, blocking, sentence, shown, shown_as_given};
use crate::reads::Asked;
use crate::show::reminder;
use crate::tool::{Kind, Outcome, Plan, Preview, Problem, Tool};

pub(crate) struct Read;

/// Reads a file. Unsaved changes in the user's editor are part of what you see. Every line of a text
/// comes with its number and a tab in front, which are not part of the file. Without a range the
/// first 2000 lines are shown, with an outline of the rest; use `offset` and `limit` for other parts
/// of a large file. Read a file before you change it. A notebook (.ipynb) is shown as its cells, and
/// `offset` and `limit` count those. Pictures (PNG, JPEG, GIF, WebP) are shown to you as such. Of a
/// PDF with more than 10 pages, say which with `pages`. Folders and other binary files cannot be
/// read; list folders with Glob.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The file, best as an absolute path.
    file_path: String,
    /// The first line to show, counted from 1.
    offset: Option<usize>,
    /// How many lines to show.
    limit: Option<usize>,
    /// Of a PDF, the pages to show: "3" or "1-5", at most 20.
    pages: Option<String>,
}

impl Input {
    fn asked(&self, form: Option<Form>) -> Asked {
        let Input { offset, limit, pages, .. } = self;
        Asked { offset: *offset, limit: *limit, pages: pages.clone(), form }
    }
}

impl Tool for Read {
    type Input = Input;
    const NAME: &'static str = "Read";
    const KIND: Kind = Kind::Read;

    fn title(input: &Input, cwd: &Path) -> String {
        let path = shown_as_given(cwd, &input.file_path);
        let first = input.offset.unwrap_or(1).max(1);
        match (input.limit, &input.pages) {
            (_, Some(pages)) => format!("Read {path} (pages {pages})"),
            (Some(limit), _) => {
                let last = first.saturating_add(limit).saturating_sub(1);
                format!("Read {path} (lines {first}–{last})")
            }
            (None, _) if first > 1 => format!("Read {path} (from line {first})"),
            (None, _) => format!("Read {path}"),
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
    if let Some(file) = place.media(&cx).await? {
        return show_media(&input, &place, file, &cx).await;
    }
    let file = place.text(&cx).await?.map_err(|error| sentence(&error))?;
    if input.pages.is_some() {
        let advice = "Leave out `pages`; use `offset` and `limit` for a part of it.";
        return Err(Problem(format!("{} is no PDF. {advice}", place.path.display())));
    }
    show_text(&input, &place, &file, &cx).await
}

async fn show_text(
    input: &Input,
    place: &Place,
    file: &FileText,
    cx: &Context,
) -> Result<Outcome, Problem> {
    let note = origin::note(place, file).map(|note| reminder(&note)).unwrap_or_default();
    let asked = input.asked(None);
    if let Some(unchanged) = unchanged(place, &asked, file.fingerprint(), cx).await {
        return Ok(Outcome::text(unchanged + &note));
    }
    let mut lines = None;
    let shown = if is_notebook(&place.path) {
        cells(&file.text, input)?
    } else {
        let page = lines::page(&file.text, input.offset, input.limit)?;
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
        reads.note_answer(&place.resolved, asked, file.fingerprint(), &cx.call_id);
    });
    Ok(Outcome::text(shown + &note))
}

async fn show_media(
    input: &Input,
    place: &Place,
    file: MediaFile,
    cx: &Context,
) -> Result<Outcome, Problem> {
    let MediaFile { kind, bytes, .. } = file;
    if kind != media::Kind::Pdf && input.pages.is_some() {
        let advice = "Leave out `pages`; it is shown whole.";
        return Err(Problem(format!("{} is a picture. {advice}", place.path.display())));
    }
    let form = if cx.world.takes_documents() { Form::Document } else { Form::Words };
    let (asked, now) = (input.asked(Some(form)), Fingerprint::of_bytes(&bytes));
    if let Some(unchanged) = unchanged(place, &asked, now, cx).await {
        return Ok(Outcome::text(unchanged));
    }
    let name = shown(cx.session.cwd(), &place.path);
    let content = match kind {
        media::Kind::Pdf => media::show_pdf(&name, bytes, input.pages.clone(), form).await?,
        _ => media::show_picture(&name, bytes).await?,
    };
    cx.session.with_reads(|reads| reads.note_answer(&place.resolved, asked, now, &cx.call_id));
    Ok(Outcome { content, ..Outcome::default() })
}

/// What stands in the conversation already need not be said again.
async fn unchanged(place: &Place, asked: &Asked, now: Fingerprint, cx: &Context) -> Option<String> {
    let call = cx.session.with_reads(|reads| reads.answered(&place.resolved, asked, now))?;
    if !cx.world.result_stands(&call).await {
        return None;
    }
    Some(format!(
        "{} has not changed since you read it: what you were shown then is what it says now.",
        place.path.display()
    ))
}

/// The cells of a notebook; the bare text of one that is broken, so that it can be mended.
fn cells(text: &Text, input: &Input) -> Result<String, Problem> {
    match Notebook::parse(&text.to_string()) {
        Ok(notebook) => notebook::page(&notebook, input.offset.unwrap_or(1).max(1), input.limit),
        Err(reason) => {
            let note = format!("This is not a notebook that can be shown as cells: {reason}.");
            let page = lines::page(text, input.offset, input.limit)?;
            Ok(page.lines + &page.note + &reminder(&note))
        }
    }
}

#[cfg(test)]
mod tests;
