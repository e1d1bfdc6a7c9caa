//! Somebody bends links as fast as they can while files are read, written, deleted and searched by
//! the real paths that were found before. Nothing outside is ever seen or touched.

#![expect(clippy::disallowed_methods, reason = "an attacker does what it likes with files")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::disk::{self, Expected, WriteOptions};
use crate::{Glob, Ignored, Limits, Mode, Output, Query, ReadError, Snapshot, View};

const CANARY: &str = "canary";
const INSIDE: &str = "inside";
/// Each of three swappers does so many.
const SWAPS: usize = 34_000;

struct World {
    _keep: tempfile::TempDir,
    root: PathBuf,
}

/// `dir` and `file` are inside; what `out` holds must not be seen, and not change.
fn world() -> World {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    for (name, text) in [
        ("in/dir/file", INSIDE),
        ("in/file", INSIDE),
        ("in/plain", INSIDE),
        ("out/file", CANARY),
        ("out/canary-name", CANARY),
    ] {
        disk::test::write(&root.join(name), text.as_bytes());
    }
    symlink(root.join("out"), root.join("in/dir.link")).unwrap();
    symlink(root.join("out/file"), root.join("in/file.link")).unwrap();
    World { _keep: keep, root }
}

fn exchange(a: &Path, b: &Path) {
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}

fn swap_until_done(root: &Path, done: &AtomicUsize) {
    let (dir, dir_link) = (root.join("in/dir"), root.join("in/dir.link"));
    let (file, file_link) = (root.join("in/file"), root.join("in/file.link"));
    let plain = root.join("in/plain");
    std::thread::scope(|scope| {
        let swapper = |swap: Box<dyn Fn(usize) + Send>| {
            move || {
                (0..SWAPS).for_each(swap);
                done.fetch_add(1, Ordering::Relaxed);
            }
        };
        scope.spawn(swapper(Box::new(move |_| exchange(&dir, &dir_link))));
        scope.spawn(swapper(Box::new(move |_| exchange(&file, &file_link))));
        let out = root.join("out/file");
        // Others write it too, so that any of these may fail.
        scope.spawn(swapper(Box::new(move |turn| {
            let _ = fs::remove_file(&plain);
            if turn % 2 == 0 {
                let _ = symlink(&out, &plain);
            } else {
                let _ = fs::write(&plain, INSIDE);
            }
        })));
    });
}

/// What somebody does again and again, and whether it worked.
type Act = Box<dyn Fn(&Path) -> bool + Send + Sync>;

fn acts() -> Vec<Act> {
    let read = |path: PathBuf| match View::default().read(&path) {
        Ok(file) => {
            assert!(!file.text.to_string().contains(CANARY), "{path:?} was read");
            true
        }
        Err(ReadError::NotFound { nearest, .. }) => {
            assert!(!nearest.iter().any(|name| name.contains(CANARY)), "{nearest:?}");
            false
        }
        Err(_) => false,
    };
    let write = |path: PathBuf| {
        let options = WriteOptions { create_parents: true, ..WriteOptions::default() };
        disk::write_atomic(&path, b"written inside", &options).is_ok()
    };
    let stamped = |path: PathBuf| {
        let Ok((_, stamp)) = disk::read_real(&path, 99) else { return false };
        disk::remove(&path, Expected::Stamp(stamp)).is_ok()
    };
    vec![
        Box::new(move |root| read(root.join("in/dir/file"))),
        Box::new(move |root| read(root.join("in/file"))),
        Box::new(move |root| read(root.join("in/plain"))),
        Box::new(move |root| read(root.join("in/dir/canary-nam"))),
        Box::new(move |root| write(root.join("in/dir/file"))),
        Box::new(move |root| write(root.join("in/dir/new"))),
        Box::new(move |root| write(root.join("in/dir/deep/er/new"))),
        Box::new(move |root| write(root.join("in/plain"))),
        Box::new(move |root| stamped(root.join("in/dir/new"))),
        Box::new(move |root| stamped(root.join("in/plain"))),
        Box::new(search),
        Box::new(find),
    ]
}

fn search(root: &Path) -> bool {
    let query = Query { mode: Mode::Content, ..Query::new(".", root.join("in")) };
    let found = crate::grep(&Snapshot::default(), &query, &Limits::NONE).unwrap();
    let Output::Content(lines) = found.output else { panic!("{:?}", found.output) };
    assert!(lines.iter().all(|line| !line.text.contains(CANARY)), "{lines:?}");
    !lines.is_empty()
}

fn find(root: &Path) -> bool {
    let root = root.join("in");
    let glob = Glob::new("**", &root).unwrap();
    let found = glob.find(&root, &Snapshot::default(), Ignored::Skip, 100, &Limits::NONE).unwrap();
    let names = found.paths.iter().map(|path| path.display().to_string());
    assert!(names.into_iter().all(|name| !name.contains("canary-name")), "{:?}", found.paths);
    !found.paths.is_empty()
}

#[test]
fn nothing_outside_is_seen_or_touched() {
    let World { root, _keep } = world();
    let done = AtomicUsize::new(0);
    let acts = acts();
    let worked: Vec<AtomicBool> = acts.iter().map(|_| AtomicBool::new(false)).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| swap_until_done(&root, &done));
        let (half, rest) = acts.split_at(acts.len() / 2);
        for (part, from) in [(half, 0), (rest, half.len())] {
            let (root, done, worked) = (&root, &done, &worked);
            scope.spawn(move || {
                while done.load(Ordering::Relaxed) < 3 {
                    for (at, act) in part.iter().enumerate() {
                        worked[from + at].fetch_or(act(root), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let outside: Vec<_> = disk::test::names(&root.join("out"));
    assert_eq!(outside, ["canary-name", "file"]);
    for name in ["out/file", "out/canary-name"] {
        assert_eq!(disk::test::read(&root.join(name)), CANARY.as_bytes());
    }
    // All of them got through at times, but for the one that reads what is not there.
    let worked: Vec<bool> = worked.into_iter().map(AtomicBool::into_inner).collect();
    assert!(worked.iter().filter(|worked| !**worked).count() <= 1, "{worked:?}");
}
