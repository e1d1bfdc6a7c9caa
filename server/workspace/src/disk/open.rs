//! Opening what stands at a real path, and never what a link leads to.
//!
//! Permission is decided about a path without links. If one of its parts is a link when the path is
//! opened, somebody put it there since, and what it leads to is not what was decided about: the
//! error is `LOOP`. The kernel looks at all parts in one call where it can; where it cannot, they
//! are opened one by one.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::{Errno, Result};

/// A folder that is only gone through. Where the system can, this needs no right to list it.
#[cfg(target_os = "linux")]
const PASSAGE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
const PASSAGE: OFlags = OFlags::DIRECTORY;

/// Opens a path all of whose parts are what their names say.
pub(super) fn open(path: &Path, flags: OFlags) -> Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    if at_once::works() {
        return at_once::open(path, flags | OFlags::CLOEXEC);
    }
    part_by_part(path, flags)
}

/// Opens a folder to act in it.
pub(super) fn folder(path: &Path) -> Result<OwnedFd> {
    match open(path, OFlags::DIRECTORY) {
        // One that may not be listed can still be written in.
        Err(Errno::ACCESS) => open(path, PASSAGE),
        opened => opened,
    }
}

/// Opens a folder to look at what it holds by name.
pub(super) fn passage(path: &Path) -> Result<OwnedFd> {
    open(path, PASSAGE)
}

/// Opens whatever stands at a path that has no links, only to look what it is. It is quick where the
/// kernel looks at all parts at once, and an error elsewhere: parts can as well be looked at one by
/// one.
#[cfg(target_os = "linux")]
pub(super) fn glance(path: &Path) -> Result<OwnedFd> {
    if !at_once::works() {
        return Err(Errno::NOSYS);
    }
    at_once::open(path, OFlags::PATH | OFlags::CLOEXEC)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn glance(_path: &Path) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// Opens a folder, and makes what is missing of it.
pub(super) fn made_folder(path: &Path) -> Result<OwnedFd> {
    match folder(path) {
        Err(Errno::NOENT) => {}
        opened => return opened,
    }
    let mut here = root(PASSAGE)?;
    for name in names(path)? {
        here = match enter(&here, name) {
            Err(Errno::NOENT) => {
                match rustix::fs::mkdirat(&here, name, Mode::from_raw_mode(0o777)) {
                    // Somebody else was faster; what they made is looked at like anything else.
                    Ok(()) | Err(Errno::EXIST) => enter(&here, name)?,
                    Err(errno) => return Err(errno),
                }
            }
            entered => entered?,
        };
    }
    // From the descriptor, and so the same folder, but with the right to sync it.
    match rustix::fs::openat(&here, ".", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
        Err(Errno::ACCESS) => Ok(here),
        opened => opened,
    }
}

/// Opens one name in an open folder; a link is refused.
pub(super) fn open_in(folder: impl AsFd, name: &OsStr, flags: OFlags) -> Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
        Err(Errno::NOTDIR) if is_link(&folder, name) => Err(Errno::LOOP),
        opened => opened,
    }
}

fn part_by_part(path: &Path, flags: OFlags) -> Result<OwnedFd> {
    let names = names(path)?;
    let Some((last, way)) = names.split_last() else { return root(flags) };
    let mut here = root(PASSAGE)?;
    for name in way {
        here = enter(&here, name)?;
    }
    open_in(&here, last, flags)
}

fn enter(folder: &OwnedFd, name: &OsStr) -> Result<OwnedFd> {
    open_in(folder, name, PASSAGE)
}

fn root(flags: OFlags) -> Result<OwnedFd> {
    rustix::fs::openat(CWD, "/", flags | OFlags::CLOEXEC, Mode::empty())
}

/// The names of a real path; anything else in it means that it is none.
fn names(path: &Path) -> Result<Vec<&OsStr>> {
    let mut parts = path.components();
    if parts.next() != Some(Component::RootDir) {
        return Err(Errno::INVAL);
    }
    let name = |part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(Errno::INVAL),
    };
    parts.map(name).collect()
}

fn is_link(folder: impl AsFd, name: &OsStr) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(target_os = "linux")]
mod at_once {
    use super::*;
    use std::sync::LazyLock;

    use rustix::fs::ResolveFlags;

    /// Older kernels have no such call, and some containers forbid it with an error of their own.
    /// The root can be opened wherever the call works.
    static WORKS: LazyLock<bool> = LazyLock::new(|| open(Path::new("/"), PASSAGE).is_ok());

    pub(super) fn works() -> bool {
        *WORKS
    }

    pub(super) fn open(path: &Path, flags: OFlags) -> Result<OwnedFd> {
        if !path.is_absolute() {
            return Err(Errno::INVAL);
        }
        let plain = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(CWD, path, flags, Mode::empty(), plain)
    }
}

#[cfg(test)]
mod tests;
