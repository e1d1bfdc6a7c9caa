//! Changing files that are not open: whole or not at all, in their own encoding, one change of a
//! file at a time. A change that was computed on an older text is moved over what came since.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use text::{Bias, Edit, Encoding, Format, Newline, Text};
use tools::EditError;
use workspace::{
    DocumentUri, Expected, FileText, ReadError, Snapshot, View, WriteError, WriteOptions,
};

use super::event::{ClosedEdit, CoreHandle, Event, Purpose, Written, Wrote};
use super::state::State;

/// A file that others write this often while we try is not ours to win.
const TRIES: u32 = 3;
/// More changes of one file than this at once are no work, but a mistake.
const WAITING: usize = 256;

#[derive(Default)]
pub struct Writes {
    /// Behind the one that is under way, by file. An entry means that one is.
    waiting: HashMap<DocumentUri, VecDeque<Job>>,
}

/// A change and what the loop knows that it needs.
pub struct Job {
    pub key: DocumentUri,
    pub request: ClosedEdit,
    /// The ledger of the file was never looked for.
    pub load: bool,
}

impl Writes {
    /// Whether a change of this file is under way.
    pub fn has(&self, key: &DocumentUri) -> bool {
        self.waiting.contains_key(key)
    }

    /// Gives the change back whose turn it is.
    pub fn start(&mut self, job: Job) -> Option<Job> {
        if let Some(queue) = self.waiting.get_mut(&job.key) {
            if queue.len() < WAITING {
                queue.push_back(job);
            } else {
                let path = job.request.path.display().to_string();
                let reason = "too many changes wait for it".to_owned();
                let _ = job.request.reply.send(Some(Err(EditError::Refused { path, reason })));
            }
            return None;
        }
        self.waiting.insert(job.key.clone(), VecDeque::new());
        Some(job)
    }

    /// One change of a file is over; the next one, if there is one that somebody still waits for.
    pub fn next(&mut self, key: &DocumentUri) -> Option<Job> {
        let queue = self.waiting.get_mut(key)?;
        while let Some(job) = queue.pop_front() {
            if !job.request.reply.is_closed() {
                return Some(job);
            }
        }
        self.waiting.remove(key);
        None
    }
}

impl State {
    /// Carries out a change whose turn it is. The ledger comes first: what the agent is about to do
    /// is recorded before the file is written.
    pub(super) fn run_write(&mut self, mut job: Job) {
        if std::mem::take(&mut job.load) {
            let (core, store) = (self.core.clone(), self.ledgers.store().clone());
            tokio::spawn(async move {
                let key = job.key.clone();
                let stored = tokio::task::spawn_blocking(move || store.load(&key)).await;
                core.go_on(move |state| {
                    state.ledgers.loaded(&job.key, stored.ok().flatten());
                    state.run_write(job);
                })
                .await;
            });
            return;
        }
        let ClosedEdit { base, edit, remove, purpose, .. } = &job.request;
        let (core, runtime) = (self.core.clone(), tokio::runtime::Handle::current());
        if let (Purpose::Agent(author), false) = (purpose, *remove) {
            let before = base.as_ref().map(|file| &file.text);
            self.ledgers.intend(&job.key, before, edit, author);
            let store = self.ledgers.store();
            store.flush(move || drop(runtime.spawn(carry_out(core, job))));
        } else {
            tokio::spawn(carry_out(core, job));
        }
    }
}

async fn carry_out(core: CoreHandle, job: Job) {
    let key = job.key.clone();
    let work = tokio::task::spawn_blocking(move || {
        let Job { key, request, .. } = job;
        let ClosedEdit { path, base, edit, remove: gone, purpose, reply } = request;
        let outcome = match base {
            Some(file) if gone => remove(&path, file, edit),
            base => write(&path, base, edit),
        };
        Written { key, purpose, reply, outcome }
    });
    match work.await {
        Ok(written) => {
            core.send(Event::Written(Box::new(written))).await;
        }
        // Our bug: whoever waited is told by its reply being gone, the others go on.
        Err(error) => {
            tracing::error!(%error, "the writing of a file broke down");
            core.go_on(move |state| {
                state.ledgers.not_carried_out(&key);
                if let Some(job) = state.writes.next(&key) {
                    state.run_write(job);
                }
            })
            .await;
        }
    }
}

const NEW_FILE: Format = Format { encoding: Encoding::Utf8, newline: Newline::Lf };

fn write(path: &Path, base: Option<FileText>, edit: Edit) -> Result<Wrote, EditError> {
    let mut file = base;
    let mut edit = edit;
    for _ in 0..TRIES {
        let (before, format, expected) = match &file {
            Some(file) => (file.text.clone(), file.format, Expected::Text(file.fingerprint())),
            None => (Text::default(), NEW_FILE, Expected::Absent),
        };
        let after = edit.apply(&before).map_err(|error| EditError::Disk(error.to_string()))?;
        let options = WriteOptions { expected: Some(expected), create_parents: true };
        match workspace::write_text(path, &after.to_string(), &format, &options) {
            Ok(_) => {
                let before = file.map(|file| file.text);
                return Ok(Wrote { before, edit, after });
            }
            Err(WriteError::Changed { .. }) if file.is_some() => {
                let now = read(path)?;
                let change = text::diff(&before.to_string(), &now.text.to_string());
                // Who wrote it is not known: what shares a line with it is not for us to mix.
                let shared = edit.shares_line(&change, &before);
                let moved = match shared {
                    Some(at) => Err(at),
                    None => edit.rebase(&change).map_err(|overlap| overlap.range.start),
                };
                edit = moved.map_err(|at| {
                    let at = change.map_offset(at, Bias::Before);
                    let excerpt = Some(tools::excerpt(&now.text, at..at));
                    EditError::Conflict { path: path.display().to_string(), excerpt }
                })?;
                file = Some(now);
            }
            Err(error) => return Err(EditError::Disk(error.to_string())),
        }
    }
    let reason = "somebody else keeps writing it".to_owned();
    Err(EditError::Refused { path: path.display().to_string(), reason })
}

fn remove(path: &Path, file: FileText, edit: Edit) -> Result<Wrote, EditError> {
    workspace::remove(path, Expected::Text(file.fingerprint()))
        .map_err(|error| EditError::Disk(error.to_string()))?;
    Ok(Wrote { before: Some(file.text), edit, after: Text::default() })
}

/// The disk alone: what is not open has no other truth.
fn read(path: &Path) -> Result<FileText, EditError> {
    View::new(Snapshot::default()).read(path).map_err(|error| match error {
        ReadError::NotFound { .. } => {
            EditError::Disk(format!("{} is gone. Nothing was changed.", path.display()))
        }
        error => EditError::Disk(error.to_string()),
    })
}
