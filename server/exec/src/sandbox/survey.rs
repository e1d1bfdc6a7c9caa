//! Looking at the disk: which places a confinement means, just before a process starts.
//!
//! Paths are followed to what they really are first, and only then compared. Another process may
//! change the disk meanwhile; that is why `identity` is taken of every place, and compared again
//! from inside, before the command starts.

#![expect(clippy::disallowed_methods, reason = "the walls are built from what is on the disk")]

mod others;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use policy::pinned::{self, Blank, Pin};

use super::caches;
use super::layout::{Access, Layout};
use super::stubs;
use super::traces::Before;
use super::{Confinement, Disk};

/// How deep below a root protected names are looked for.
pub(super) const DEPTH: usize = 3;
/// The most folders that are looked into, nearest first.
const MOST_FOLDERS: usize = 4_000;
/// Folders with very many others in them, where nobody keeps a repository of their own.
pub(super) const PASSED_OVER: [&str; 2] = ["node_modules", "target"];
/// A file that says where a repository is has one short line.
const LONGEST_POINTER: u64 = 4096;

/// Places, and how things were, where somebody will look for what came.
pub(crate) type Surveyed = (Layout, Option<Before>);

/// The places of a confinement, and how things are before a process starts there. `mounts`: whether
/// places can be mounted somewhere else.
pub(crate) fn survey(confinement: &Confinement, mounts: bool) -> Result<Surveyed, String> {
    match &confinement.disk {
        Disk::Roots => {}
        Disk::Entries => return Ok((others::in_entries(confinement, mounts)?, None)),
        Disk::Closed => return Ok((others::closed(confinement, mounts)?, None)),
        Disk::Open { home } => {
            return Ok((others::open(confinement, home.as_deref(), mounts)?, None));
        }
    }
    let mut survey = Survey::new(mounts, Some(Before::now(&confinement.aside)));
    let temp = private(&confinement.temp)?;
    survey.layout.set(&temp, Access::Write);
    survey.lend_cache(confinement);
    let roots =
        confinement.roots.iter().map(|root| root_of(root)).collect::<Result<Vec<_>, _>>()?;
    // What is allowed beside the roots may well not exist.
    let beside: Vec<PathBuf> =
        confinement.allow_write.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for path in roots.iter().chain(&beside) {
        survey.layout.set(path, Access::Write);
    }
    for root in &roots {
        survey.guard_missing(root);
        survey.guard_existing(root);
    }
    for folder in beside.iter().filter(|path| path.is_dir()) {
        survey.guard_existing(folder);
    }
    for path in &confinement.deny_write {
        survey.forbid(path);
    }
    for path in &confinement.deny_read {
        survey.hide(path);
    }
    survey.show(confinement, true);
    for folder in std::mem::take(&mut survey.frozen) {
        survey.layout.freeze(&folder, entries(&folder));
    }
    survey.layout.anchor();
    // Last: until here every path is one of ours, and ours are not there but in `/tmp` itself.
    if mounts && survey.layout.at(Path::new("/tmp")).is_none() {
        survey.layout.lend("/tmp", temp);
    }
    Ok((survey.layout, survey.before))
}

/// A root must be a folder, and not the whole disk.
fn root_of(path: &Path) -> Result<PathBuf, String> {
    let real = path
        .canonicalize()
        .map_err(|error| format!("the folder {} cannot be worked in: {error}", path.display()))?;
    if real.parent().is_none() || !real.is_dir() {
        return Err(format!(
            "{} is no folder that can be given to a contained command: choose one inside the disk",
            path.display()
        ));
    }
    Ok(real)
}

/// A temporary folder that others could enter would be a way in and out.
fn private(path: &Path) -> Result<PathBuf, String> {
    let real = path.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real)));
    let (metadata, real) = real.map_err(|error| {
        format!("the temporary folder {} cannot be used: {error}", path.display())
    })?;
    let ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if !metadata.is_dir() || !ours || metadata.mode() & 0o077 != 0 {
        return Err(format!(
            "the temporary folder {} must be a folder that only we may enter",
            path.display()
        ));
    }
    Ok(real)
}

pub(super) struct Survey {
    pub(super) layout: Layout,
    /// `None` for a program of the user's own: then names that are missing, and links, are not held,
    /// and nobody will look for what it made.
    before: Option<Before>,
    /// Folders that hold a guarded link. Parents come first.
    frozen: BTreeSet<PathBuf>,
}

impl Survey {
    pub(super) fn new(mounts: bool, before: Option<Before>) -> Survey {
        let mut layout = Layout::default();
        layout.mounts = mounts;
        Survey { layout, before, frozen: BTreeSet::new() }
    }

    fn lend_cache(&mut self, confinement: &Confinement) {
        let Some(cache) = &confinement.cache else { return };
        match caches::prepare(cache) {
            Ok(cache) => self.layout.set(cache, Access::Write),
            Err(error) => tracing::warn!(%error, "the cache for commands cannot be made"),
        }
    }

    /// The names of a root that must not come into being.
    fn guard_missing(&mut self, root: &Path) {
        for name in pinned::MISSING {
            let path = root.join(name);
            if is_missing(&path) {
                self.layout.keep_missing(path, Blank::Folder);
            }
        }
    }

    /// The protected names that are there, also in repositories further down.
    pub(super) fn guard_existing(&mut self, top: &Path) {
        let mut queue = VecDeque::from([(top.to_owned(), 0)]);
        // Counted for each root: a large one must not leave the next without its guards.
        let mut looked_into = 0;
        while let Some((folder, depth)) = queue.pop_front() {
            if looked_into == MOST_FOLDERS {
                tracing::warn!(folder = %top.display(), "the folder is too large to look for nested repositories everywhere");
                self.looked_through(top, false);
                return;
            }
            looked_into += 1;
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name();
                if let Some(pin) = pinned::pin(&folder, &name) {
                    if let Some(before) = &mut self.before {
                        before.known.insert(entry.path());
                    }
                    queue.extend(self.pin(&entry.path(), pin).map(|inner| (inner, depth + 1)));
                } else if kind.is_dir()
                    && depth < DEPTH
                    && !PASSED_OVER.iter().any(|passed| name == *passed)
                {
                    queue.push_back((entry.path(), depth + 1));
                }
            }
        }
        self.looked_through(top, true);
    }

    fn looked_through(&mut self, top: &Path, whole: bool) {
        if let Some(before) = &mut self.before {
            before.looked_through(top, whole);
        }
    }

    /// Guards one entry that exists. Gives a folder inside that is worked in all the same.
    pub(super) fn pin(&mut self, path: &Path, pin: Pin) -> Option<PathBuf> {
        let real = self.hold(path)?;
        match pin {
            Pin::Repository if real.is_dir() => self.guard_repository(&real, DEPTH),
            Pin::Repository => {
                self.layout.set(&real, Access::Read);
                self.admit_work_tree(&real);
            }
            Pin::Whole => self.layout.set(&real, Access::Read),
            Pin::Agent => {
                self.layout.set(&real, Access::Read);
                let work_trees = real.join(pinned::AGENT_WORK_TREES);
                if is_real_folder(&work_trees) {
                    self.layout.set(&work_trees, Access::Write);
                    return Some(work_trees);
                }
            }
        }
        None
    }

    /// What an entry really is, if it lies where it could be written. If it is a link, nobody may
    /// replace the link either.
    fn hold(&mut self, path: &Path) -> Option<PathBuf> {
        let is_link = fs::symlink_metadata(path).ok()?.is_symlink();
        if !is_link {
            return (!stubs::is_ours(path)).then(|| path.to_owned());
        }
        if self.before.is_some() {
            self.frozen.insert(path.parent()?.to_owned());
        }
        path.canonicalize().ok().filter(|real| self.layout.may_write(real))
    }

    fn guard_repository(&mut self, folder: &Path, deeper: usize) {
        for (name, blank) in pinned::IN_REPOSITORY {
            self.guard_one(folder, name, blank);
        }
        let work_trees = folder.join(pinned::WORK_TREES);
        let wanted = self.layout.at(&work_trees).is_some();
        if !wanted && self.hold(&work_trees).is_some() {
            self.layout.set(work_trees, Access::Read);
        }
        self.guard_modules(&folder.join(pinned::MODULES), deeper);
    }

    /// The names of submodules may have slashes, so their folders lie at any depth.
    fn guard_modules(&mut self, folder: &Path, deeper: usize) {
        if deeper == 0 || !is_real_folder(folder) {
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if !is_real_folder(&path) {
                continue;
            }
            if path.join("HEAD").exists() {
                self.guard_repository(&path, deeper - 1);
            } else {
                self.guard_modules(&path, deeper - 1);
            }
        }
    }

    /// Guards `name` in `folder`, whether it exists or not.
    fn guard_one(&mut self, folder: &Path, name: &str, blank: Blank) {
        let path = folder.join(name);
        if !is_missing(&path) {
            if let Some(real) = self.hold(&path) {
                self.layout.set(real, Access::Read);
            }
            return;
        }
        if self.before.is_none() {
            return;
        }
        match path.parent().filter(|parent| *parent != folder && is_missing(parent)) {
            Some(parent) => self.layout.keep_missing(parent, Blank::Folder),
            None => self.layout.keep_missing(path, blank),
        }
    }

    /// A work tree whose repository is elsewhere: committing in it writes there. Only if that
    /// repository knows this work tree, because anybody can write a file that points somewhere.
    fn admit_work_tree(&mut self, pointer: &Path) {
        let Some(WorkTree { own, shared }) = WorkTree::find(pointer) else { return };
        // Named so that it can be seen wherever it is, also in a temporary folder.
        if !self.layout.may_write(&shared) {
            self.layout.set(&shared, Access::Read);
        }
        self.layout.set(&own, Access::Write);
        for (name, blank) in pinned::IN_WORK_TREE {
            self.guard_one(&own, name, blank);
        }
        for name in pinned::SHARED {
            let folder = shared.join(name);
            if is_real_folder(&folder) && !self.layout.may_write(&folder) {
                self.layout.set(folder, Access::Write);
            }
        }
    }

    fn forbid(&mut self, path: &Path) {
        if let Ok(real) = path.canonicalize() {
            self.layout.forbid(&real);
            if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
                && let Some(folder) = path.parent().and_then(|parent| parent.canonicalize().ok())
            {
                self.frozen.insert(folder);
            }
            return;
        }
        // Missing: the first part of it that is missing must stay so.
        let mut missing = path;
        while let Some((parent, name)) = missing.parent().zip(missing.file_name()) {
            if let Ok(real) = parent.canonicalize() {
                if self.layout.may_write(&real) {
                    self.layout.keep_missing(real.join(name), Blank::Folder);
                }
                return;
            }
            missing = parent;
        }
    }

    /// What is missing is not held.
    fn forbid_there(&mut self, path: &Path) {
        if let Ok(real) = path.canonicalize() {
            self.layout.forbid(&real);
        }
    }

    /// Opens folders inside what is hidden. One that is not hidden stays as it is, unless it is to be
    /// written. `writes`: whether anything may be.
    fn show(&mut self, confinement: &Confinement, writes: bool) {
        for (path, writable) in &confinement.shown {
            let Ok(real) = path.canonicalize() else { continue };
            let (access, is_so) = match *writable && writes {
                true => (Access::Write, self.layout.may_write(&real)),
                false => (Access::Read, self.layout.may_read(&real)),
            };
            if !is_so && real.is_dir() {
                self.layout.set(real, access);
            }
        }
    }

    pub(super) fn hide(&mut self, path: &Path) {
        if let Ok(real) = path.canonicalize() {
            let hidden = if real.is_dir() { Access::HiddenFolder } else { Access::HiddenFile };
            self.layout.set(real, hidden);
        }
    }
}

/// The entries of a folder, without links.
pub(crate) fn entries(folder: &Path) -> Vec<OsString> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    let real = all.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.map(|entry| entry.file_name()).collect()
}

/// Nothing is there but perhaps what stood in for it in an earlier run.
fn is_missing(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(_) => stubs::is_ours(path),
    }
}

pub(super) fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// A work tree's folders in a repository that lies elsewhere.
struct WorkTree {
    own: PathBuf,
    shared: PathBuf,
}

impl WorkTree {
    fn find(pointer: &Path) -> Option<WorkTree> {
        let text = read_line(pointer)?;
        let named = pointer.parent()?.join(text.strip_prefix("gitdir:")?.trim());
        let own = named.canonicalize().ok()?;
        let back = own.join(read_line(&own.join("gitdir"))?.trim()).canonicalize().ok()?;
        let shared = own.join(read_line(&own.join("commondir"))?.trim()).canonicalize().ok()?;
        let known = back == pointer.canonicalize().ok()?;
        let in_place = own.parent() == Some(shared.join(pinned::WORK_TREES).as_path());
        (known && in_place).then_some(WorkTree { own, shared })
    }
}

pub(super) fn read_line(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let readable = metadata.is_file() && metadata.len() <= LONGEST_POINTER;
    readable.then(|| fs::read_to_string(path).ok()).flatten()
}
