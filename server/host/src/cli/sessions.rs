//! `bowline sessions`: what is stored, without a server.

mod import;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::args::{ExportFormat, SessionsArgs, SessionsCommand};
use super::log::Beginning;
use super::{Outcome, Problem, environment};
use crate::context::HostContext;
use crate::export::{self, Format};
use crate::repository;
use crate::store::{self, StoredSession};
use crate::terminal;

pub(super) fn run(args: &SessionsArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host_with_state()?;
    match &args.command {
        None => list(&host, None, false, false)?,
        Some(SessionsCommand::List { query, all, json }) => {
            list(&host, query.as_deref(), *all, *json)?;
        }
        Some(SessionsCommand::Show { id }) => {
            terminal::print(&text(&host, id, Format::Markdown)?);
        }
        Some(SessionsCommand::Export { id, format, output }) => {
            let format = match format {
                ExportFormat::Markdown => Format::Markdown,
                ExportFormat::Jsonl => Format::Jsonl,
            };
            let text = text(&host, id, format)?;
            match output {
                Some(output) => {
                    let output = environment::working_directory()?.join(output);
                    export::write(&output, &text).map_err(Problem::failed)?;
                }
                None => terminal::print(&text),
            }
        }
        Some(SessionsCommand::Import { path, all }) => {
            return import::run(&host, path.as_deref(), *all);
        }
        Some(SessionsCommand::Restore { id: None }) => list_aside(&host),
        Some(SessionsCommand::Restore { id: Some(id) }) => {
            let home = &host.locations.bowline_home;
            store::restore(home, id, host.clock.now()).map_err(Problem::failed)?;
        }
        Some(SessionsCommand::Delete { ids }) => {
            ids.iter().try_for_each(|id| delete(&host, id))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(host: &HostContext, query: Option<&str>, all: bool, json: bool) -> Result<(), Problem> {
    let cwd = environment::working_directory()?;
    let cwd = workspace::real_path(&cwd).unwrap_or(cwd);
    // The other worktrees of the repository belong to the same work.
    let folders = (!all).then(|| repository::same_folder_everywhere(&cwd));
    let all = all || folders.as_ref().is_some_and(|folders| folders.len() > 1);
    let mut found = store::list(&host.sessions_dir(), folders.as_deref());
    if let Some(query) = query {
        found = store::search(found, query, None);
    }
    let row = if json { json_row } else { plain_row };
    let rows: Vec<_> = found.iter().map(|session| row(session, all)).collect();
    if !rows.is_empty() {
        terminal::print(&rows.join("\n"));
    } else if !json {
        terminal::note("There is no such session; `--all` looks in every folder.");
    }
    Ok(())
}

/// What was put aside and can still be fetched back.
fn list_aside(host: &HostContext) {
    let aside = store::aside(&host.locations.bowline_home);
    let rows = aside.iter().map(|(path, title, day)| {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        format!("{id}  put aside {day}  {}", printable(title))
    });
    let rows: Vec<_> = rows.collect();
    match rows.is_empty() {
        true => terminal::note("Nothing is put aside."),
        false => terminal::print(&rows.join("\n")),
    }
}

fn plain_row(session: &StoredSession, all: bool) -> String {
    let folder = if all { format!("  {}", session.cwd.display()) } else { String::new() };
    let branch = session.branch.as_ref().map(|branch| format!("  [{}]", printable(branch)));
    let (at, size) = (day_and_time(session.updated_at), megabytes(store::size(&session.path)));
    let (branch, title) = (branch.unwrap_or_default(), printable(&session.title));
    format!("{}  {at}  {size:>8}{folder}{branch}  {title}", session.id)
}

/// A title is what somebody typed: nothing in it may move the cursor.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

fn day_and_time(millis: u64) -> String {
    let at = i64::try_from(millis).ok().and_then(chrono::DateTime::from_timestamp_millis);
    at.unwrap_or_default().format("%Y-%m-%d %H:%M").to_string()
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn json_row(session: &StoredSession, _: bool) -> String {
    json!({
        "sessionId": session.id,
        "title": session.title,
        "cwd": session.cwd,
        "branch": session.branch,
        "bytes": store::size(&session.path),
        "updatedAt": session.updated_at,
        "messages": session.messages,
    })
    .to_string()
}

fn text(host: &HostContext, id: &str, format: Format) -> Result<String, Problem> {
    let journal = journal(&host.sessions_dir(), id)?;
    export::export(&host.secrets.redactor(), &journal, format).map_err(Problem::failed)
}

fn delete(host: &HostContext, id: &str) -> Result<(), Problem> {
    let journal = journal(&host.sessions_dir(), id)?;
    if journal.file_stem().is_none_or(|stem| stem != id) {
        return Err(Problem::failed(format!("{id} is not a whole id; nothing was deleted.")));
    }
    store::delete(&journal).map_err(|error| Problem::failed(error.to_string()))
}

fn journal(sessions: &Path, id: &str) -> Result<PathBuf, Problem> {
    store::find(sessions, id).ok_or_else(|| {
        Problem::failed(format!("There is no session {id}; see `bowline sessions`."))
    })
}
