//! The history on disk: read once, appended to, readable by its owner alone.
#![expect(
    clippy::disallowed_methods,
    reason = "the history is the client's own file, and this is where it is touched"
)]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;

use crate::editor::history::{History, LIMIT};

pub(crate) struct HistoryFile {
    path: PathBuf,
}

impl HistoryFile {
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// What is there; an unreadable file is an empty history. A file that has grown far beyond
    /// what is kept is written anew.
    pub fn load(&self) -> History {
        let bytes = std::fs::read(&self.path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let history = History::decode(&text);
        if text.lines().count() > 2 * LIMIT {
            self.replace(&history);
        }
        history
    }

    /// Adds a prompt. A history that cannot be written is no reason to bother anybody.
    pub fn append(&self, entry: &str) {
        if let Some(folder) = self.path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path);
        if let Ok(mut file) = file {
            // The file may be older than this rule.
            let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
            let _ = file.write_all(History::encode(entry).as_bytes());
        }
    }

    fn replace(&self, history: &History) {
        let fresh = self.path.with_extension("new");
        let file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh);
        let written = file.and_then(|mut file| file.write_all(history.encode_all().as_bytes()));
        if written.is_ok() {
            let _ = std::fs::rename(&fresh, &self.path);
        }
    }
}
