//! Notices that a settings file changed, by looking at all that could be there. No thread waits:
//! whoever needs to know asks, and that takes a few microseconds a file.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::files::{self, Stamp};
use crate::settings::{Given, Locations, watched};

/// The files that settings for one folder come from, as they were when they were last looked at.
#[derive(Debug)]
pub struct Watch {
    seen: Vec<(PathBuf, Option<Stamp>)>,
    locations: Locations,
    cwd: PathBuf,
    given: Given,
    /// Files of a folder that is not trusted are not even looked at.
    trusted: bool,
}

impl Watch {
    /// Looks at everything once. Make it before the settings are loaded, so that nothing that
    /// happens in between is missed.
    pub fn new(locations: &Locations, cwd: &Path, trusted: bool, given: &Given) -> Watch {
        let mut watch = Watch {
            seen: Vec::new(),
            locations: locations.clone(),
            cwd: cwd.to_owned(),
            given: given.clone(),
            trusted,
        };
        watch.seen = watch.look();
        watch
    }

    /// The files that are other than they were when this was last asked: changed, new or gone.
    pub fn changed(&mut self) -> Vec<PathBuf> {
        // New files of the administrator show in the folder they are in, so most looks need only
        // the stamps.
        if self.seen.iter().all(|(file, seen)| files::stamp(file) == *seen) {
            return Vec::new();
        }
        let now = self.look();
        let before = std::mem::take(&mut self.seen);
        let stamp_of = |all: &[(PathBuf, Option<Stamp>)], file: &Path| {
            all.iter().find(|(known, _)| known == file).and_then(|(_, stamp)| *stamp)
        };
        let mut changed: Vec<PathBuf> = Vec::new();
        for (file, _) in before.iter().chain(&now) {
            if stamp_of(&before, file) != stamp_of(&now, file) && !changed.contains(file) {
                changed.push(file.clone());
            }
        }
        self.seen = now;
        changed
    }

    /// We wrote this file ourselves and it is now as `stamp` says, so that is no change. What
    /// somebody else wrote since is one.
    pub fn note_own_write(&mut self, file: &Path, stamp: Option<Stamp>) {
        let real = files::real(file);
        for (known, seen) in &mut self.seen {
            if *known == file || files::real(known) == real {
                *seen = stamp;
            }
        }
    }

    /// The folder was trusted, or is not any more.
    pub fn set_trusted(&mut self, trusted: bool) {
        if self.trusted != trusted {
            self.trusted = trusted;
            self.seen = self.look();
        }
    }

    fn look(&self) -> Vec<(PathBuf, Option<Stamp>)> {
        let files = watched(&self.locations, &self.cwd, self.trusted, &self.given);
        files.into_iter().map(|file| (file.clone(), files::stamp(&file))).collect()
    }
}
