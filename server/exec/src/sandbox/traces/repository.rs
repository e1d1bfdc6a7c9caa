//! Repositories, and what in them makes git run something: settings and hooks.

use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use policy::pinned;

use super::super::survey::read_line;
use super::Look;

/// No configuration is longer.
const LONGEST: u64 = 1024 * 1024;
/// How far a repository may lead to others: submodules, work trees, what they share.
const FURTHER: usize = 4;
const SAMPLE: &[u8] = b".sample";

impl Look<'_> {
    /// Looks at a repository, or at the file that says where one is. Of one that is not `new` only
    /// what was changed counts.
    pub(super) fn repository(&mut self, path: &Path, new: bool) {
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        if metadata.is_dir() {
            self.folder(path, new, FURTHER);
        } else if let Some(place) = pointed_to(path) {
            self.folder(&place, new, FURTHER);
        }
    }

    fn folder(&mut self, folder: &Path, new: bool, further: usize) {
        for name in ["config", "config.worktree"] {
            self.settings(&folder.join(name), new);
        }
        self.hooks(&folder.join("hooks"), new);
        let Some(further) = further.checked_sub(1) else { return };
        let shared = read_line(&folder.join("commondir"))
            .and_then(|line| folder.join(line.trim()).canonicalize().ok());
        if let Some(shared) = shared.filter(|shared| shared != folder) {
            self.folder(&shared, new, further);
        }
        for name in [pinned::WORK_TREES, pinned::MODULES] {
            self.inner(&folder.join(name), new, further);
        }
    }

    /// The names of submodules may have slashes, so their folders lie at any depth.
    fn inner(&mut self, folder: &Path, new: bool, further: usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            if path.join("HEAD").exists() {
                self.folder(&path, new, further);
            } else if let Some(further) = further.checked_sub(1) {
                self.inner(&path, new, further);
            }
        }
    }

    fn settings(&mut self, path: &Path, new: bool) {
        if !self.is_theirs(path, new) {
            return;
        }
        let found = match read(path) {
            Some(text) => policy::repository::commands(&text),
            // A link, or something that is no file.
            None => vec!["not a plain file".to_owned()],
        };
        if !found.is_empty() {
            self.remove(path, found.join(", "));
        }
    }

    fn hooks(&mut self, folder: &Path, new: bool) {
        let Ok(metadata) = fs::symlink_metadata(folder) else { return };
        if metadata.is_symlink() {
            if self.is_theirs(folder, new) {
                self.remove(folder, "hooks".to_owned());
            }
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let runs = fs::symlink_metadata(&path)
                .is_ok_and(|it| it.is_symlink() || (it.is_file() && it.mode() & 0o111 != 0));
            let is_sample = entry.file_name().as_encoded_bytes().ends_with(SAMPLE);
            if runs && !is_sample && self.is_theirs(&path, new) {
                self.remove(&path, "a hook".to_owned());
            }
        }
    }

    /// Whether the command may have written it.
    fn is_theirs(&self, path: &Path, new: bool) -> bool {
        let Ok(metadata) = fs::symlink_metadata(path) else { return false };
        self.layout.may_write(path) && (new || self.before.is_changed(&metadata))
    }
}

/// Where a `.git` that is a file or a link leads.
fn pointed_to(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return path.canonicalize().ok();
    }
    let named = read_line(path)?;
    path.parent()?.join(named.strip_prefix("gitdir:")?.trim()).canonicalize().ok()
}

fn read(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
