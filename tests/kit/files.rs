//! The disk, as a test prepares and judges it.

#![expect(
    clippy::disallowed_methods,
    reason = "a test looks at the disk behind the product's back"
)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// For what may go away at any moment.
pub fn read_if_there(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

pub fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Makes the folders on the way as well.
pub fn write(path: &Path, content: impl AsRef<[u8]>) {
    if let Some(folder) = path.parent() {
        make_folder(folder);
    }
    std::fs::write(path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

pub fn make_folder(path: &Path) {
    std::fs::create_dir_all(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

pub fn remove(path: &Path) {
    std::fs::remove_file(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// A symbolic link at `path`.
pub fn link(target: &Path, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

pub fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

pub fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// Every file below a folder, in order; empty when there is no such folder.
pub fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(all(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
