//! What a command prints, kept without secrets: short output in memory, long output in a file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use policy::{RedactStream, Redactor};
use workspace::Spool;

use crate::tasks::OUTPUT_FILE_CAP;

/// So much output is shown in a result; there is a file for more.
pub(crate) const INLINE: usize = 30_000;

/// Shared by the command that prints and the call that waits for it.
#[derive(Clone)]
pub(crate) struct Kept(Arc<Mutex<Keeping>>);

struct Keeping {
    path: PathBuf,
    redact: RedactStream,
    /// What has come so far, until there is a file.
    waiting: String,
    spool: Option<Spool>,
    /// Why there is no file.
    failed: Option<String>,
    total: u64,
}

impl Kept {
    pub(crate) fn new(path: PathBuf, redactor: &Redactor) -> Kept {
        let redact = redactor.stream();
        let (waiting, spool, failed, total) = (String::new(), None, None, 0);
        Kept(Arc::new(Mutex::new(Keeping { path, redact, waiting, spool, failed, total })))
    }

    fn lock(&self) -> MutexGuard<'_, Keeping> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, text: &str) {
        let mut keeping = self.lock();
        let text = keeping.redact.push(text);
        keeping.take(&text);
    }

    /// The command has ended: what the redactor held back comes out.
    pub(crate) fn finish(&self) {
        let mut keeping = self.lock();
        let text = keeping.redact.finish();
        keeping.take(&text);
    }

    /// From now on the output is in the file. The error says why it cannot be.
    pub(crate) fn to_file(&self) -> Result<(), String> {
        let mut keeping = self.lock();
        keeping.open();
        keeping.failed.clone().map_or(Ok(()), Err)
    }

    /// The file and how much was printed, when there is a file.
    pub(crate) fn file(&self) -> Option<(PathBuf, u64)> {
        let keeping = self.lock();
        keeping.spool.as_ref().map(|_| (keeping.path.clone(), keeping.total))
    }
}

impl Keeping {
    fn take(&mut self, text: &str) {
        self.total += text.len() as u64;
        match &mut self.spool {
            Some(spool) => {
                if let Err(error) = spool.write(text) {
                    self.fail(&error);
                }
            }
            None if self.failed.is_some() => {}
            None => {
                self.waiting.push_str(text);
                if self.waiting.len() > INLINE {
                    self.open();
                }
            }
        }
    }

    fn open(&mut self) {
        if self.spool.is_some() || self.failed.is_some() {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let made = Spool::create(&self.path, OUTPUT_FILE_CAP)
            .and_then(|mut spool| spool.write(&waiting).map(|()| spool));
        match made {
            Ok(spool) => self.spool = Some(spool),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &std::io::Error) {
        let path: &Path = &self.path;
        self.failed = Some(format!("The output cannot be kept in {} ({error}).", path.display()));
        self.spool = None;
    }
}
