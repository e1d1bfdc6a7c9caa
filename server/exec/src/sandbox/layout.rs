//! What a contained process may do with each part of the disk, as a value.
//!
//! A layout names a few places; everything below a place is like it, up to the next one. The rest
//! of the disk can be read. Nothing here looks at the disk.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use policy::pinned::Blank;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Write,
    Read,
    HiddenFolder,
    HiddenFile,
}

/// One place. Its key in the layout is where a contained process finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) access: Access,
    /// Where it really is.
    pub(crate) source: PathBuf,
    /// It is missing, and this stands there meanwhile.
    pub(crate) blank: Option<Blank>,
}

/// Parents come before their children, as components are compared one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    places: BTreeMap<PathBuf, Place>,
    /// Places are mounts; otherwise they are grants, which cannot be moved.
    pub(crate) mounts: bool,
}

impl Layout {
    pub(crate) fn set(&mut self, path: impl Into<PathBuf>, access: Access) {
        let path = path.into();
        let place = Place { access, source: path.clone(), blank: None };
        self.places.insert(path, place);
    }

    /// The folder `source` is found at `path` and may be written there.
    pub(crate) fn lend(&mut self, path: impl Into<PathBuf>, source: impl Into<PathBuf>) {
        let place = Place { access: Access::Write, source: source.into(), blank: None };
        self.places.insert(path.into(), place);
    }

    /// `path` is missing and must not be made.
    pub(crate) fn keep_missing(&mut self, path: impl Into<PathBuf>, blank: Blank) {
        let path = path.into();
        let place = Place { access: Access::Read, source: path.clone(), blank: Some(blank) };
        self.places.insert(path, place);
    }

    /// No entry of `folder` may come or go, but those it has may be written as before. That is how
    /// a link is held in place: nothing can be mounted on one.
    pub(crate) fn freeze(&mut self, folder: &Path, entries: impl IntoIterator<Item = OsString>) {
        if !self.may_write(folder) {
            return;
        }
        self.set(folder, Access::Read);
        for entry in entries {
            let entry = folder.join(entry);
            if !self.places.contains_key(&entry) {
                self.set(entry, Access::Write);
            }
        }
    }

    /// Nothing at or below `path` may be written, whatever was said before.
    pub(crate) fn forbid(&mut self, path: &Path) {
        let below: Vec<PathBuf> = self.below(path).map(|(path, _)| path.to_owned()).collect();
        for path in below {
            if let Some(place) = self.places.get_mut(&path).filter(|it| it.access == Access::Write)
            {
                place.access = Access::Read;
            }
        }
        self.set(path, Access::Read);
    }

    /// Makes a place of every folder between a writable place and one inside it that is not.
    /// Places become mount points, and those cannot be renamed, so nobody moves the parent of a
    /// guarded file away to put another in its place.
    pub(crate) fn anchor(&mut self) {
        let guarded: Vec<PathBuf> = self
            .places
            .iter()
            .filter(|(_, place)| place.access != Access::Write)
            .map(|(path, _)| path.clone())
            .collect();
        for path in guarded {
            for folder in path.ancestors().skip(1) {
                if self.places.contains_key(folder) || !self.may_write(folder) {
                    break;
                }
                self.set(folder, Access::Write);
            }
        }
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = (&Path, &Place)> {
        self.places.iter().map(|(path, place)| (path.as_path(), place))
    }

    pub(crate) fn at(&self, path: &Path) -> Option<&Place> {
        self.places.get(path)
    }

    /// The places at or below `path`.
    pub(crate) fn below<'a>(&'a self, path: &Path) -> impl Iterator<Item = (&'a Path, &'a Place)> {
        let top = path.to_owned();
        let from = self.places.range(path.to_owned()..);
        from.map(|(path, place)| (path.as_path(), place))
            .take_while(move |(path, _)| path.starts_with(&top))
    }

    pub(crate) fn may_write(&self, path: &Path) -> bool {
        self.access(path) == Access::Write
    }

    pub(crate) fn may_read(&self, path: &Path) -> bool {
        matches!(self.access(path), Access::Write | Access::Read)
    }

    /// Whether writing `path` fails. Where no mount holds the guarded names, folders that have
    /// one get no new entries.
    pub(crate) fn refuses_write(&self, path: &Path) -> bool {
        !self.may_write(path) || path.parent().is_some_and(|folder| self.is_closed(folder))
    }

    /// Whether `path` is, or lies in, something that is missing and must stay so.
    pub(crate) fn is_kept_missing(&self, path: &Path) -> bool {
        let place = path.ancestors().find_map(|path| self.places.get(path));
        place.is_some_and(|place| place.blank.is_some())
    }

    /// Whether something at or below `folder` is held by leaving the folder as it is.
    pub(crate) fn is_closed(&self, folder: &Path) -> bool {
        !self.has_mounts() && self.below(folder).any(|(_, place)| place.access != Access::Write)
    }

    pub(crate) fn has_mounts(&self) -> bool {
        self.mounts || self.places.iter().any(|(path, place)| *path != place.source)
    }

    fn access(&self, path: &Path) -> Access {
        path.ancestors()
            .find_map(|path| self.places.get(path))
            .map_or(Access::Read, |place| place.access)
    }
}
