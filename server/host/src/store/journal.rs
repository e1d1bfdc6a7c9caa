//! The writer of one journal.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent::{Block, Record};
use serde::Serialize;

use crate::context::Clock;

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(
        "{path} cannot be written ({cause}); free some space or mend the folder's permissions."
    )]
    Io { path: PathBuf, cause: std::io::Error },
    #[error("The session is open in another Bowline; close it there, or start a new one.")]
    Locked,
    #[error("The record cannot be written as JSON ({0}).")]
    Json(#[from] serde_json::Error),
}

const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Appends records. The file appears with the first prompt, so that sessions that were only opened
/// leave nothing behind.
pub struct Journal {
    path: Option<PathBuf>,
    file: Option<Arc<File>>,
    clock: Clock,
    dirty: bool,
    /// The last write broke off in the middle of a line.
    torn: bool,
    /// What is to be written before anything else.
    first: Vec<Record>,
    /// The lines since they were last taken, where somebody elsewhere keeps them, too.
    mirrored: Option<Vec<Vec<u8>>>,
}

/// A record as a line has it.
#[derive(Serialize)]
pub(super) struct Stamped<'a> {
    pub(super) at: u64,
    #[serde(flatten)]
    pub(super) record: &'a Record,
}

impl Journal {
    /// `None` keeps nothing: an ephemeral session.
    pub fn new(path: Option<PathBuf>, clock: Clock) -> Self {
        let (first, mirrored) = (Vec::new(), None);
        Self { path, file: None, clock, dirty: false, torn: false, first, mirrored }
    }

    /// Continues a journal that is there, as its only writer.
    pub fn resume(path: PathBuf, clock: Clock) -> Result<Self, JournalError> {
        let file = open(&path, false)?;
        let file = Some(Arc::new(file));
        let (path, first, mirrored) = (Some(path), Vec::new(), None);
        Ok(Self { path, file, clock, dirty: false, torn: false, first, mirrored })
    }

    /// These records follow from what is in the journal already. They are written with the next
    /// one, so that a session that is only looked at does not change.
    pub fn write_first(&mut self, records: Vec<Record>) {
        self.first = records;
    }

    /// From now on lines are kept for [`Journal::take_mirrored`].
    pub fn mirror(&mut self) {
        self.mirrored.get_or_insert_default();
    }

    /// What was written since the last time, a line each.
    pub fn take_mirrored(&mut self) -> Vec<Vec<u8>> {
        self.mirrored.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Where it is, or will be; an ephemeral session is nowhere.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Nothing was written yet.
    pub fn is_new(&self) -> bool {
        self.path.is_some() && self.file.is_none()
    }

    /// Makes the file with its first line. Without that line it would be nobody's session, so it is
    /// both or none.
    pub async fn create(&mut self, head: &Record) -> Result<(), JournalError> {
        let Some(path) = self.path.clone().filter(|_| self.is_new()) else { return Ok(()) };
        let line = self.line(head)?;
        let kept = self.mirrored.is_some().then(|| line.clone());
        let place = path.clone();
        let made = blocking(&place, move || {
            let file = open(&path, true)?;
            if let Err(cause) = (&file).write_all(&line) {
                let _ = std::fs::remove_file(&path);
                return Err(failure(&path)(cause));
            }
            // The name must survive a power cut as well as the content.
            if let Some(folder) = path.parent() {
                File::open(folder).and_then(|folder| folder.sync_all()).map_err(failure(&path))?;
            }
            Ok(file)
        });
        self.file = Some(Arc::new(made.await?));
        self.dirty = true;
        if let Some(mirrored) = &mut self.mirrored {
            mirrored.extend(kept);
        }
        Ok(())
    }

    fn line(&self, record: &Record) -> Result<Vec<u8>, JournalError> {
        let mut line = Vec::with_capacity(size_hint(record));
        serde_json::to_writer(&mut line, &Stamped { at: self.clock.millis(), record })?;
        line.push(b'\n');
        Ok(line)
    }

    /// Hands the record to the operating system: a crash of ours cannot lose it any more.
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        while let Some(first) = self.first.first().cloned() {
            self.append_line(&first)?;
            self.first.remove(0);
        }
        self.append_line(record)
    }

    fn append_line(&mut self, record: &Record) -> Result<(), JournalError> {
        let (Some(file), Some(path)) = (&self.file, &self.path) else { return Ok(()) };
        let mut line = self.line(record)?;
        if self.torn {
            line.insert(0, b'\n');
        }
        // One write for the whole line, so that two lines never mix.
        if let Err(cause) = (&**file).write_all(&line) {
            self.torn = true;
            return Err(failure(path)(cause));
        }
        self.torn = false;
        self.dirty = true;
        if let Some(mirrored) = &mut self.mirrored {
            mirrored.push(line);
        }
        Ok(())
    }

    /// Returns when everything appended so far would survive a power cut.
    pub async fn sync(&mut self) -> Result<(), JournalError> {
        let (Some(file), Some(path), true) = (self.file.clone(), &self.path, self.dirty) else {
            return Ok(());
        };
        let failed = path.clone();
        blocking(path, move || file.sync_data().map_err(failure(&failed))).await?;
        self.dirty = false;
        Ok(())
    }
}

/// A long answer grows its line once, not by doubling.
fn size_hint(record: &Record) -> usize {
    let (Record::Assistant { content, .. } | Record::User { content, .. }) = record else {
        return 1024;
    };
    let text = |block: &Block| match block {
        Block::Text { text } => text.len() + text.len() / 16,
        _ => 0,
    };
    1024 + content.iter().map(text).sum::<usize>()
}

async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    let lost = |error: tokio::task::JoinError| failure(path)(std::io::Error::other(error));
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}

fn failure(path: &Path) -> impl Fn(std::io::Error) -> JournalError + '_ {
    move |cause| JournalError::Io { path: path.to_owned(), cause }
}

/// Makes a file of ours with everything in it. Until it is complete it has another name, so that a
/// journal that breaks off is nobody's session.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
) -> Result<(), JournalError> {
    let failure = failure(path);
    let part = path.with_extension("part");
    // What a crash left of an earlier attempt is in the way.
    let _ = std::fs::remove_file(&part);
    let file = open(&part, true)?;
    let whole = || {
        let mut out = BufWriter::new(&file);
        write(&mut out)?;
        out.flush()?;
        file.sync_all()?;
        std::fs::rename(&part, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    };
    let written = whole();
    let _ = std::fs::remove_file(&part);
    written.map_err(failure)
}

pub(super) fn open(path: &Path, create: bool) -> Result<File, JournalError> {
    let failure = failure(path);
    if create && let Some(folder) = path.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(folder).map_err(&failure)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).read(true).create_new(create).mode(0o600);
    let mut file = options.open(path).map_err(&failure)?;
    match lock(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(JournalError::Locked),
        Err(TryLockError::Error(cause)) => return Err(failure(cause)),
    }
    close_torn_line(&mut file).map_err(&failure)?;
    Ok(file)
}

/// A process that is just being started holds a copy of all that we have open, locks included, so
/// a lock that somebody has is given a moment.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            other => return other,
        }
    }
    file.try_lock()
}

/// A last line without its end was torn; what follows must not become part of it.
fn close_torn_line(file: &mut File) -> std::io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}
