//! A layout as grants of Landlock.
//!
//! Landlock can allow a folder with all that is in it, and nothing inside can be taken away again.
//! So a folder that holds something guarded is not granted itself: what it holds now is, entry by
//! entry. Such a folder gets no new entries, and that is the price of this kind of wall.

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::layout::{Access, Layout, Place};

/// The entries of a folder; links are left out, because a grant would go where they lead.
pub(crate) type List<'a> = &'a dyn Fn(&Path) -> Vec<OsString>;

/// What may be written.
pub(crate) fn writable(layout: &Layout, list: List<'_>) -> Vec<PathBuf> {
    let mut granted = Vec::new();
    let places = layout.places().filter(|(_, place)| place.access == Access::Write);
    for (path, _) in places {
        // Those inside a writable place are found on the way down from there.
        let inner = path.parent().is_some_and(|parent| layout.may_write(parent));
        if layout.has_mounts() || !inner {
            grant(path, layout, list, &mut granted);
        }
    }
    granted.sort();
    granted.dedup();
    granted
}

/// What may be read, if not everything may, and the folders on the way, which can be listed.
pub(crate) fn readable(layout: &Layout, list: List<'_>) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let hidden = |place: &Place| matches!(place.access, Access::HiddenFile | Access::HiddenFolder);
    if !layout.places().any(|(_, place)| hidden(place)) {
        return None;
    }
    let mut granted = Vec::new();
    let mut ways = Vec::new();
    let mut pending = vec![PathBuf::from("/")];
    while let Some(path) = pending.pop() {
        if layout.at(&path).is_some_and(hidden) {
            let shown = layout.below(&path).filter(|(_, place)| !hidden(place));
            granted.extend(shown.map(|(path, _)| path.to_owned()));
            continue;
        }
        if layout.below(&path).any(|(_, place)| hidden(place)) {
            pending.extend(list(&path).into_iter().map(|name| path.join(name)));
            ways.push(path);
        } else {
            granted.push(path);
        }
    }
    granted.sort();
    ways.sort();
    Some((granted, ways))
}

fn grant(path: &Path, layout: &Layout, list: List<'_>, granted: &mut Vec<PathBuf>) {
    if layout.at(path).is_some_and(|place| place.access != Access::Write) {
        return;
    }
    if !layout.is_closed(path) {
        granted.push(path.to_owned());
        return;
    }
    for name in list(path) {
        grant(&path.join(name), layout, list, granted);
    }
}
