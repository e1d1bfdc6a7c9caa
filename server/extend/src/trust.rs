//! Which folders the user trusts. Before a folder is trusted, nothing in it sets policy or runs.
//!
//! A decision speaks for the folder and everything below it, until a decision further down says
//! otherwise. The home directory, what is above it and `/` are too wide for that: trusting one of
//! them speaks for that folder alone.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Trust,
    Deny,
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("{file} {why}, so no folder is trusted; mend the file or delete it.")]
    Unreadable { file: PathBuf, why: String },
    #[error("{file} was written by a newer Bowline, so no folder is trusted; update this one.")]
    Newer { file: PathBuf },
    #[error("{file} cannot be written ({error}); check who owns the folder and how full it is.")]
    Write { file: PathBuf, error: io::Error },
    #[error("Trust cannot be remembered for {0}: give the real, absolute path, in UTF-8.")]
    OddPath(PathBuf),
}

/// A reader refuses a newer format instead of misreading it.
const VERSION: u32 = 1;

/// What the file holds. Sorted, so that it reads and compares well.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remembered {
    version: u32,
    folders: BTreeMap<String, Decision>,
}

#[derive(Debug)]
pub struct TrustStore {
    file: PathBuf,
    home: Option<PathBuf>,
    folders: BTreeMap<String, Decision>,
}

impl TrustStore {
    /// Reads `trust.json`. When it cannot be read, nothing is trusted and the problem says why.
    pub fn load(bowline_home: &Path, home: Option<&Path>) -> (TrustStore, Option<TrustError>) {
        let file = bowline_home.join("trust.json");
        let (folders, problem) = match read(&file) {
            Ok(folders) => (folders, None),
            Err(problem) => (BTreeMap::new(), Some(problem)),
        };
        (TrustStore { file, home: home.map(files::real), folders }, problem)
    }

    /// Whether a folder, given by its real path, is trusted: the nearest decision upwards counts.
    pub fn is_trusted(&self, folder: &Path) -> bool {
        let Some(folder) = plain(folder) else { return false };
        let decided = folder.ancestors().find_map(|above| {
            let decision = *self.folders.get(above.to_str()?)?;
            let inherited = above != folder;
            let ignored = decision == Decision::Trust && inherited && self.is_wide(above);
            (!ignored).then_some(decision)
        });
        decided == Some(Decision::Trust)
    }

    /// Remembers a decision. The file is read again first, because another window may have added
    /// to it; one that cannot be read is left as it is, with an error.
    pub fn set(&mut self, folder: &Path, decision: Decision) -> Result<(), TrustError> {
        let odd = || TrustError::OddPath(folder.to_owned());
        let key = plain(folder).and_then(|path| path.to_str().map(str::to_owned));
        let key = key.ok_or_else(odd)?;
        let mut folders = read(&self.file)?;
        folders.insert(key, decision);
        let failed = |error| TrustError::Write { file: self.file.clone(), error };
        let remembered = Remembered { version: VERSION, folders };
        let text = serde_json::to_string_pretty(&remembered).map_err(|e| failed(e.into()))?;
        // Nothing may have been kept there before.
        let home = self.file.parent().unwrap_or(&self.file);
        files::create_private_dir(home).map_err(failed)?;
        files::write_private(&self.file, &(text + "\n")).map_err(failed)?;
        self.folders = remembered.folders;
        Ok(())
    }

    fn is_wide(&self, folder: &Path) -> bool {
        folder.parent().is_none() || self.home.as_ref().is_some_and(|home| home.starts_with(folder))
    }
}

/// The one spelling of an absolute path: no slash at the end, no `.`. A path with `..` has none,
/// because it would climb out of the folder that is trusted.
fn plain(folder: &Path) -> Option<PathBuf> {
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    (folder.is_absolute() && !climbs).then(|| folder.components().collect())
}

fn read(file: &Path) -> Result<BTreeMap<String, Decision>, TrustError> {
    let unreadable = |why: String| TrustError::Unreadable { file: file.to_owned(), why };
    let text = match files::read(file) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(BTreeMap::new()),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let broken = |error: serde_json::Error| unreadable(format!("is broken ({error})"));
    let Versioned { version } = serde_json::from_str(&text).map_err(broken)?;
    if version > VERSION {
        return Err(TrustError::Newer { file: file.to_owned() });
    }
    serde_json::from_str::<Remembered>(&text).map(|remembered| remembered.folders).map_err(broken)
}

#[cfg(test)]
mod tests;
