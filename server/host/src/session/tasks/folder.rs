//! Where the output of tasks is kept: beside the journal, or in a temporary folder where nothing
//! is to stay.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::private_folder::private_folder;
use crate::store;

pub(in crate::session) struct Folder {
    /// `None` for a session that leaves nothing behind.
    wanted: Option<PathBuf>,
    made: Mutex<Option<Made>>,
}

struct Made {
    path: PathBuf,
    /// Gone when it is dropped.
    _temporary: Option<TempDir>,
}

impl Folder {
    pub(in crate::session) fn beside(journal: Option<&Path>) -> Folder {
        let wanted = journal.map(|journal| store::belongings(journal).join("tasks"));
        Folder { wanted, made: Mutex::default() }
    }

    /// The folder's real path; made when it is first needed.
    pub(super) fn path(&self) -> Result<PathBuf, String> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = made.as_ref().filter(|made| made.path.is_dir()) {
            return Ok(made.path.clone());
        }
        let failed = |error: std::io::Error| {
            format!("There is no place for the output of commands ({error}). Free some disk space.")
        };
        let new = match &self.wanted {
            Some(wanted) => {
                Made { path: store::make_folder(wanted).map_err(failed)?, _temporary: None }
            }
            None => {
                let temporary = private_folder().map_err(failed)?;
                let path = store::make_folder(temporary.path()).map_err(failed)?;
                Made { path, _temporary: Some(temporary) }
            }
        };
        Ok(made.insert(new).path.clone())
    }
}
