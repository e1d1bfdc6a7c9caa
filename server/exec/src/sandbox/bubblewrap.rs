//! A layout as arguments of bubblewrap.

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use policy::pinned::Blank;

use super::layout::{Access, Layout};

/// Bubblewrap itself takes no more.
const MOST_ARGUMENTS: usize = 9_000;

/// Which namespaces a process gets of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Namespaces {
    /// Users, too; where that is refused, only root can have the others.
    pub(crate) user: bool,
    pub(crate) network: bool,
    /// It shares with others what programs of a desktop share: devices, memory, the machine's name;
    /// and it may make namespaces itself, as browsers do.
    pub(crate) sociable: bool,
}

/// The arguments up to the command. The whole disk can be read, the places of the layout are
/// mounted over it, and what runs has no capabilities, no environment and no terminal.
pub(crate) fn arguments(layout: &Layout, namespaces: Namespaces) -> Result<Vec<OsString>, String> {
    let mut all: Vec<OsString> = Vec::new();
    let mut add = |words: &[&OsStr]| all.extend(words.iter().map(|word| (*word).to_owned()));
    add(&["--unshare-pid".as_ref()]);
    let alone = !namespaces.sociable;
    for word in ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"] {
        if alone {
            add(&[word.as_ref()]);
        }
    }
    if namespaces.user {
        add(&["--unshare-user".as_ref()]);
    }
    if namespaces.user && alone {
        add(&["--disable-userns".as_ref()]);
    }
    if namespaces.network {
        add(&["--unshare-net".as_ref()]);
    }
    for word in ["--die-with-parent", "--new-session", "--clearenv"] {
        add(&[word.as_ref()]);
    }
    add(&["--cap-drop".as_ref(), "ALL".as_ref()]);
    if alone {
        let open = layout.may_write(Path::new("/"));
        let bind = if open { "--bind" } else { "--ro-bind" };
        add(&[bind.as_ref(), "/".as_ref(), "/".as_ref()]);
        add(&["--dev".as_ref(), "/dev".as_ref()]);
    } else {
        add(&["--dev-bind".as_ref(), "/".as_ref(), "/".as_ref()]);
    }
    add(&["--proc".as_ref(), "/proc".as_ref()]);
    // The disk itself is there already.
    for (path, place) in layout.places().filter(|(path, _)| path.parent().is_some()) {
        let (path, source) = (path.as_os_str(), place.source.as_os_str());
        match place.access {
            // An empty folder of its own is mounted ten times faster than a part of the disk.
            Access::Read if place.blank == Some(Blank::Folder) => {
                add(&["--perms".as_ref(), "0555".as_ref(), "--tmpfs".as_ref(), path]);
            }
            Access::Write => add(&["--bind".as_ref(), source, path]),
            Access::Read => add(&["--ro-bind".as_ref(), source, path]),
            Access::HiddenFolder => add(&["--tmpfs".as_ref(), path]),
            Access::HiddenFile => add(&["--ro-bind".as_ref(), "/dev/null".as_ref(), path]),
        }
    }
    // Last, because what is mounted inside needs a folder to be mounted on.
    for (path, _) in layout.places().filter(|(_, place)| place.access == Access::HiddenFolder) {
        add(&["--remount-ro".as_ref(), path.as_os_str()]);
    }
    add(&["--chdir".as_ref(), Path::new("/").as_os_str()]);
    if all.len() > MOST_ARGUMENTS {
        return Err(format!(
            "the sandbox would need {} arguments, and bubblewrap takes {MOST_ARGUMENTS}: deny fewer paths, or whole folders",
            all.len()
        ));
    }
    Ok(all)
}

/// The arguments as bubblewrap reads them from a file: each ends with a NUL.
pub(crate) fn as_file(arguments: &[OsString]) -> Vec<u8> {
    arguments.iter().flat_map(|argument| [argument.as_bytes(), b"\0"].concat()).collect()
}
