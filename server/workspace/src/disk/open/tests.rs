//! Both ways to open a path must refuse the same links.

use super::*;
use crate::disk::test::{read, rename, write};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

fn fixture() -> (tempfile::TempDir, PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    write(&root.join("a/b/file"), b"inside");
    write(&root.join("outside/file"), b"outside");
    symlink("file", root.join("a/b/leaf")).unwrap();
    symlink("b", root.join("a/way")).unwrap();
    symlink(root.join("outside"), root.join("a/out")).unwrap();
    symlink("self", root.join("self")).unwrap();
    (keep, root)
}

#[test]
fn what_either_way_opens() {
    let (_keep, root) = fixture();
    let check = |name: &str, flags: OFlags, expect: std::result::Result<(), Errno>| {
        let path = root.join(name);
        let outcomes = [open(&path, flags), part_by_part(&path, flags)];
        for (way, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(outcome.map(drop), expect, "{name} by way {way}");
        }
    };
    let file = OFlags::NONBLOCK;
    check("a/b/file", file, Ok(()));
    check("a/b", OFlags::DIRECTORY, Ok(()));
    check("a/b", PASSAGE, Ok(()));
    check("", PASSAGE, Ok(()));
    check("a/b/leaf", file, Err(Errno::LOOP));
    check("a/way", PASSAGE, Err(Errno::LOOP));
    check("a/way", OFlags::DIRECTORY, Err(Errno::LOOP));
    check("a/way/file", file, Err(Errno::LOOP));
    check("a/out/file", file, Err(Errno::LOOP));
    check("self", file, Err(Errno::LOOP));
    check("self/x", file, Err(Errno::LOOP));
    check("a/b/none", file, Err(Errno::NOENT));
    check("a/none/file", file, Err(Errno::NOENT));
    check("a/b/file/below", file, Err(Errno::NOTDIR));
    check("a/b/file", PASSAGE, Err(Errno::NOTDIR));
    check(&"n".repeat(300), file, Err(Errno::NAMETOOLONG));
    check("a\0b", file, Err(Errno::INVAL));
    assert_eq!(open(Path::new("a/b"), file).map(drop), Err(Errno::INVAL));
    assert_eq!(part_by_part(Path::new("a/b"), file).map(drop), Err(Errno::INVAL));
    assert!(part_by_part(Path::new("/"), PASSAGE).is_ok());
}

#[test]
fn folders_are_made_in_the_folder_that_was_meant() {
    let (_keep, root) = fixture();
    made_folder(&root.join("a/b/new/er")).unwrap();
    assert!(passage(&root.join("a/b/new/er")).is_ok());
    for name in ["a/out/new", "a/way/new", "self/new"] {
        assert_eq!(made_folder(&root.join(name)).map(drop), Err(Errno::LOOP), "{name}");
    }
    assert_eq!(made_folder(&root.join("a/b/file/new")).map(drop), Err(Errno::NOTDIR));
    assert_eq!(passage(&root.join("outside/new")).map(drop), Err(Errno::NOENT));
}

#[test]
fn an_open_folder_stays_the_same_folder() {
    let (_keep, root) = fixture();
    let held = folder(&root.join("a/b")).unwrap();
    rename(&root.join("a/b"), &root.join("a/moved"));
    symlink(root.join("outside"), root.join("a/b")).unwrap();
    let mut says = String::new();
    let file = open_in(&held, OsStr::new("file"), OFlags::empty()).unwrap();
    File::from(file).read_to_string(&mut says).unwrap();
    assert_eq!(says, "inside");
    assert_eq!(read(&root.join("a/b/file")), b"outside");
}

#[cfg(target_os = "linux")]
#[test]
fn links_of_the_kernel_are_links_too() {
    let (_keep, root) = fixture();
    let held = File::from(folder(&root.join("a/b")).unwrap());
    use std::os::fd::AsRawFd;
    let descriptor = format!("/proc/{}/fd/{}", std::process::id(), held.as_raw_fd());
    for path in [descriptor.clone(), format!("{descriptor}/file"), "/proc/self/status".to_owned()] {
        let path = Path::new(&path);
        assert_eq!(open(path, OFlags::empty()).map(drop), Err(Errno::LOOP), "{path:?}");
        assert_eq!(part_by_part(path, OFlags::empty()).map(drop), Err(Errno::LOOP), "{path:?}");
    }
}
