//! Glob: files by the shape of their name.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use workspace::{GlobError, GlobResult, Ignored, Limits, Snapshot, Stopped};

use crate::context::Context;
use crate::place::{
    Place, SearchBounds, absolute, blocking, check_given, sentence, shown, shown_as_given,
};
use crate::show::reminder;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

/// More names than this help nobody.
const MOST: usize = 100;

pub(crate) struct Glob;

/// Finds files by name, the newest first, at most 100. Patterns: `*` within a name, `**` across
/// folders, `?`, `[ab]`, `{a,b}`; one without a slash matches at any depth, as in `*.rs`. New files
/// that are open and not saved yet are found too. Files that .gitignore names are left out unless
/// nothing else matches. Several searches can run at once.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The pattern, such as `src/**/*.{ts,tsx}`.
    pattern: String,
    /// The folder to search in; the working directory if left out.
    path: Option<String>,
}

impl Tool for Glob {
    type Input = Input;
    const NAME: &'static str = "Glob";
    const KIND: Kind = Kind::Search;

    fn title(input: &Input, cwd: &Path) -> String {
        match &input.path {
            Some(path) => format!("Find {} in {}", input.pattern, shown_as_given(cwd, path)),
            None => format!("Find {}", input.pattern),
        }
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let given = input.path.as_deref().unwrap_or(".");
        check_given(given)?;
        let folder = absolute(&cx.session, given);
        let glob =
            workspace::Glob::new(&input.pattern, &folder).map_err(|error| sentence(&error))?;
        // The pattern itself may lead elsewhere, so it is its own start that is asked about.
        let place = Place::of(glob.root.clone()).await?;
        Ok(Plan::new(vec![place.read()], move |cx| run(glob, place, cx)))
    }
}

async fn run(glob: workspace::Glob, place: Place, cx: Context) -> Result<Outcome, Problem> {
    place.check_unmoved().await?;
    let snapshot = cx.world.snapshot().await;
    let bounds = SearchBounds::new(&cx, &place);
    let root = place.resolved;
    let search = move || bounds.search(|limits| find(&glob, &root, &snapshot, limits));
    let found = blocking(search).await?;
    let found = found.map_err(|error| sentence(&error))?;
    if found.stopped == Some(Stopped::Cancelled) {
        return Err(Problem::new("The search was interrupted."));
    }
    Ok(Outcome::text(print(&found, &cx)))
}

fn find(
    glob: &workspace::Glob,
    root: &Path,
    snapshot: &Snapshot,
    limits: &Limits<'_>,
) -> Result<GlobResult, GlobError> {
    let found = glob.find(root, snapshot, Ignored::Skip, MOST, limits)?;
    if found.total > 0 || found.stopped.is_some() {
        return Ok(found);
    }
    // Whoever names a file that is ignored means it.
    glob.find(root, snapshot, Ignored::Include, MOST, limits)
}

fn print(found: &GlobResult, cx: &Context) -> String {
    let names = found.paths.iter().map(|path| shown(cx.session.cwd(), path));
    let mut text = names.collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        text.push_str("No files found.");
    }
    let mut note = |note: String| {
        text.push('\n');
        text.push_str(&reminder(&note));
    };
    if found.truncated() {
        let (shown, total) = (found.paths.len(), found.total);
        note(format!("These are {shown} of {total} files. Use a narrower pattern or folder."));
    }
    if found.stopped.is_some() {
        note("The search took too long and was ended early; there may be more files.".to_owned());
    }
    if found.unreadable > 0 {
        note(format!("{} folders could not be looked into.", found.unreadable));
    }
    text
}

#[cfg(test)]
mod tests;
