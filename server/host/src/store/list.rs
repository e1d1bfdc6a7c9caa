//! Finding sessions: by project, by id, by what was asked.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use agent::{Record, Title, TitleOrigin};

use super::JournalError;
use super::read::title_of;
use super::recover;
use crate::context::Clock;

/// Enough of a session for a list, from the first and last pages of its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSession {
    pub id: String,
    pub path: PathBuf,
    pub cwd: PathBuf,
    pub title: String,
    /// Milliseconds since 1970.
    pub updated_at: u64,
    pub messages: u32,
    /// What was checked out when it was last used.
    pub branch: Option<String>,
}

/// A list must not read gigabytes: this much from each end of a journal will do.
const PAGE: u64 = 64 * 1024;

/// The sessions of some folders, or of all, newest first.
pub fn list(sessions: &Path, folders: Option<&[PathBuf]>) -> Vec<StoredSession> {
    let projects = match folders {
        Some(folders) => {
            folders.iter().map(|folder| super::project_dir(sessions, folder)).collect()
        }
        None => entries(sessions),
    };
    let journals = projects.iter().flat_map(|project| entries(project));
    let mut found: Vec<_> = journals.filter_map(|path| summary(&path)).collect();
    if let Some(folders) = folders {
        for session in &mut found {
            // The name of the folder that it is in proves it, whatever its own first line says.
            let belongs = |folder: &&PathBuf| recover::belongs(&session.path, folder);
            if let (false, Some(folder)) =
                (folders.contains(&session.cwd), folders.iter().find(belongs))
            {
                session.cwd.clone_from(folder);
            }
        }
        found.retain(|session| folders.contains(&session.cwd));
    }
    found.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
    found
}

/// The journal of a session, whichever project it belongs to. A unique beginning of an id will do.
pub fn find(sessions: &Path, id: &str) -> Option<PathBuf> {
    // An id becomes part of a path: anything but the letters of an id finds nothing.
    if id.len() < 4 || !id.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
        return None;
    }
    let journals = entries(sessions).into_iter().flat_map(|project| entries(&project));
    let named = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        is_journal(path) && stem.is_some_and(|stem| stem.starts_with(id))
    };
    let mut found = journals.filter(named);
    let first = found.next()?;
    // Two that begin alike: none of them is meant.
    if found.next().is_some() { None } else { Some(first) }
}

/// Removes a journal that nobody writes to, and what belongs to it.
pub fn delete(path: &Path) -> Result<(), JournalError> {
    // Opening takes the writer's lock, so whoever has it keeps the file.
    let _writer = super::journal::open(path, false)?;
    let failed = |cause| JournalError::Io { path: path.to_owned(), cause };
    let belongings = super::belongings(path);
    if belongings.is_dir() {
        std::fs::remove_dir_all(&belongings).map_err(failed)?;
    }
    std::fs::remove_file(path).map_err(failed)
}

/// Gives a stored session a title. It was not used by that, so it keeps its place in lists.
pub fn rename(path: &Path, title: String, clock: Clock) -> Result<(), JournalError> {
    let failed = |cause| JournalError::Io { path: path.to_owned(), cause };
    let used = std::fs::metadata(path).and_then(|facts| facts.modified()).map_err(failed)?;
    let mut journal = super::Journal::resume(path.to_owned(), clock)?;
    journal.append(&Record::Title { title, origin: TitleOrigin::User })?;
    let file = File::options().append(true).open(path).map_err(failed)?;
    file.sync_data().and_then(|()| file.set_modified(used)).map_err(failed)
}

pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// What a session is called.
pub(super) fn title(path: &Path) -> Option<String> {
    summary(path).map(|session| session.title)
}

fn summary(path: &Path) -> Option<StoredSession> {
    if !is_journal(path) {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let updated = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut summary = StoredSession {
        id: path.file_stem()?.to_str()?.to_owned(),
        path: path.to_owned(),
        cwd: PathBuf::new(),
        title: String::new(),
        updated_at: u64::try_from(updated.as_millis()).ok()?,
        messages: 0,
        branch: None,
    };
    let mut names = Names::default();
    summary.scan((&mut file).take(PAGE), &mut names);
    if metadata.len() > PAGE {
        // What is between the two pages is not counted; a list may be a little off.
        file.seek(SeekFrom::Start(PAGE.max(metadata.len() - PAGE))).ok()?;
        summary.scan(&mut file, &mut names);
    }
    if let Some(title) = names.given.text() {
        title.clone_into(&mut summary.title);
    } else if summary.title.is_empty() && names.edited {
        summary.title = "Inline edits".to_owned();
    }
    let empty = summary.cwd.as_os_str().is_empty();
    summary.cwd = recover::working_directory(path, summary.cwd);
    // A damaged first line hides nothing, but a file without any record is no session.
    if empty && summary.messages == 0 && summary.title.is_empty() { None } else { Some(summary) }
}

/// What a session may be called by, besides its first prompt.
#[derive(Default)]
struct Names {
    given: Title,
    /// Nothing may ever have been said in it.
    edited: bool,
}

impl StoredSession {
    fn scan(&mut self, page: impl std::io::Read, names: &mut Names) {
        for line in BufReader::new(page).split(b'\n').map_while(Result::ok) {
            match serde_json::from_slice::<Record>(recover::without_mark(&line)) {
                Ok(Record::Session { cwd, .. }) => self.cwd = PathBuf::from(cwd),
                Ok(Record::User { content, .. }) => {
                    self.messages += 1;
                    if self.title.is_empty() {
                        self.title = title_of(&content).unwrap_or_default();
                    }
                }
                Ok(Record::Assistant { .. }) => self.messages += 1,
                Ok(Record::Title { title, origin }) => drop(names.given.offer(title, origin)),
                Ok(Record::Inline { .. }) => names.edited = true,
                Ok(Record::Checkout { branch }) => self.branch = branch,
                _ => {}
            }
        }
    }
}
