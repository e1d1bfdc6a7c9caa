//! What may be deleted, and what is left alone.

use super::*;
use crate::disk::test::{create_folder, names, read, set_mode, write};
use crate::disk::{Kind, stamp};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use text::Fingerprint;

struct Folder {
    _keep: tempfile::TempDir,
    root: PathBuf,
}

fn folder() -> Folder {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    write(&root.join("f"), b"caf\xe9\n");
    Folder { _keep: keep, root }
}

fn says(text: &str) -> Expected {
    Expected::Text(Fingerprint::of(text))
}

#[test]
fn a_file_that_is_as_expected() {
    let check = |expected: &dyn Fn(&Path) -> Expected| {
        let Folder { root, _keep } = folder();
        remove(&root.join("f"), expected(&root.join("f"))).unwrap();
        assert!(names(&root).is_empty());
    };
    check(&|_| says("café\n"));
    check(&|path| Expected::Stamp(stamp(path).unwrap().unwrap()));
}

#[test]
fn a_file_that_somebody_changed() {
    let Folder { root, _keep } = folder();
    let path = root.join("f");
    let before = stamp(&path).unwrap().unwrap();
    write(&path, b"the user's own work");
    let check = |expected: Expected| {
        let error = remove(&path, expected).unwrap_err();
        assert!(matches!(error, WriteError::Changed { .. }), "{error}");
    };
    check(says("café\n"));
    check(Expected::Stamp(before));
    let error = remove(&path, Expected::Absent).unwrap_err();
    assert!(matches!(error, WriteError::Exists { .. }), "{error}");
    assert_eq!(read(&path), b"the user's own work");
    let error = remove(&root.join("none"), says("")).unwrap_err();
    assert!(matches!(error, WriteError::Gone { .. }), "{error}");
}

#[test]
fn what_is_no_file_stays() {
    let Folder { root, _keep } = folder();
    symlink("f", root.join("link")).unwrap();
    create_folder(&root.join("dir"));
    write(&root.join("binary"), b"\0");
    let refused = |name: &str| remove(&root.join(name), says("café\n")).unwrap_err();
    assert!(matches!(refused("link"), WriteError::Moved { .. }));
    assert!(matches!(refused("dir"), WriteError::IsDirectory { .. }));
    assert!(matches!(refused("dir/.."), WriteError::IsDirectory { .. }));
    assert!(matches!(refused("binary"), WriteError::Changed { .. }));
    assert!(matches!(refused("f/below"), WriteError::Gone { .. } | WriteError::Unresolvable(_)));
    assert!(matches!(remove(Path::new("f"), says("")), Err(WriteError::Unresolvable(_))));
    let device = remove(Path::new("/dev/null"), says("")).unwrap_err();
    assert!(matches!(device, WriteError::NotRegular { kind: Kind::Device, .. }));
    assert_eq!(names(&root), ["binary", "dir", "f", "link"]);
    // No more is a link on the way followed.
    symlink(&root, root.join("dir/up")).unwrap();
    assert!(matches!(refused("dir/up/f"), WriteError::Moved { .. }));
    assert_eq!(names(&root), ["binary", "dir", "f", "link"]);
}

#[test]
fn a_read_only_file_is_asked_itself() {
    let Folder { root, _keep } = folder();
    set_mode(&root.join("f"), 0o444);
    // The superuser may write everything, so there is nothing to refuse then.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let error = remove(&root.join("f"), says("café\n")).unwrap_err();
    assert!(matches!(error, WriteError::Denied { .. }), "{error}");
}
