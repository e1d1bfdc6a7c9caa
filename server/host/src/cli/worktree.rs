//! `--worktree NAME`: where the work happens, from the first word to the last.

use std::path::Path;

use super::Problem;
use crate::context::HostContext;
use crate::terminal;
use crate::worktree::Worktree;

pub(super) fn open(
    host: &HostContext,
    cwd: &Path,
    name: Option<&str>,
) -> Result<Option<Worktree>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let cwd = workspace::real_path(cwd).map_err(|error| Problem::failed(error.to_string()))?;
    let made = runtime()?.block_on(Worktree::open(host, &cwd, name));
    made.map(Some).map_err(Problem::failed)
}

/// Tells what became of it.
pub(super) fn close(host: &HostContext, tree: Option<Worktree>) {
    let Some(tree) = tree else { return };
    let told = runtime().map(|runtime| runtime.block_on(tree.close(host)));
    match told {
        Ok(Some(text)) => terminal::note(&text),
        Ok(None) => {}
        Err(problem) => terminal::note(&problem.message),
    }
}

/// For a call of git now and then; the work itself has its own.
fn runtime() -> Result<tokio::runtime::Runtime, Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Problem::failed(format!("The event loop cannot start: {error}.")))
}
