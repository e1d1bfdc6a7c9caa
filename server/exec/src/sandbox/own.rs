//! The walls of the user's own programs: MCP servers that they configured, helpers that fetch a key,
//! git and npm on their behalf.
//!
//! Such a program is there to do what the user cannot be bothered to do by hand, so it has their
//! network, their sockets and nearly all of their disk. But it is started by us, often because a model
//! wants it, and speaks with whoever it likes. So it leaves alone what other programs obey: the names
//! that are protected in the home and in the folders that are worked in, the system, and what we keep
//! ourselves. It inherits nothing, sees no process but its own, gains no privilege, and ends with us.
//!
//! Names that are missing are not held: what stands in for them would be in the home for as long as a
//! server runs. Neither are links, but what they lead to is. And who can ask a service of this machine
//! to do something can have done by it what the walls refuse.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use policy::pinned;

use super::layout::{Access, Layout};
use super::survey::{Survey, is_real_folder};
use super::{Limits, Memory, Sandbox};

/// What belongs to the system. Only root could write there anyway.
const SYSTEM: [&str; 9] =
    ["/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/nix/store"];
/// Folders of the home whose names make others protected, as in `.config/git`.
const WITH_PROTECTED: [&str; 2] = [".config", ".local"];

/// Everything that keeps a program of the user's own.
#[derive(Debug, Clone)]
pub struct Own {
    pub sandbox: Arc<Sandbox>,
    /// The user's.
    pub home: Option<PathBuf>,
    /// The folders that are worked in.
    pub roots: Vec<PathBuf>,
    /// Never writable, with all that is in them,
    pub locked: Vec<PathBuf>,
    /// but for these.
    pub open: Vec<PathBuf>,
    /// Never readable.
    pub hidden: Vec<PathBuf>,
}

impl Own {
    /// The user's programs may need all that there is of memory and of the disk.
    pub(crate) fn limits() -> Limits {
        Limits { memory: Memory::Unbounded, file_size: u64::MAX, ..Limits::default() }
    }

    /// The places on the disk, just before a program starts. `mounts`: whether a place can be a mount.
    pub(crate) fn survey(&self, mounts: bool) -> Layout {
        let mut survey = Survey::new(mounts, None);
        open_disk(&mut survey, self.home.as_deref(), &self.roots);
        let real = |path: &PathBuf| path.canonicalize().ok();
        self.locked.iter().filter_map(real).for_each(|path| survey.layout.forbid(&path));
        self.open.iter().filter_map(real).for_each(|path| survey.layout.set(path, Access::Write));
        self.hidden.iter().for_each(|path| survey.hide(path));
        survey.layout.anchor();
        survey.layout
    }
}

/// The whole disk, but for the system and for what is protected in the home and the roots.
pub(super) fn open_disk(survey: &mut Survey, home: Option<&Path>, roots: &[PathBuf]) {
    survey.layout.set("/", Access::Write);
    if rustix::process::geteuid().is_root() {
        let system = SYSTEM.iter().map(Path::new).filter(|path| is_real_folder(path));
        system.for_each(|path| survey.layout.set(path, Access::Read));
    }
    let home = home.and_then(|home| home.canonicalize().ok());
    for root in roots.iter().filter_map(|root| root.canonicalize().ok()) {
        // Of one that holds the home, too much would have to be looked through.
        if !home.as_ref().is_some_and(|home| home.starts_with(&root)) {
            survey.guard_existing(&root);
        }
    }
    if let Some(home) = &home {
        guard_home(survey, home);
    }
}

/// The protected names of a home, as far as they are there. What lies deeper is somebody's work.
fn guard_home(survey: &mut Survey, home: &Path) {
    let inner = WITH_PROTECTED.iter().map(|name| home.join(name));
    for folder in std::iter::once(home.to_owned()).chain(inner) {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(pin) = pinned::pin(&folder, &name) else { continue };
            let Ok(real) = entry.path().canonicalize() else { continue };
            if !survey.layout.may_write(&real) {
                continue;
            }
            match pinned::PARTLY.iter().find(|(known, _)| name == *known) {
                Some((_, obeyed)) if real.is_dir() => {
                    let there =
                        obeyed.iter().filter_map(|name| real.join(name).canonicalize().ok());
                    there.for_each(|path| survey.layout.set(path, Access::Read));
                }
                _ => drop(survey.pin(&real, pin)),
            }
        }
    }
}
