//! The log file of `--debug`: readable by its owner only, cut into parts before it grows too large,
//! and never more than a few of them.

#![expect(clippy::disallowed_methods, reason = "logs are no part of any workspace")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// So large may a file become.
const CAP: u64 = 10 * 1024 * 1024;
/// What is older than the part being written to: one part.
const OLDER: &str = "1";
/// So many logs stay in the folder.
const KEPT: usize = 20;

/// A writer that is shared by everybody who logs.
#[derive(Clone)]
pub(super) struct LogFile(Arc<Mutex<Inner>>);

struct Inner {
    path: PathBuf,
    file: File,
    written: u64,
    cap: u64,
}

impl LogFile {
    /// In our own folder of logs, under a name that sorts by time.
    pub(super) fn in_folder(folder: &Path, name: &str) -> io::Result<(Self, PathBuf)> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        tidy(folder);
        let path = folder.join(name);
        Ok((Self::open(&path)?, path))
    }

    /// At a place that the user named.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::with_cap(path, CAP)
    }

    fn with_cap(path: &Path, cap: u64) -> io::Result<Self> {
        let file = append_to(path)?;
        let written = file.metadata()?.len();
        let inner = Inner { path: path.to_owned(), file, written, cap };
        Ok(Self(Arc::new(Mutex::new(inner))))
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

impl Inner {
    /// The part so far becomes the older one.
    fn turn_over(&mut self) -> io::Result<()> {
        let mut older = self.path.clone().into_os_string();
        older.push(".");
        older.push(OLDER);
        fs::rename(&self.path, older)?;
        self.file = append_to(&self.path)?;
        self.written = 0;
        Ok(())
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.written + bytes.len() as u64 > inner.cap && inner.written > 0 {
            inner.turn_over()?;
        }
        inner.file.write_all(bytes)?;
        inner.written += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).file.flush()
    }
}

/// Makes room for one more log. What cannot be removed stays.
fn tidy(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let is_log = |path: &PathBuf| path.to_string_lossy().contains(".log");
    let mut logs: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_log).collect();
    // Their names begin with the time.
    logs.sort();
    let many = (logs.len() + 1).saturating_sub(KEPT);
    for old in logs.into_iter().take(many) {
        let _ = fs::remove_file(old);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_log_is_private_and_turned_over() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a.log");
        let mut log = LogFile::with_cap(&path, 10).unwrap();
        for line in ["one\n", "two\n", "three\n", "four\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "four\n");
        assert_eq!(fs::read_to_string(temp.path().join("a.log.1")).unwrap(), "three\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn old_logs_go() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("logs");
        for number in 0..KEPT + 5 {
            LogFile::in_folder(&folder, &format!("{number:03}.log")).unwrap();
        }
        let left = fs::read_dir(&folder).unwrap().count();
        assert_eq!(left, KEPT);
        assert!(!folder.join("000.log").exists() && folder.join("024.log").exists());
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
