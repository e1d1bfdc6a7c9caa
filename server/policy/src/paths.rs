//! Paths compared by components: what lies inside the roots, what is protected, what is a door
//! into somewhere else. Nothing here looks at the disk, and no path is compared as a string prefix.

pub(crate) mod glob;
pub(crate) mod names;
pub(crate) mod pattern;
pub mod pinned;
pub(crate) mod protected;
pub mod repository;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// Resolves `.` and `..` by name alone. Only for paths nobody could resolve for real, such as
/// words of a command, and for patterns.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// The same without a copy where there is nothing to resolve.
fn resolved(path: &Path) -> Cow<'_, Path> {
    let steps = |part| matches!(part, Component::CurDir | Component::ParentDir);
    match path.components().any(steps) {
        true => Cow::Owned(normalize(path)),
        false => Cow::Borrowed(path),
    }
}

pub(crate) fn inside(path: &Path, roots: &[PathBuf]) -> bool {
    let path = resolved(path);
    roots.iter().any(|root| is_usable_root(root) && path.starts_with(root))
}

/// Inside a root and not the root itself: what may be moved or deleted without asking.
pub(crate) fn strictly_inside(path: &Path, roots: &[PathBuf]) -> bool {
    let path = resolved(path);
    inside(&path, roots) && !roots.iter().any(|root| root.starts_with(&path))
}

/// A relative or empty root would make everything "inside".
fn is_usable_root(root: &Path) -> bool {
    root.is_absolute()
}

/// Why no tool may ever open `path`, if so: kernel links lead out of every root, and process
/// files hold our own secrets.
pub(crate) fn forbidden(path: &Path) -> Option<&'static str> {
    let text = path.to_string_lossy();
    if text.contains('\0') {
        return Some("the path holds a NUL byte");
    }
    if !path.is_absolute() {
        return Some("the path is not absolute");
    }
    if (text.starts_with("//") && !text.starts_with("///")) || text.starts_with("\\\\") {
        return Some("network share paths leak credentials and are never opened");
    }
    let path = resolved(path);
    let mut names = path.components().skip(1).map(|part| part.as_os_str().to_string_lossy());
    match names.next().as_deref() {
        Some("proc") if names.any(|name| leads_out_of_proc(&name)) => {
            Some("files of a running process are never opened")
        }
        Some("dev") if names.next().as_deref() == Some("fd") => {
            Some("open descriptors are never reached by path")
        }
        _ => None,
    }
}

fn leads_out_of_proc(name: &str) -> bool {
    const DOORS: [&str; 10] =
        ["root", "cwd", "exe", "fd", "fdinfo", "environ", "mem", "map_files", "maps", "kcore"];
    DOORS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_compares_components() {
        let roots = [PathBuf::from("/w/proj")];
        let check = |path: &str, expect: bool| {
            assert_eq!(inside(Path::new(path), &roots), expect, "{path}");
        };
        check("/w/proj", true);
        check("/w/proj/a/b", true);
        check("/w/proj_evil/x", false);
        check("/w/proj/../x", false);
        check("/w/proj/a/../../proj/b", true);
        check("/", false);
        assert!(!strictly_inside(Path::new("/w/proj/."), &roots));
        assert!(strictly_inside(Path::new("/w/proj/x"), &roots));
        assert!(!inside(Path::new("/x"), &[PathBuf::new()]));
    }

    #[test]
    fn doors_out_of_every_root_are_forbidden() {
        let check = |path: &str, expect: bool| {
            assert_eq!(forbidden(Path::new(path)).is_some(), expect, "{path}");
        };
        check("/proc/self/environ", true);
        check("/proc/self/root/etc/passwd", true);
        check("/proc/../proc/1/mem", true);
        check("/dev/fd/3", true);
        check("//server/share", true);
        check("relative", true);
        check("/a\0b", true);
        check("/proc/cpuinfo", false);
        check("/dev/null", false);
        check("/w/root/fd", false);
    }
}
