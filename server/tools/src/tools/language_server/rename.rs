//! Renaming: the server says what would change, the user sees all of it, and then it is done file by
//! file.

use std::path::PathBuf;

use language::{Answer, FileEdit, Query};
use text::{Edit, Position, PositionEncoding, Splice, Text};
use workspace::Snapshot;

use super::{Input, LanguageServer, ask, query};
use crate::change::{Change, Made, look, version};
use crate::context::Context;
use crate::findings;
use crate::place::{Place, blocking, is_denied, shown};
use crate::show::counted;
use crate::tool::{FileChange, Outcome, Plan, Preview, Problem, Tool};

/// A rename that touches more is no small thing any more, and no preview of it is read.
const FILES: usize = 200;

pub(super) async fn plan(input: Input, place: Place, cx: Context) -> Result<Plan, Problem> {
    if is_denied(&cx, LanguageServer::NAME, &place.read()) {
        return Ok(refused(vec![place]));
    }
    let before = cx.world.snapshot().await;
    let query = query(&input, &place, &cx).await?;
    let Query::Rename { to, .. } = &query else {
        return Err(Problem::new("This is not a rename."));
    };
    let to = to.clone();
    let Answer::Edits(files) = ask(&cx, query).await? else {
        return Err(Problem::new("The language server answered something else."));
    };
    if files.len() > FILES {
        let count = files.len();
        return Err(Problem(format!(
            "This would change {count} files, which is too many at once."
        )));
    }
    let mut places = Vec::new();
    for file in &files {
        places.push(Place::of(file.path.clone()).await?);
    }
    if places.iter().any(|place| is_denied(&cx, LanguageServer::NAME, &place.edit())) {
        return Ok(refused(places));
    }
    let mut changes = Vec::new();
    for (file, place) in files.iter().zip(places) {
        changes.extend(change(file, place, &before, &cx).await?);
    }
    if changes.is_empty() {
        return Err(Problem::new("The language server found nothing to rename there."));
    }
    let mut subjects = vec![place.read()];
    subjects.extend(changes.iter().map(|change| change.place.edit()));
    let preview = preview(&changes);
    let paths: Vec<PathBuf> = changes.iter().map(|change| change.place.path.clone()).collect();
    let mut plan = Plan::new(subjects, move |cx| run(changes, to, cx)).preview(preview);
    plan.locations = paths;
    Ok(plan)
}

/// What the policy will refuse is told nothing about.
fn refused(places: Vec<Place>) -> Plan {
    let subjects = places.iter().flat_map(|place| [place.read(), place.edit()]).collect();
    Plan::new(subjects, |_| async { Err(Problem::new("These files may not be changed.")) })
}

/// All files of the change, so that the user decides about all of them.
fn preview(changes: &[Change]) -> Preview {
    let mut files = changes.iter().filter_map(Change::proposed);
    let Some(FileChange { path, version, old, new }) = files.next() else { return Preview::None };
    Preview::Edit { path, version, old, new, others: files.collect() }
}

/// What the rename does to one file; nothing when that leaves it as it is.
async fn change(
    file: &FileEdit,
    place: Place,
    before: &Snapshot,
    cx: &Context,
) -> Result<Option<Change>, Problem> {
    let path = place.path.display();
    let Some(base) = look(cx, &place).await? else {
        return Err(Problem(format!("{path} should be changed, but does not exist any more.")));
    };
    let (before, resolved) = (before.clone(), place.resolved.clone());
    let asked_about = blocking(move || before.at(&resolved).map(|open| open.version)).await?;
    let edit = match edit(&base.text, file) {
        Some(edit) if version(&base) == asked_about => edit,
        _ => {
            return Err(Problem(format!(
                "Nothing was renamed: {path} changed while the language server was asked. Try again."
            )));
        }
    };
    let mut change = Change::new(place, Some(base), edit);
    change.count = file.edits.len();
    Ok((!change.is_empty()).then_some(change))
}

/// The edits of a file in terms of its text. Columns are counted in characters.
fn edit(text: &Text, file: &FileEdit) -> Option<Edit> {
    let position = |(line, column): (u32, u32)| {
        Some(Position { line: line.checked_sub(1)?, column: column.checked_sub(1)? })
    };
    let splices = file.edits.iter().map(|(place, new)| {
        let range = position(place.start)?..position(place.end)?;
        let bytes = text.range(range, PositionEncoding::Utf32).ok()?;
        Some(Splice::new(bytes, new.as_str()))
    });
    Edit::new(text.len_bytes(), splices.collect::<Option<_>>()?).ok()
}

/// Does what was agreed to, as far as it goes, and says exactly how far that was.
async fn run(changes: Vec<Change>, to: String, cx: Context) -> Result<Outcome, Problem> {
    let (mut made, mut failed) = (Vec::new(), Vec::new());
    for change in changes {
        let (name, count) = (shown(cx.session.cwd(), &change.place.path), change.count);
        if cx.cancel.is_cancelled() {
            failed.push(format!("{name}: not tried, because the call was stopped"));
            continue;
        }
        match change.apply("Rename", &cx).await {
            Ok(done) => made.push((name, count, done)),
            Err(Problem(reason)) => failed.push(format!("{name}: {reason}")),
        }
    }
    let places: usize = made.iter().map(|(_, count, _)| count).sum();
    let (places, files) = (counted(places, "place"), counted(made.len(), "file"));
    let mut lines = vec![format!("Renamed to {to}: {places} in {files}.")];
    for (name, count, done) in &made {
        let deviation = done.edited.deviation.as_deref().map(|what| format!(" — {what}"));
        lines.push(format!("{name}: {count}{}", deviation.unwrap_or_default()));
    }
    if !failed.is_empty() {
        lines.push("NOT changed:".to_owned());
        lines.extend(failed.iter().cloned());
    }
    let done: Vec<&Made> = made.iter().map(|(_, _, done)| done).collect();
    for done in &done {
        done.note_if_seen(&cx).await?;
    }
    lines.extend(findings::since(&cx, &done).await);
    let diffs = made.iter().map(|(_, _, done)| done.file_change()).collect();
    let is_error = !failed.is_empty();
    Ok(Outcome { diffs, is_error, ..Outcome::text(lines.join("\n")) })
}
