//! Conversations of Claude Code, taken over: a transcript of `~/.claude/projects` becomes a journal
//! of ours. What is there is only read.
//!
//! A transcript is a tree of lines, one for each block of an answer. [`chain`] finds the lines of
//! the conversation as it stands, [`records`] says the same in our words.

mod chain;
mod records;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use agent::{Record, TitleOrigin};

use super::journal::{self, Stamped};
use super::list::entries;
use chain::Chain;
use records::Writer;

/// A transcript that could be taken over.
#[derive(Debug)]
pub struct Importable {
    pub path: PathBuf,
    pub title: String,
    pub cwd: PathBuf,
    /// Milliseconds since 1970.
    pub updated_at: u64,
}

/// The transcripts below a folder, the newest first, without those that are here already.
pub fn importable(sessions: &Path, folder: &Path) -> Vec<Importable> {
    let is_transcript =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let here = entries(folder).into_iter().filter(is_transcript);
    // Folders of projects; what helper agents said is further down, and no session.
    let projects = entries(folder).into_iter().filter(|path| path.is_dir());
    let below = projects.flat_map(|project| entries(&project)).filter(is_transcript);
    let known = |id: &str| super::find(sessions, id).is_some();
    let all = here.chain(below).filter(|path| !known(&id_of(path)));
    let mut found: Vec<_> = all.filter_map(|path| look(&path)).collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.updated_at));
    found
}

fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn look(path: &Path) -> Option<Importable> {
    let modified = path.metadata().ok()?.modified().ok()?;
    let updated = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    let chain = Chain::read(path).ok().filter(|chain| !chain.is_empty())?;
    Some(Importable {
        title: chain.title().map(|(title, _)| title).unwrap_or_default(),
        cwd: chain.cwd,
        updated_at: u64::try_from(updated.as_millis()).ok()?,
        path: path.to_owned(),
    })
}

/// What came of it.
#[derive(Debug)]
pub struct Imported {
    pub id: String,
    pub messages: usize,
    /// Lines that could not be read.
    pub skipped: usize,
}

/// Takes one transcript over, whole or not at all. The session keeps its id, so that nobody has it
/// twice.
pub fn import(sessions: &Path, path: &Path, now: u64) -> Result<Imported, String> {
    let chain = Chain::read(path)?;
    if chain.is_empty() {
        return Err(format!("{} holds no conversation.", path.display()));
    }
    let id = match uuid::Uuid::parse_str(&id_of(path)) {
        Ok(id) => id.to_string(),
        Err(_) => uuid::Uuid::now_v7().to_string(),
    };
    if super::find(sessions, &id).is_some() {
        return Err(format!("The session {id} is here already."));
    }
    let file = File::open(path).map_err(|error| format!("{}: {error}.", path.display()))?;
    let to = super::journal_path(sessions, &chain.cwd, &id);
    let mut messages = 0;
    let written = journal::write_whole(&to, |out| {
        let mut write = |at: u64, record: &Record| {
            if matches!(record, Record::User { .. } | Record::Assistant { .. }) {
                messages += 1;
            }
            serde_json::to_writer(&mut *out, &Stamped { at, record })?;
            out.write_all(b"\n")
        };
        write(now, &head(&chain, &id))?;
        if let Some((title, origin)) = chain.title() {
            write(now, &Record::Title { title, origin })?;
        }
        let mut writer = Writer::new(now, &mut write);
        for place in chain.places() {
            let mut line = vec![0; place.len];
            file.read_exact_at(&mut line, place.start)?;
            writer.take(&line)?;
        }
        writer.end()
    });
    written.map_err(|error| error.to_string())?;
    Ok(Imported { id, messages, skipped: chain.skipped })
}

fn head(chain: &Chain, id: &str) -> Record {
    Record::Session {
        version: agent::journal::VERSION,
        id: id.to_owned(),
        cwd: chain.cwd.display().to_string(),
        model: chain.model.clone(),
        mode: "default".to_owned(),
        forked_from: None,
    }
}

/// What the user called it, else what was made up, else what was asked first.
fn best_title(
    given: Option<String>,
    generated: Option<String>,
    first: Option<String>,
) -> Option<(String, TitleOrigin)> {
    let given = given.map(|title| (title, TitleOrigin::User));
    let others = generated.or(first).map(|title| (title, TitleOrigin::Generated));
    given.or(others)
}
