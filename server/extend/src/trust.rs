//! Which folders the user trusts, and what of theirs was approved. Before a folder is trusted,
//! nothing in it sets policy or runs.
//!
//! A decision speaks for the folder and everything below it, until a decision further down says
//! otherwise. It does not reach
//! - below the home directory, what is above it, or `/`, which are too wide: trusting one of them
//!   speaks for that folder alone;
//! - a repository below that has configuration of its own, a worktree, or a folder whose `.git`
//!   leads elsewhere: somebody else may have made those;
//! - another folder that took the place of the one that was trusted.
//!
//! What a folder switches on is approved thing by thing, by its hash (see `brings`).

mod boundary;

use std::collections::{BTreeMap, BTreeSet};
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

pub(crate) const FILE: &str = "trust.json";

/// A reader refuses a newer format instead of misreading it.
const VERSION: u32 = 3;

/// What the file holds. Sorted, so that it reads and compares well.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remembered {
    version: u32,
    folders: Folders,
}

type Folders = BTreeMap<String, Folder>;

/// What is remembered about one folder.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Folder {
    /// `None` when only things were approved, in a folder that is trusted from above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    /// Which folder was meant; `None` when it was not known. Another one is another decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identity: Option<String>,
    /// When it was decided, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<u64>,
    /// The hashes of what may be used.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    approved: BTreeSet<String>,
}

impl Folder {
    fn is_still(&self, folder: &Path) -> bool {
        self.identity.is_none() || self.identity == files::identity(folder)
    }
}

/// A decision that holds for a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub decision: Decision,
    /// The folder that was decided about: this one, or one above it.
    pub folder: PathBuf,
    /// In milliseconds since 1970; older decisions do not say.
    pub since: Option<u64>,
}

/// What may be used of one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    trusted: bool,
    everything: bool,
    approved: BTreeSet<String>,
}

impl Standing {
    /// Nothing of the folder is read.
    pub fn untrusted() -> Standing {
        Standing::default()
    }

    /// The user vouches for all of the folder as it is, for this run.
    pub fn vouched() -> Standing {
        Standing { trusted: true, everything: true, approved: BTreeSet::new() }
    }

    pub fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Whether a thing that the folder switches on may be used.
    pub fn has_approved(&self, hash: &str) -> bool {
        self.trusted && (self.everything || self.approved.contains(hash))
    }
}

#[derive(Debug)]
pub struct TrustStore {
    file: PathBuf,
    home: Option<PathBuf>,
    folders: Folders,
}

impl TrustStore {
    /// Reads `trust.json`. When it cannot be read, nothing is trusted and the problem says why.
    pub fn load(bowline_home: &Path, home: Option<&Path>) -> (TrustStore, Option<TrustError>) {
        let file = bowline_home.join(FILE);
        let (folders, problem) = match read(&file) {
            Ok(folders) => (folders, None),
            Err(problem) => (BTreeMap::new(), Some(problem)),
        };
        (TrustStore { file, home: home.map(files::real), folders }, problem)
    }

    /// What was decided for a folder, given by its real path: the nearest decision upwards counts.
    /// `None` asks the user.
    pub fn decision(&self, folder: &Path) -> Option<Decision> {
        self.decided(folder).map(|decided| decided.decision)
    }

    /// The same, with where and when.
    pub fn decided(&self, folder: &Path) -> Option<Decided> {
        let folder = plain(folder)?;
        for above in folder.ancestors() {
            let Some(entry) = above.to_str().and_then(|key| self.folders.get(key)) else {
                continue;
            };
            let Some(decision) = entry.decision else { continue };
            let inherited = above != folder;
            if decision == Decision::Trust && inherited && self.is_wide(above) {
                continue;
            }
            let reaches = decision == Decision::Deny || !boundary::between(above, &folder);
            let (folder, since) = (above.to_owned(), entry.since);
            let holds = entry.is_still(above) && reaches;
            return holds.then_some(Decided { decision, folder, since });
        }
        None
    }

    pub fn is_trusted(&self, folder: &Path) -> bool {
        self.decision(folder) == Some(Decision::Trust)
    }

    /// Whether a thing that the folder switches on was approved as it is.
    pub fn approved(&self, folder: &Path, hash: &str) -> bool {
        self.standing(folder).has_approved(hash)
    }

    /// What may be used of a folder, given by its real path.
    pub fn standing(&self, folder: &Path) -> Standing {
        let trusted = self.is_trusted(folder);
        let entry = plain(folder).and_then(|path| self.folders.get(path.to_str()?));
        let entry = entry.filter(|entry| trusted && entry.is_still(folder));
        let approved = entry.map(|entry| entry.approved.clone()).unwrap_or_default();
        Standing { trusted, everything: false, approved }
    }

    /// Remembers a decision made at this time. It approves nothing that the folder switches on, and refusing a
    /// folder forgets what was approved.
    pub fn set(&mut self, folder: &Path, decision: Decision, at: u64) -> Result<(), TrustError> {
        self.change(folder, |entry| {
            if entry.decision != Some(decision) || entry.since.is_none() {
                entry.since = Some(at);
            }
            entry.decision = Some(decision);
            if decision == Decision::Deny {
                entry.approved.clear();
            }
        })
    }

    /// Remembers that these things may be used as they are.
    pub fn approve(
        &mut self,
        folder: &Path,
        hashes: impl IntoIterator<Item = String>,
    ) -> Result<(), TrustError> {
        self.change(folder, |entry| entry.approved.extend(hashes))
    }

    /// The file is read again first, because another window may have added to it; one that cannot
    /// be read is left as it is, with an error.
    fn change(&mut self, folder: &Path, how: impl FnOnce(&mut Folder)) -> Result<(), TrustError> {
        let odd = || TrustError::OddPath(folder.to_owned());
        let key = plain(folder).and_then(|path| path.to_str().map(str::to_owned));
        let key = key.ok_or_else(odd)?;
        let failed = |error| TrustError::Write { file: self.file.clone(), error };
        // Nothing may have been kept there before.
        let home = self.file.parent().unwrap_or(&self.file);
        files::create_private_dir(home).map_err(failed)?;
        let _lock = files::lock(home).map_err(failed)?;
        let mut folders = read(&self.file)?;
        let entry = folders.entry(key).or_default();
        if !entry.is_still(folder) {
            *entry = Folder::default();
        }
        how(entry);
        entry.identity = files::identity(folder);
        let remembered = Remembered { version: VERSION, folders };
        let text = serde_json::to_string_pretty(&remembered).map_err(|e| failed(e.into()))?;
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

fn read(file: &Path) -> Result<Folders, TrustError> {
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
    /// The first format: decisions, and nothing about which folder was meant.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct First {
        #[serde(rename = "version")]
        _version: u32,
        folders: BTreeMap<String, Decision>,
    }
    let broken = |error: serde_json::Error| unreadable(format!("is broken ({error})"));
    match serde_json::from_str::<Versioned>(&text).map_err(broken)?.version {
        ..=1 => {
            let folders = serde_json::from_str::<First>(&text).map_err(broken)?.folders;
            let entry = |decision| Folder { decision: Some(decision), ..Folder::default() };
            Ok(folders.into_iter().map(|(key, decision)| (key, entry(decision))).collect())
        }
        2 | VERSION => Ok(serde_json::from_str::<Remembered>(&text).map_err(broken)?.folders),
        _ => Err(TrustError::Newer { file: file.to_owned() }),
    }
}

#[cfg(test)]
mod tests;
