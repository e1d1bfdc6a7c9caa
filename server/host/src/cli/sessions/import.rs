//! `bowline sessions import`: conversations of Claude Code, listed or taken over.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{Outcome, Problem, day_and_time, environment, printable};
use crate::context::HostContext;
use crate::store::{self, Importable};
use crate::terminal;

pub(super) fn run(host: &HostContext, path: Option<&Path>, all: bool) -> Outcome {
    let folder = match path {
        Some(path) => environment::working_directory()?.join(path),
        None => transcripts(host)?,
    };
    let is_file = folder.extension().is_some_and(|extension| extension == "jsonl");
    if is_file {
        import(host, &folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    let found = store::importable(&host.sessions_dir(), &folder);
    if found.is_empty() {
        terminal::note(&format!("There is nothing to take over in {}.", folder.display()));
    } else if all || path.is_some() {
        let failed = found.iter().filter(|one| match import(host, &one.path) {
            Ok(()) => false,
            Err(problem) => {
                terminal::note(&format!("{}: {}", one.path.display(), problem.message));
                true
            }
        });
        return Ok(ExitCode::from(u8::from(failed.count() > 0)));
    } else {
        let rows: Vec<_> = found.iter().map(row).collect();
        terminal::print(&rows.join("\n"));
        terminal::note("`bowline sessions import PATH` takes one over, `--all` all of them.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Where Claude Code keeps its conversations.
fn transcripts(host: &HostContext) -> Result<PathBuf, Problem> {
    let named = host.var("CLAUDE_CONFIG_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = named.or_else(|| host.home().map(|home| home.join(".claude")));
    let folder = folder.ok_or_else(|| Problem::failed("There is no home folder; name a path."))?;
    Ok(folder.join("projects"))
}

fn import(host: &HostContext, path: &Path) -> Result<(), Problem> {
    let imported = store::import(&host.sessions_dir(), path, host.clock.millis());
    let imported = imported.map_err(Problem::failed)?;
    let lost = match imported.skipped {
        0 => String::new(),
        lines => format!(", {lines} damaged lines left out"),
    };
    terminal::print(&format!("{}  {} messages{lost}", imported.id, imported.messages));
    Ok(())
}

fn row(one: &Importable) -> String {
    let (at, title) = (day_and_time(one.updated_at), printable(&one.title));
    format!("{at}  {}  {title}\n    {}", one.cwd.display(), one.path.display())
}
