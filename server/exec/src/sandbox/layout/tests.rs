//! Layouts as tables.

use super::*;

fn layout() -> Layout {
    let mut layout = Layout::default();
    layout.set("/w", Access::Write);
    layout.set("/w/a/b/.git/hooks", Access::Read);
    layout.keep_missing("/w/.vscode", Blank::Folder);
    layout.set("/w/secret", Access::HiddenFolder);
    layout.set("/h/key", Access::HiddenFile);
    layout.lend("/tmp", "/private");
    layout
}

#[test]
fn the_nearest_place_counts() {
    let layout = layout();
    let check = |path: &str, write: bool, read: bool| {
        let path = Path::new(path);
        assert_eq!((layout.may_write(path), layout.may_read(path)), (write, read), "{path:?}");
    };
    check("/w", true, true);
    check("/w/src/x", true, true);
    check("/wide", false, true);
    check("/w/a/b/.git/hooks", false, true);
    check("/w/a/b/.git/hooks/pre-commit", false, true);
    check("/w/a/b/.git/index", true, true);
    check("/w/.vscode/tasks.json", false, true);
    check("/w/secret/x", false, false);
    check("/h/key", false, false);
    check("/h/other", false, true);
    check("/tmp/x", true, true);
    check("/etc/passwd", false, true);
}

#[test]
fn every_folder_above_a_guarded_one_is_anchored() {
    let mut layout = layout();
    layout.anchor();
    let anchored: Vec<&Path> = layout
        .places()
        .filter(|(_, place)| place.access == Access::Write)
        .map(|(path, _)| path)
        .collect();
    assert_eq!(anchored, ["/tmp", "/w", "/w/a", "/w/a/b", "/w/a/b/.git"].map(Path::new));
}

#[test]
fn forbidding_a_folder_forbids_what_was_allowed_inside() {
    let mut layout = layout();
    layout.forbid(Path::new("/w"));
    assert!(!layout.may_write(Path::new("/w/src")));
    assert!(!layout.may_read(Path::new("/w/secret/x")), "hidden stays hidden");
    assert!(layout.may_write(Path::new("/tmp/x")));
    let mut layout = Layout::default();
    layout.set("/h/w", Access::Write);
    layout.forbid(Path::new("/h"));
    assert!(!layout.may_write(Path::new("/h/w/x")));
}

#[test]
fn a_frozen_folder_keeps_its_entries() {
    let mut layout = layout();
    layout.freeze(Path::new("/w"), ["src", "secret", "README"].map(OsString::from));
    let check = |path: &str, write: bool| {
        assert_eq!(layout.may_write(Path::new(path)), write, "{path}");
    };
    check("/w/new", false);
    check("/w/src/new", true);
    check("/w/README", true);
    check("/w/secret/x", false);
    check("/w/.vscode", false);
    layout.freeze(Path::new("/etc"), [OsString::from("passwd")]);
    assert!(!layout.may_write(Path::new("/etc/passwd")), "what was not writable stays so");
}

#[test]
fn what_lies_below_is_found_by_components() {
    let layout = layout();
    let below: Vec<&Path> = layout.below(Path::new("/w/a")).map(|(path, _)| path).collect();
    assert_eq!(below, [Path::new("/w/a/b/.git/hooks")]);
}
