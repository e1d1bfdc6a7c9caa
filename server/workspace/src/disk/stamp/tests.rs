//! Which changes a stamp shows, and which it may not show yet.

use super::*;
use crate::disk::test::{delete, write};
use std::os::unix::fs::symlink;

fn stamp_changed_at(seconds: i64, nanoseconds: i64) -> Stamp {
    let changed = (seconds, nanoseconds);
    Stamp { device: 1, inode: 1, size: 1, links: 1, modified: changed, changed }
}

#[test]
fn a_fresh_stamp_may_hide_the_next_write() {
    let check = |changed: (i64, i64), now: Duration, expect: bool| {
        let now = SystemTime::UNIX_EPOCH + now;
        assert_eq!(stamp_changed_at(changed.0, changed.1).is_settled(now), expect, "{changed:?}");
    };
    let at = Duration::from_millis;
    check((100, 5_000_000), at(100_006), false);
    check((100, 5_000_000), at(100_055), false);
    check((100, 5_000_000), at(100_056), true);
    // Whole seconds: the file system may know no more.
    check((100, 0), at(101_900), false);
    check((100, 0), at(102_001), true);
    // A clock that was set back.
    check((100, 5), at(50_000), false);
    check((-100, 5), at(50_000), true);
}

fn settled(path: &Path) -> Stamp {
    loop {
        if let Some(stamp) = settled_stamp(path) {
            return stamp;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn watched_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let names = ["same", "rewritten", "touched", "deleted", "replaced", "linked"];
    for name in names {
        write(&path(name), b"12345");
    }
    symlink(path("linked"), path("link")).unwrap();
    let known = names.iter().chain(&["made", "never", "link"]).map(|name| path(name));
    for name in names {
        settled(&path(name));
    }
    let watched = Watched::of(known);
    assert!(watched.changed().is_empty());
    write(&path("rewritten"), b"54321");
    crate::disk::test::set_modified(&path("touched"), 1_000);
    delete(&path("deleted"));
    write(&path("other"), b"12345");
    fs::rename(path("other"), path("replaced")).unwrap();
    write(&path("made"), b"");
    write(&path("linked"), b"54321");
    let expect = ["rewritten", "touched", "deleted", "replaced", "linked", "made", "link"];
    let expect: Vec<PathBuf> = expect.iter().map(|name| path(name)).collect();
    assert_eq!(watched.changed(), expect);
    // What was written a moment ago may be written again unseen, so it is named to be safe.
    let fresh = Watched::of([path("same"), path("made"), path("never")]);
    assert!(fresh.changed().contains(&path("made")) || settled_stamp(&path("made")).is_some());
    assert!(!fresh.changed().contains(&path("same")));
}

#[test]
fn so_many_and_no_more() {
    let paths = (0..Watched::MAX_FILES + 5).map(|n| PathBuf::from(format!("/proc/{n}/none")));
    let watched = Watched::of(paths);
    assert_eq!(watched.files.len(), Watched::MAX_FILES);
    assert!(watched.changed().is_empty());
}
