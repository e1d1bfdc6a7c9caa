//! Grants as tables, over a disk that is a list of paths.

use std::collections::BTreeSet;

use policy::pinned::Blank;

use super::*;

const DISK: [&str; 15] = [
    "/etc/passwd",
    "/h/.ssh/id",
    "/h/notes",
    "/w/.git/HEAD",
    "/w/.git/config",
    "/w/.git/hooks/x",
    "/w/.git/objects/a",
    "/w/.git/refs/b",
    "/w/README",
    "/w/src/main.rs",
    "/w/sub/.git/config",
    "/w/sub/.git/index",
    "/w/sub/lib.rs",
    "/tmp/x",
    "/usr/bin/env",
];

fn list(folder: &Path) -> Vec<OsString> {
    let below = DISK.iter().filter_map(|path| Path::new(path).strip_prefix(folder).ok());
    let names = below.filter_map(|rest| rest.iter().next()).map(OsString::from);
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn layout() -> Layout {
    let mut layout = Layout::default();
    layout.set("/t", Access::Write);
    layout.set("/w", Access::Write);
    layout.keep_missing("/w/.vscode", Blank::Folder);
    for guarded in ["/w/.git/config", "/w/.git/hooks", "/w/sub/.git/config"] {
        layout.set(guarded, Access::Read);
    }
    layout.anchor();
    layout
}

fn check(found: &[PathBuf], expect: &[&str]) {
    let found: Vec<&str> = found.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(found, expect);
}

#[test]
fn alone_it_grants_what_is_there_around_the_guarded() {
    let granted = writable(&layout(), &list);
    let expect = [
        "/t",
        "/w/.git/HEAD",
        "/w/.git/objects",
        "/w/.git/refs",
        "/w/README",
        "/w/src",
        "/w/sub/.git/index",
        "/w/sub/lib.rs",
    ];
    check(&granted, &expect);
}

#[test]
fn behind_mounts_it_grants_whole_places() {
    let mut layout = layout();
    layout.lend("/tmp", "/t");
    let granted = writable(&layout, &list);
    check(&granted, &["/t", "/tmp", "/w", "/w/.git", "/w/sub", "/w/sub/.git"]);
}

#[test]
fn a_frozen_folder_gets_no_new_entries() {
    let mut layout = layout();
    layout.lend("/tmp", "/t");
    layout.freeze(Path::new("/w/sub"), list(Path::new("/w/sub")));
    let granted = writable(&layout, &list);
    check(&granted, &["/t", "/tmp", "/w", "/w/.git", "/w/sub/.git", "/w/sub/lib.rs"]);
}

#[test]
fn a_writable_place_inside_a_guarded_one_is_granted() {
    let mut layout = Layout::default();
    layout.set("/w/.git", Access::Read);
    layout.set("/w/.git/objects", Access::Write);
    check(&writable(&layout, &list), &["/w/.git/objects"]);
}

#[test]
fn reading_is_granted_around_what_is_hidden() {
    assert_eq!(readable(&layout(), &list), None);
    let mut layout = layout();
    layout.set("/h/.ssh", Access::HiddenFolder);
    layout.set("/w/README", Access::HiddenFile);
    let (granted, ways) = readable(&layout, &list).unwrap();
    check(&granted, &["/etc", "/h/notes", "/tmp", "/usr", "/w/.git", "/w/src", "/w/sub"]);
    check(&ways, &["/", "/h", "/w"]);
}
