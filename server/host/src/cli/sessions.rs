//! `bowline sessions`: what is stored, without a server.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::args::{ExportFormat, SessionsArgs, SessionsCommand};
use super::log::Beginning;
use super::{Outcome, Problem, environment};
use crate::context::HostContext;
use crate::export::{self, Format};
use crate::store::{self, StoredSession};
use crate::terminal;

pub(super) fn run(args: &SessionsArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host()?;
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
        Some(SessionsCommand::Delete { ids }) => {
            ids.iter().try_for_each(|id| delete(&host, id))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(host: &HostContext, query: Option<&str>, all: bool, json: bool) -> Result<(), Problem> {
    let cwd = environment::working_directory()?;
    let cwd = workspace::real_path(&cwd).unwrap_or(cwd);
    let cwd = (!all).then_some(cwd);
    let mut found = store::list(&host.sessions_dir(), cwd.as_deref());
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

fn plain_row(session: &StoredSession, all: bool) -> String {
    let at = i64::try_from(session.updated_at).ok();
    let at = at.and_then(chrono::DateTime::from_timestamp_millis).unwrap_or_default();
    let folder = if all { format!("  {}", session.cwd.display()) } else { String::new() };
    // A title is what somebody typed: nothing in it may move the cursor.
    let title: String = session.title.chars().filter(|c| !c.is_control()).collect();
    format!("{}  {}{folder}  {title}", session.id, at.format("%Y-%m-%d %H:%M"))
}

fn json_row(session: &StoredSession, _: bool) -> String {
    json!({
        "sessionId": session.id,
        "title": session.title,
        "cwd": session.cwd,
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
